"""The store of the tests in this folder."""

from pathlib import Path

import pytest

from blockfall.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return the store of the home `tmp_path / "home"`."""
    return Store(tmp_path / "home" / "store.sqlite3")
