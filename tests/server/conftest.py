"""The folder of a server's tournaments and scores."""

from pathlib import Path

import pytest


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that this test has for `BLOCKFALL_HOME`."""
    monkeypatch.setenv("BLOCKFALL_HOME", str(tmp_path))
    return tmp_path
