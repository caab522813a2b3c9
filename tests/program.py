"""The command line as a separate process. In this process, where it starts at once, it is the fixture `call`."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

# Tests that a shell started in the background ignore interrupts, and so would the programs that they start.
_HEED_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"

PROGRAM = [sys.executable, "-c", f"{_HEED_INTERRUPTS}; from blockfall.cli import main; main()"]


Call = Callable[..., tuple[object, str, str]]
"""The type of the fixture `call`."""


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


def run_program(
    *words: object,
    home: Path | str | None = None,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    input: str | None = None,
    timeout: float = 120,
) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end in a separate process, with `home` and `env` added to the environment."""
    command, whole = _with_environment(words, home, env)
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=whole, input=input, timeout=timeout)


def start_program(
    *words: object, home: Path | str | None = None, env: Mapping[str, str] | None = None
) -> "subprocess.Popen[str]":
    """Start a command in a separate process whose output and errors are pipes."""
    command, whole = _with_environment(words, home, env)
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=whole)


def _with_environment(
    words: tuple[object, ...], home: Path | str | None, env: Mapping[str, str] | None
) -> tuple[list[str], dict[str, str]]:
    own = {"BLOCKFALL_HOME": str(home)} if home else {}
    return [*PROGRAM, *map(str, words)], {**os.environ, **(env or {}), **own}


def output_of(*words: object, **options: Any) -> str:
    """Return what a command prints. It must succeed."""
    done = run_program(*words, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def refusal(*words: object, **options: Any) -> str:
    """Return the one line with which a command refuses to work. It prints nothing else."""
    done = run_program(*words, **options)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done.stderr
    return done.stderr
