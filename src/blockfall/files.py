"""Files that are whole or not there, and folders that one process at a time works in.

A process locks the folder itself where the system can (Linux, macOS), else a file in the folder (Windows). Such a lock
ends with the process, however it ends. A system that has neither way has no other processes to lock out.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from blockfall.errors import FileError, LockedError

_fcntl: Any = None
_msvcrt: Any = None
with contextlib.suppress(ImportError):
    import fcntl as _fcntl
with contextlib.suppress(ImportError):
    import msvcrt as _msvcrt

HOME = "BLOCKFALL_HOME"
"""The environment variable that names the folder of the store."""
_WORKER_FILE = ".worker"  # in a locked folder: the process's number
_LOCK_FILE = ".lock"  # in a folder where the folder itself cannot be locked


def home() -> Path:
    """The folder of what Blockfall keeps: BLOCKFALL_HOME, or ~/.blockfall where that is not set."""
    return Path(os.environ.get(HOME) or Path.home() / ".blockfall")


def write_atomically(path: Path, content: str | bytes) -> None:
    """Writes beside the file first and then takes its place, so that a reader never sees half of it."""
    data = content.encode() if isinstance(content, str) else content
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        part = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.chmod(0o666 & ~_umask())
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None


def make_folder(folder: Path) -> None:
    """Makes a folder and those above it. One that is there already is fine."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder}: {error.strerror or error}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """The folder is this process's until the block ends or the process dies."""
    with _opened(folder, make=True) as file:
        if not _lock(file):
            raise LockedError(f"{folder}: another process is working on it; wait for it, or stop it first")
        note = folder / _WORKER_FILE
        write_atomically(note, f"{os.getpid()}\n")
        try:
            yield
        finally:
            note.unlink(missing_ok=True)


def is_locked(folder: Path) -> bool:
    """Whether a process is at work there."""
    if not folder.is_dir() or not (_fcntl or (folder / _LOCK_FILE).exists()):
        return False
    with _opened(folder) as file:
        return not _lock(file, shared=True)


def _lock(file: int, shared: bool = False) -> bool:
    """Locks an open folder or file until it is closed, if nobody else has. Tells whether it did."""
    if _fcntl:
        try:
            _fcntl.flock(file, (_fcntl.LOCK_SH if shared else _fcntl.LOCK_EX) | _fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    elif _msvcrt:
        try:
            _msvcrt.locking(file, _msvcrt.LK_NBLCK, 1)
        except OSError:  # it does not say why
            return False
    return True


def worker(folder: Path) -> int | None:
    """The number of the process that is at work there, if one is and it can be told for sure."""
    if not is_locked(folder):
        return None
    try:
        number = int((folder / _WORKER_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):  # it has only just begun
        return None
    return number if _holds(number, folder) else None


def _holds(process: int, folder: Path) -> bool:
    """Whether the process has the folder open, as who locked it has: a killed one leaves its note behind."""
    handles = Path("/proc") / str(process) / "fd"
    if not Path("/proc/self").exists():  # not Linux: the note of a locked folder is all there is
        return True
    try:
        return any(handle.is_dir() and handle.samefile(folder) for handle in handles.iterdir())
    except OSError:
        return False


@contextmanager
def _opened(folder: Path, make: bool = False) -> Iterator[int]:
    """What is locked for a folder, open: the folder itself, or a file in it."""
    try:
        if _fcntl:
            file = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        else:
            file = os.open(folder / _LOCK_FILE, os.O_RDWR | (os.O_CREAT if make else 0))
    except OSError as error:
        raise FileError(f"{folder}: {error.strerror or error}") from None
    try:
        yield file
    finally:
        os.close(file)
