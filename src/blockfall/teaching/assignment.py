"""An assignment's folder: the students' handout, and the teacher's marking scheme with its secret seed.

| in the folder | for | content |
|---|---|---|
| `handout/` | students | the text, the template, the rules and the public tests |
| `marking.toml` | teacher | the marking scheme and the seed of the hidden boards |
"""

import secrets
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from blockfall.errors import FileError, SettingError, UnknownNameError
from blockfall.files import make_folder
from blockfall.games.streams import check_seed
from blockfall.teaching.exercises import KINDS, Exercise, Kind, TaskKeys
from blockfall.validation import Model, check, parse_toml, read_text, whole_number

MARKING, HANDOUT = "marking.toml", "handout"
TEMPLATE = "solution.py"
"""The file that students hand in."""
_SHIPPED = Path(__file__).parent / "assignments"
_MOST_TASKS, _PER_TASK = 50, 1000


class Limits(Model):
    """The time and memory of a submission."""

    seconds: float = Field(ge=0.1, le=3600, description="a number from 0.1 to 3600")
    memory_mb: int = whole_number(64, 1 << 20)
    packages: bool = Field(default=False, description="true or false")


class _Keys(Model):
    """The marking scheme without its tasks, whose keys depend on the kind."""

    seed: int = Field(ge=0, lt=2**63, description="a whole number from 0 to 2^63 - 1")
    title: str = Field(min_length=1, max_length=200, description="a text")
    assignment: str = Field(description=f"one of {', '.join(KINDS)}")
    limits: Limits
    tasks: list[dict[str, object]] = Field(min_length=1, max_length=_MOST_TASKS, description="[[tasks]]")


@dataclass(frozen=True)
class Assignment:
    """An assignment, read from its marking scheme."""

    folder: Path
    title: str
    kind: Kind
    seed: int
    limits: Limits
    tasks: Sequence[TaskKeys]

    @property
    def points(self) -> float:
        """The maximum points."""
        return sum(task.points for task in self.tasks)

    def exercise(self, place: int, number: int) -> Exercise:
        """Return exercise `number` of the task at this place."""
        return self.kind.exercise(self.tasks[place], self.seed, place * _PER_TASK + number)

    @property
    def helpers(self) -> list[Path]:
        """Return the handout's modules of rules, which submissions may import."""
        taken = (TEMPLATE, "public_tests.py")
        return sorted(p for p in (_SHIPPED / self.kind.name / HANDOUT).glob("*.py") if p.name not in taken)


def create(kind: str, folder: Path, seed: int | None = None) -> None:
    """Write an assignment's folder. Without a seed, draw a secret one."""
    if kind not in KINDS:
        raise UnknownNameError("assignment", kind, list(KINDS))
    number = secrets.randbits(63) if seed is None else check_seed(seed)
    if number >= 2**63:
        raise SettingError(f"seed {number}; it must be less than 2^63")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SettingError(f"{folder} is not empty; name a new folder")
    make_folder(folder.parent)
    try:
        part = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            shutil.copytree(_SHIPPED / kind / HANDOUT, part / HANDOUT, ignore=shutil.ignore_patterns("__pycache__"))
            scheme = (_SHIPPED / kind / MARKING).read_text(encoding="utf-8")
            secret = f"seed = {number}  # secret: it decides the hidden boards\n"
            (part / MARKING).write_text(scheme.replace("\ntitle", f"\n{secret}title", 1), encoding="utf-8")
            (part / MARKING).chmod(0o600)
            part.chmod(0o755)
            part.replace(folder)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            raise
    except OSError as error:
        raise FileError(f"{folder}: {error.strerror or error}") from None


def load(folder: Path) -> Assignment:
    """Return the assignment in a folder."""
    path = folder / MARKING
    if not path.is_file():
        raise SettingError(f"{folder} has no {MARKING}; `blockfall assignment new` writes one")
    text = read_text(path)
    keys = check(_Keys, parse_toml(text, str(path)), str(path), text)
    if keys.assignment not in KINDS:
        raise FileError(f"{path}: {UnknownNameError('assignment', keys.assignment, list(KINDS))}")
    kind = KINDS[keys.assignment]
    tasks = [check(kind.task, task, str(path), inside=f"tasks.{n}") for n, task in enumerate(keys.tasks, 1)]
    names = [task.name for task in tasks]
    if len(set(names)) < len(names):
        raise FileError(f"{path}: two tasks have the same name")
    return Assignment(folder, keys.title, kind, keys.seed, keys.limits, tasks)
