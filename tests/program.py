"""The command line as a separate process, and in this process, where it starts at once."""

import os
import sys
import warnings
from pathlib import Path
from typing import IO

import pytest

from blockfall.cli import main
from tests.registries import restored

# Tests that a shell started in the background ignore interrupts, and so would the programs that they start.
_HEED_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"

PROGRAM = [sys.executable, "-c", f"{_HEED_INTERRUPTS}; from blockfall.cli import main; main()"]


def machine_is_busy() -> bool:
    """Return whether other processes use the machine, so that timings say nothing about a program."""
    return os.getloadavg()[0] > 1.5 * (os.cpu_count() or 1)


def cpu_seconds(process: int) -> float:
    """Return the seconds that a process has computed, which other processes do not change."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def next_line(pipe: IO[str]) -> str:
    """Return the next line of a process's output. `readline` would buffer what follows, and hide it from others."""
    line = b""
    while not line.endswith(b"\n") and (byte := os.read(pipe.fileno(), 1)):
        line += byte
    return line.decode()


def call(
    *arguments: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> tuple[object, str, str]:
    """Run a command in this process, and forget what it registers. Return its code, its output and its errors."""
    monkeypatch.setattr(sys, "argv", ["blockfall", *arguments])
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # `main` changes it
    with restored(), pytest.raises(SystemExit) as ended:
        main()
    return (ended.value.code, *capsys.readouterr())
