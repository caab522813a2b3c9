"""A fixture for the tests of every room: the command line in this process."""

import sys
import warnings

import pytest

from blockfall.cli import main
from tests.program import Call
from tests.registries import restored


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Return a function that runs a command, forgets what it registers, and returns its code, output and errors."""

    def run(*arguments: str) -> tuple[object, str, str]:
        monkeypatch.setattr(sys, "argv", ["blockfall", *arguments])
        monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # `main` changes it
        with restored(), pytest.raises(SystemExit) as ended:
            main()
        return (ended.value.code, *capsys.readouterr())

    return run
