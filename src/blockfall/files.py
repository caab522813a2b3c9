"""Files that are written whole or not at all, and folders that one process at a time works in.

When a call returns, the content and its name in the folder are on the disk, and survive a power cut.

A process locks the folder itself if the system can do that (Linux, macOS), otherwise a file in it (Windows). The lock
ends with the process, however the process ends. A system with neither has no other processes to lock out.
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
_WORKER_FILE = ".worker"  # in a locked folder: the id of the process
_LOCK_FILE = ".lock"  # in a folder that cannot itself be locked
_LOOK_S = 0.5  # `is_locked` holds a folder for less than this
_NOT_SYNCED = (errno.EINVAL, errno.ENOTSUP)  # the errors of file systems that cannot sync folders


def home() -> Path:
    """Return the folder of the store: BLOCKFALL_HOME, or ~/.blockfall if that is not set."""
    return Path(os.environ.get(HOME) or Path.home() / ".blockfall")


def is_file(path: Path) -> bool:
    """Return whether the file exists. A name that no file can have, too long or not text, gives False."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


@contextmanager
def file_errors(path: Path) -> Iterator[None]:
    """Turn a system error into a FileError that names the path."""
    try:
        yield
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}") from None


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a new file and move it over the old one, so that a reader never sees half of it.

    A device or a pipe is written to, not replaced.
    """
    data = content.encode() if isinstance(content, str) else content
    if path.is_char_device() or path.is_fifo():
        with opened_for_writing(path) as file:
            file.write(data)
        return
    make_folder(path.parent)
    with file_errors(path):
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


@contextmanager
def opened_for_writing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that grows while a program runs, such as a log. It is emptied first."""
    with file_errors(path):
        file = path.open("wb")
    with file:
        yield file


def make_folder(folder: Path) -> None:
    """Make a folder and its parents. The folder may exist already."""
    with file_errors(folder):
        missing = [folder, *folder.parents]
        missing = missing[: next((i for i, above in enumerate(missing) if above.exists()), len(missing))]
        folder.mkdir(parents=True, exist_ok=True)
        for made in reversed(missing):
            _sync_names(made.parent)


def move_folder(folder: Path, place: Path) -> None:
    """Move a folder to a place that does not exist, or is an empty folder."""
    with file_errors(place):
        if place.exists():  # not every system replaces one folder by another
            place.rmdir()
        folder.replace(place)
        _sync_names(place.parent)


def delete_folder(folder: Path) -> None:
    """Delete a folder and everything in it."""
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise FileError(f"{error.filename or folder}: {error.strerror or error}") from None


def delete_file(path: Path) -> None:
    """Delete a file, if it exists."""
    with file_errors(path):
        path.unlink(missing_ok=True)


def _sync_names(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, if the system can tell."""
    if not hasattr(os, "O_DIRECTORY"):  # Windows cannot open folders
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
    """Lock a folder for this process until the block ends or the process dies."""
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
            with contextlib.suppress(OSError):  # without the lock, a leftover note means nothing
                note.unlink(missing_ok=True)


def is_locked(folder: Path) -> bool:
    """Return whether a process has locked the folder."""
    if not folder.is_dir() or not (_fcntl or (folder / _LOCK_FILE).exists()):
        return False
    with _opened(folder) as file:
        return not _lock(file, shared=True)


def _lock(file: int, shared: bool = False) -> bool:
    """Lock an open folder or file until it is closed, and return whether that worked."""
    if _fcntl:
        try:
            _fcntl.flock(file, (_fcntl.LOCK_SH if shared else _fcntl.LOCK_EX) | _fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    elif _msvcrt:
        try:
            _msvcrt.locking(file, _msvcrt.LK_NBLCK, 1)
        except OSError:  # the error does not say why
            return False
    return True


def worker(folder: Path) -> int | None:
    """Return the id of the process that has locked the folder; None if there is none or its id is uncertain."""
    if not is_locked(folder):
        return None
    try:
        number = int((folder / _WORKER_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):  # the process has locked the folder but not yet noted its id
        return None
    return number if _holds(number, folder) else None


def _holds(process: int, folder: Path) -> bool:
    """Return whether the process has the folder open. A killed process leaves a note, but has nothing open."""
    handles = Path("/proc") / str(process) / "fd"
    if not Path("/proc/self").exists():  # not Linux: trust the note
        return True
    try:
        return any(handle.is_dir() and handle.samefile(folder) for handle in handles.iterdir())
    except OSError:
        return False


@contextmanager
def _opened(folder: Path, make: bool = False) -> Iterator[int]:
    """Open the folder or file to lock: the folder itself, or a file in it."""
    with file_errors(folder):
        if _fcntl:
            file = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
        else:
            file = os.open(folder / _LOCK_FILE, os.O_RDWR | (os.O_CREAT if make else 0))
    try:
        yield file
    finally:
        os.close(file)
