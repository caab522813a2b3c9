"""A recording of a program's changes to its files, and the disk that a power cut after any change leaves.

A file's content is on the disk once the file is synced; its name, once its folder is. Any mixture of unsynced changes
may be lost: `Loss` lists the mixtures that the tests try.
"""

import os
import shutil
import struct
import subprocess
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cache
from pathlib import Path
from random import Random
from tempfile import mkdtemp

import pytest

_HEAD = struct.Struct("<iiqQQ")
_NEW, _EMPTIED = 1, 2


class Kind(Enum):
    OPEN = 1
    WRITE = 2
    TRUNCATE = 3
    SYNC = 4
    RENAME = 5
    UNLINK = 6
    MKDIR = 7
    RMDIR = 8
    CLOSE = 9


class Loss(Enum):
    """The part of the unsynced changes that a power cut loses."""

    ALL = auto()
    CONTENT = auto()
    """Names survive, content is lost: a file that was renamed before it was synced is empty."""
    SOME = auto()
    """Each write since the last sync survives or not, at random; all names survive."""
    NOTHING = auto()
    """The program was killed, and the power stayed on."""


@dataclass(frozen=True)
class Change:
    """One change, as recorded by the shim."""

    kind: Kind
    file: int
    number: int
    a: bytes
    b: bytes

    @property
    def path(self) -> Path:
        """The changed path."""
        return Path(os.fsdecode(self.a))


@dataclass
class _File:
    content: bytearray = field(default_factory=bytearray)
    synced: bytes = b""
    since: list[tuple[int, bytes | None]] = field(default_factory=list)
    """Writes since the last sync; without bytes, new sizes."""

    def write(self, at: int, data: bytes | None) -> None:
        self.since.append((at, data))
        _apply(self.content, at, data)

    def sync(self) -> None:
        self.synced = bytes(self.content)
        self.since.clear()

    def left(self, loss: Loss, chance: Random) -> bytes:
        if loss is Loss.NOTHING:
            return bytes(self.content)
        found = bytearray(self.synced)
        if loss is Loss.SOME:
            for at, data in self.since:
                if chance.random() < 0.5:
                    _apply(found, at, data)
        return bytes(found)


@dataclass
class _Folder:
    names: dict[str, "_File | _Folder"] = field(default_factory=dict)
    synced: dict[str, "_File | _Folder"] = field(default_factory=dict)

    def sync(self) -> None:
        self.synced = dict(self.names)

    def write_to(self, path: Path, loss: Loss, chance: Random) -> None:
        path.mkdir(parents=True)
        for name, thing in (self.synced if loss is Loss.ALL else self.names).items():
            if isinstance(thing, _Folder):
                thing.write_to(path / name, loss, chance)
            else:
                (path / name).write_bytes(thing.left(loss, chance))


def _apply(content: bytearray, at: int, data: bytes | None) -> None:
    if data is None:
        del content[at:]
    content.extend(bytes(max(0, at - len(content))))
    if data is not None:
        content[at : at + len(data)] = data


class Disk:
    """The folder `root` as a disk: its synced and unsynced content after the changes so far."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._top = _Folder()
        self._open: dict[int, _File | _Folder] = {}

    def change(self, change: Change) -> None:
        """Apply one more change."""
        match change.kind:
            case Kind.OPEN:
                folder, name = self._place(change.path)
                if change.number & _NEW:
                    folder.names[name] = _File()
                thing = folder.names[name] if name else self._top
                if change.number & _EMPTIED and isinstance(thing, _File):
                    thing.write(0, None)
                self._open[change.file] = thing
            case Kind.CLOSE:
                self._open.pop(change.file, None)
            case Kind.WRITE | Kind.TRUNCATE:
                thing = self._open[change.file]
                assert isinstance(thing, _File)
                thing.write(change.number, change.a if change.kind is Kind.WRITE else None)
            case Kind.SYNC:
                self._open[change.file].sync()
            case Kind.RENAME:
                (was, old), (now, new) = self._place(change.path), self._place(Path(os.fsdecode(change.b)))
                now.names[new] = was.names.pop(old)
            case Kind.MKDIR:
                folder, name = self._place(change.path)
                folder.names[name] = _Folder()
            case Kind.UNLINK | Kind.RMDIR:
                folder, name = self._place(change.path)
                del folder.names[name]

    def after_cut(self, folder: Path, loss: Loss, seed: int = 0) -> None:
        """Write into a new folder what a power cut now would leave."""
        self._top.write_to(folder, loss, Random(seed))

    def _place(self, path: Path) -> tuple[_Folder, str]:
        parts = path.relative_to(self._root).parts
        folder = self._top
        for part in parts[:-1]:
            inner = folder.names[part]
            assert isinstance(inner, _Folder)
            folder = inner
        return folder, parts[-1] if parts else ""


def recorded(log: Path) -> list[Change]:
    """Read the changes from the shim's log."""
    data, at, found = log.read_bytes(), 0, []
    while at < len(data):
        kind, file, number, a_size, b_size = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        a, b = data[at : at + a_size], data[at + a_size : at + a_size + b_size]
        at += a_size + b_size
        found.append(Change(Kind(kind), file, number, a, b))
    return found


@cache
def _shim() -> Path | None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or os.uname().sysname != "Linux":
        return None
    made = Path(mkdtemp(prefix="blockfall-shim-")) / "shim.so"
    source = Path(__file__).with_name("shim.c")
    flags = ["-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run([compiler, *flags, "-o", made, source, "-ldl", "-lpthread"], check=True)
    return made


def under_shim(root: Path, **settings: object) -> dict[str, str]:
    """Return the environment in which the shim watches a program's files under `root`. Skip if that is impossible."""
    shim = _shim()
    if shim is None:
        pytest.skip("needs Linux and a C compiler")
    given = {f"DISK_{name.upper()}": str(value) for name, value in settings.items()}
    return os.environ | {"LD_PRELOAD": str(shim), "DISK_ROOT": str(root)} | given
