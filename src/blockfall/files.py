"""Files that are whole or not there, and folders that one process at a time works in.

What is written here is on the disk when the call returns: the content, and its name in the folder. So after a power cut
there is what was written before it.

A process locks the folder itself where the system can (Linux, macOS), else a file in the folder (Windows). Such a lock
ends with the process, however it ends. A system that has neither way has no other processes to lock out.
"""

import contextlib
import errno
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

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
_LOOK_S = 0.5  # who only looks whether a folder is locked holds it for less
_NOT_SYNCED = (errno.EINVAL, errno.ENOTSUP)  # what a file system says that cannot sync folders


def home() -> Path:
    """The folder of what Blockfall keeps: BLOCKFALL_HOME, or ~/.blockfall where that is not set."""
    return Path(os.environ.get(HOME) or Path.home() / ".blockfall")


def is_file(path: Path) -> bool:
    """Whether there is such a file. There is none of a name that no file can have: too long, or not text."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def write_atomically(path: Path, content: str | bytes) -> None:
    """Writes beside the file first and then takes its place, so that a reader never sees half of it.

    A device or a pipe keeps its place: it is written to.
    """
    data = content.encode() if isinstance(content, str) else content
    if path.is_char_device() or path.is_fifo():
        with opened_for_writing(path) as file:
            file.write(data)
        return
    make_folder(path.parent)
    try:
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
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
            raise
        _sync_names(path.parent)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None


@contextmanager
def opened_for_writing(path: Path) -> Iterator[BinaryIO]:
    """A file that grows while a program works, such as its log. It is emptied first."""
    try:
        file = path.open("wb")
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None
    with file:
        yield file


def make_folder(folder: Path) -> None:
    """Makes a folder and those above it. One that is there already is fine."""
    try:
        missing = [folder, *folder.parents]
        missing = missing[: next((i for i, above in enumerate(missing) if above.exists()), len(missing))]
        folder.mkdir(parents=True, exist_ok=True)
        for made in reversed(missing):
            _sync_names(made.parent)
    except OSError as error:
        raise FileError(f"{folder}: {error.strerror or error}") from None


def move_folder(folder: Path, place: Path) -> None:
    """Puts a folder, with the files that were written into it here, in a place where there is none, or an empty one."""
    try:
        if place.exists():  # not every system puts one folder in the place of another
            place.rmdir()
        folder.replace(place)
        _sync_names(place.parent)
    except OSError as error:
        raise FileError(f"{place}: {error.strerror or error}") from None


def delete_folder(folder: Path) -> None:
    """Deletes a folder with everything in it."""
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise FileError(f"{error.filename or folder}: {error.strerror or error}") from None


def delete_file(path: Path) -> None:
    """Deletes a file. One that is not there is fine."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None


def _sync_names(folder: Path) -> None:
    """Waits until the names in a folder are on the disk, where the system can tell."""
    if not hasattr(os, "O_DIRECTORY"):  # Windows opens no folders
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _NOT_SYNCED:
            raise
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """The folder is this process's until the block ends or the process dies."""
    with _opened(folder, make=True) as file:
        end = time.monotonic() + _LOOK_S
        while not _lock(file):
            if time.monotonic() > end:
                raise LockedError(f"{folder}: another process is working on it; wait for it, or stop it first")
            time.sleep(0.01)
        note = folder / _WORKER_FILE
        write_atomically(note, f"{os.getpid()}\n")
        try:
            yield
        finally:
            with contextlib.suppress(OSError):  # a note that stays says nothing once the lock is gone
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
