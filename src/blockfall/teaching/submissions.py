"""A class's submissions: a folder of files, or of folders as Moodle exports them.

submissions/ana.py
submissions/Bruno Reis_4711_assignsubmission_file_/solution.py
"""

import os
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from blockfall.errors import FileError, SettingError
from blockfall.teaching.assignment import TEMPLATE
from blockfall.teaching.sandbox import SubmissionError

_MOST_FILES, _MOST_BYTES = 500, 20 << 20
_MOODLE = re.compile(r"_\d+_assignsubmission_\w+?_?$")


@dataclass(frozen=True)
class Submission:
    """One student's work."""

    name: str
    path: Path
    """Its file or its folder."""

    def copy_to(self, folder: Path, helpers: Iterable[Path]) -> Path:
        """Copy the work into an empty folder, adding the handout's rules if missing. Return its main file."""
        if self.path.is_symlink():
            raise SubmissionError("it is a link; hand in the file itself")
        if self.path.is_dir():
            main = self._main({helper.name for helper in helpers})
            _copy_tree(main.parent, folder)
            file = folder / main.name
        else:
            _check_size([self.path])
            file = folder / self.path.name
            shutil.copyfile(self.path, file)
        for helper in helpers:
            if not (folder / helper.name).exists():
                shutil.copyfile(helper, folder / helper.name)
        return file

    def _main(self, helpers: set[str]) -> Path:
        files = sorted(_files(self.path), key=lambda path: (len(path.parts), path))
        found = [path for path in files if path.name == TEMPLATE]
        if found:
            return found[0]
        other = [path for path in files if path.suffix == ".py" and path.name not in {*helpers, "public_tests.py"}]
        if len(other) != 1:
            raise SubmissionError(f"it has no {TEMPLATE}" if not other else f"several Python files and no {TEMPLATE}")
        return other[0]


def find_submissions(folder: Path) -> list[Submission]:
    """Return the submissions in a folder, by name."""
    if not folder.is_dir():
        raise FileError(f"{folder}: no such folder")
    found: dict[str, Submission] = {}
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        raise FileError(f"{folder}: {error.strerror or error}") from None
    for path in paths:
        if path.name.startswith((".", "__")) or not (path.is_dir() or path.suffix == ".py"):
            continue
        name = _MOODLE.sub("", path.name) if path.is_dir() else path.stem
        name = path.name if name in found else name
        found[name] = Submission(name, path)
    if not found:
        raise SettingError(f"no submissions in {folder}; there must be Python files, or folders with {TEMPLATE}")
    return list(found.values())


def _files(folder: Path) -> list[Path]:
    """Return all files in the folder and its subfolders, without links."""
    found: list[Path] = []
    for place, inner, names in os.walk(folder):
        inner[:] = [name for name in inner if not name.startswith((".", "__"))]
        found += [path for name in names if (path := Path(place, name)).is_file() and not path.is_symlink()]
        if len(found) > _MOST_FILES:
            raise SubmissionError(f"it has more than {_MOST_FILES} files")
    return found


def _check_size(files: Iterable[Path]) -> None:
    if sum(path.stat().st_size for path in files) > _MOST_BYTES:
        raise SubmissionError(f"it has more than {_MOST_BYTES >> 20} MiB")


def _copy_tree(source: Path, folder: Path) -> None:
    files = _files(source)
    _check_size(files)
    for path in files:
        copy = folder / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
