"""The package imports, plays, trains and locks on systems that lack what Linux has."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from blockfall import evaluate
from blockfall.files import write_atomically

# Everything that macOS or Windows lacks. `real` keeps the module that the second test needs.
BARE = """
import builtins, importlib.abc, io, os, sys
import fcntl as real

class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "fcntl":
            raise ModuleNotFoundError("No module named 'fcntl'", name=name)

del sys.modules["fcntl"], os.sched_getaffinity, os.O_DIRECTORY, os.nice
if hasattr(os, "process_cpu_count"):  # Python 3.13; on Linux it calls sched_getaffinity
    os.process_cpu_count = os.cpu_count
sys.meta_path.insert(0, Refuse())

def hidden(function):
    def call(path, *arguments, **more):
        if not isinstance(path, int) and os.fspath(path).startswith("/proc"):
            raise FileNotFoundError(2, "No such file or directory", path)
        return function(path, *arguments, **more)
    return call

os.stat, os.scandir, os.listdir = map(hidden, (os.stat, os.scandir, os.listdir))
io.open = builtins.open = hidden(io.open)
"""

PLAY = """
import importlib, pkgutil
from pathlib import Path
import blockfall

for module in pkgutil.walk_packages(blockfall.__path__, "blockfall."):
    # The app and the board networks need extra libraries.
    if not module.name.startswith(("blockfall.app", "blockfall._core", "blockfall.learning.board_network.")):
        importlib.import_module(module.name)

from blockfall.experiments.running import resume, train
from blockfall.experiments.configuration import GameSettings
from blockfall.optimisers import RandomSearch

print(blockfall.evaluate("nes-no-rotation", "birken-6", 3, seed=1).lines.tolist())
trained = train(
    out="run",
    optimiser=RandomSearch(iterations=2, population=2),
    games=GameSettings(training=1, validation=2, test=3),
)
assert resume("run") == trained
"""

WINDOWS = """
import types
from pathlib import Path

def locking(file, mode, size):
    real.lockf(file, real.LOCK_EX | real.LOCK_NB, size)

sys.modules["msvcrt"] = types.SimpleNamespace(LK_NBLCK=2, locking=locking)
from blockfall.errors import LockedError
from blockfall.files import is_locked, locked
"""
HOLD = """
with locked(Path("work")):
    print("locked", flush=True)
    input()
"""
ASK = """
try:
    with locked(Path("work")):
        print("free")
except LockedError:
    print("busy", is_locked(Path("work")))
"""


def program(*parts: str) -> list[str]:
    return [sys.executable, "-c", "".join(parts)]


def output_of(folder: Path, *parts: str) -> str:
    environment = os.environ | {"BLOCKFALL_HOME": str(folder / "home")}
    done = subprocess.run(program(*parts), cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_system_without_fcntl_affinity_and_proc_plays_and_trains(tmp_path: Path) -> None:
    printed = output_of(tmp_path, BARE, PLAY)
    assert printed == str(evaluate("nes-no-rotation", "birken-6", 3, seed=1).lines.tolist())


def test_a_folder_that_cannot_be_locked_is_locked_by_a_file(tmp_path: Path) -> None:
    """A stand-in for Windows' msvcrt locks as that does: without waiting, until the process ends."""
    (tmp_path / "work").mkdir()
    assert output_of(tmp_path, BARE, WINDOWS, ASK) == "free"
    command = program(BARE, WINDOWS, HOLD)
    holder = subprocess.Popen(command, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout
    assert holder.stdout.readline() == "locked\n"
    assert output_of(tmp_path, BARE, WINDOWS, ASK) == "busy True"
    holder.kill()
    holder.wait()
    assert output_of(tmp_path, BARE, WINDOWS, ASK) == "free"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    """Nor is a device: otherwise root could replace /dev/null by a file."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(pipe, "moves")
    assert os.read(reader, 100) == b"moves"
    os.close(reader)
    assert pipe.is_fifo()
