"""The store of runs that learn."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep runs in a store of the test's own."""
    monkeypatch.setenv("BLOCKFALL_HOME", str(tmp_path / "home"))
