"""The command line: as a process of its own, and in this process, where it starts at once."""

import os
import sys
import warnings
from typing import IO

import pytest

from blockfall.cli import main
from tests.registries import restored

# A shell that starts the tests in the background lets them, and so this, ignore interrupts.
_HEED_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"

PROGRAM = [sys.executable, "-c", f"{_HEED_INTERRUPTS}; from blockfall.cli import main; main()"]


def machine_is_busy() -> bool:
    """Whether others compute here: then lateness says nothing about a program."""
    return os.getloadavg()[0] > 1.5 * (os.cpu_count() or 1)


def next_line(pipe: IO[str]) -> str:
    """The next line of a process's output. `readline` would also take what follows, and `communicate` not give it."""
    said = b""
    while not said.endswith(b"\n") and (byte := os.read(pipe.fileno(), 1)):
        said += byte
    return said.decode()


def call(
    *arguments: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> tuple[object, str, str]:
    """Runs a command in this process, and forgets what it registers. Gives its code, its output and its errors."""
    monkeypatch.setattr(sys, "argv", ["blockfall", *arguments])
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # `main` changes it
    with restored(), pytest.raises(SystemExit) as ended:
        main()
    return (ended.value.code, *capsys.readouterr())
