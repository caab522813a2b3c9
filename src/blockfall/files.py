"""Files that are whole or not there, and folders that one process at a time works in."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from blockfall.errors import FileError, LockedError

_WORKER_FILE = ".worker"  # in a locked folder: the process's number


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
    """With those above it; one that is there already is fine."""
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
    with _opened(folder) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LockedError(f"{folder}: another process is working on it; wait for it, or stop it first") from None
        note = folder / _WORKER_FILE
        write_atomically(note, f"{os.getpid()}\n")
        try:
            yield
        finally:
            note.unlink(missing_ok=True)


def is_locked(folder: Path) -> bool:
    """Whether a process is at work there."""
    if not folder.is_dir():
        return False
    with _opened(folder) as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def worker(folder: Path) -> int | None:
    """The process that is at work there, if one is and it can be told for sure."""
    if not is_locked(folder):
        return None
    try:
        number = int((folder / _WORKER_FILE).read_text())
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
def _opened(folder: Path) -> Iterator[int]:
    try:
        file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise FileError(f"{folder}: {error.strerror or error}") from None
    try:
        yield file
    finally:
        os.close(file)
