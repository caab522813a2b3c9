"""Write docs/api.md, what every 1.x version keeps: `python tools/make_api_page.py`.

A test compares the page with the program. A name that is gone is an error unless `blockfall.deprecated` has it.
"""

import dataclasses
import inspect
import re
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from typer.main import get_command

import blockfall
from blockfall.agents import agent_names
from blockfall.agents.loading import _model_of as agent_file
from blockfall.agents.values import KINDS
from blockfall.cli import app
from blockfall.compute import BACKENDS
from blockfall.experiments.benchmark import tasks
from blockfall.experiments.configuration import Configuration
from blockfall.features import built_in_features, groups
from blockfall.games import shipped_games
from blockfall.games.replay import EndKeys, HeadKeys, MoveKeys
from blockfall.learning import METHODS, Learner, LearningMethod
from blockfall.optimisers import OPTIMISERS, Optimisation, Optimiser
from blockfall.rulesets import rules_names
from blockfall.rulesets.model import RotationKeys, RulesFile
from blockfall.search import core_algorithms
from blockfall.store import Store
from blockfall.studies import STUDIES, Study, StudySettings
from blockfall.validation import file_key
from registered import table

BASES = (Optimiser, Optimisation, LearningMethod, Learner, Study, StudySettings)
PAGE = Path(__file__).parents[1] / "docs" / "api.md"
START = """# What 1.x keeps

The public names, commands and file formats that every 1.x version keeps: what works with one works with the next.
`python tools/make_api_page.py` makes this page from the program, and a test compares the two. Other names and files are
internal.

A version may add names, optional arguments, options and keys. A name that changes works under its old name for one
more minor version, with a warning. Files that an older version wrote load in newer ones, or are refused in one line
that names the change. [reference.md](reference.md) explains the settings, `help(blockfall.NAME)` the names.
"""
PYTHON = """
## Python

The names of `import blockfall`, with their arguments; those after `*` are given by name. A class has its own methods
and attributes, and those of its public base classes; settings are under [Files](#files).

"""
PROTOCOLS = """
### Base classes for code of your own

Beside `Backend`, `GameKind`, `Position` and `Problem` above:

"""
COMMANDS = """
## Commands

"""
NAMES = """
## Things with a name

"""
FILES = """
## Files

TOML and JSON keys, with a dot before those of an inner table. A run's folder has `run.toml`, `agent.json`,
`result.json`, `report.html` and `report.json`. The table `[optimiser]` or `[learning]` of a run's file holds `name` and
these settings.

"""
STORE = """
## The store

Format {format}: a SQLite file with these tables. `blockfall.Store` reads and writes it.

"""


def code(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def arguments(thing: Any) -> str:
    """Return what a function or class takes, without types and values."""
    said: list[str] = []
    by_name = False
    for one in inspect.signature(thing).parameters.values():
        if one.name == "self" or one.name[0] == "_":
            continue
        if one.kind is one.KEYWORD_ONLY and not by_name:
            said, by_name = [*said, "*"], True
        by_name = by_name or one.kind is one.VAR_POSITIONAL
        said.append("**" * (one.kind is one.VAR_KEYWORD) + "*" * (one.kind is one.VAR_POSITIONAL) + one.name)
    return f"({', '.join(said)})"


def members(kind: type) -> Iterator[str]:
    """Yield the public methods and attributes of a class, and of its public base classes."""
    found: dict[str, str] = {}
    public = {getattr(blockfall, name) for name in blockfall.__all__}
    for base in [base for base in reversed(kind.__mro__) if base is kind or base in public]:
        for name in inspect.get_annotations(base):
            found[name] = name
        for name, member in vars(base).items():
            if isinstance(member, property | cached_property):
                found[name] = name
            elif inspect.isfunction(member) or isinstance(member, classmethod | staticmethod):
                found[name] = name + arguments(getattr(kind, name))
    if issubclass(kind, int):
        found |= {name: name for name in kind.__members__}  # type: ignore[attr-defined]
    yield from (
        found[name] for name in sorted(found) if name[0] != "_" and name != "core"
    )  # which is the package's own


def names() -> str:
    rows = []
    for name in blockfall.__all__:
        thing = getattr(blockfall, name)
        if not inspect.isclass(thing):
            rows.append((f"`{name}{arguments(thing)}`", ""))
            continue
        own = dataclasses.is_dataclass(thing) or ("__init__" in vars(thing) and not is_protocol(thing))
        rows.append((f"`{name}{arguments(thing) if own else ''}`", code(members(thing))))
    return table(("name", "methods and attributes"), rows)


def protocols() -> str:
    """Return the base classes that are not names of `blockfall` themselves."""
    rows = ((f"`{kind.__module__.rpartition('.')[0]}.{kind.__name__}`", code(members(kind))) for kind in BASES)
    return table(("class", "methods and attributes"), rows)


def is_protocol(kind: type) -> bool:
    return bool(getattr(kind, "_is_protocol", False))


def commands() -> str:
    group: Any = get_command(app)
    rows = []
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        inner = getattr(command, "commands", None) or {"": command}
        for word, one in inner.items():
            options = [option for given in one.params for option in given.opts if option != "--help"]
            rows.append((f"`{' '.join(('blockfall', name, word)).strip()}`", code(options)))
    return table(("command", "arguments and options"), rows)


def things() -> str:
    known = {
        "rule sets": rules_names(),
        "agents": agent_names(),
        "features": [one.name for one in built_in_features()],
        "groups of features": groups(),
        "games": shipped_games(),
        "search algorithms": core_algorithms(),
        "optimisers": OPTIMISERS,
        "ways of learning": METHODS,
        "backends": BACKENDS,
        "tasks of the benchmark": [task.name for task in tasks()],
        "studies": STUDIES,
    }
    return table(("what", "names"), ((title, code(names)) for title, names in known.items()))


def keys_of(model: type[BaseModel], before: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        key = before + file_key(name, field)
        yield key
        for inner in inner_models(field.annotation):
            yield from keys_of(inner, f"{key}.")


def inner_models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models inside a type. A trainer's table has settings of its own."""
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        if not inspect.isabstract(annotation):
            yield annotation
        return
    for part in get_args(annotation):
        yield from inner_models(part)


def files() -> str:
    rows = [
        ("an agent", code(keys_of(agent_file(tuple(KINDS.values()))))),
        ("a rule set", code(keys_of(RulesFile))),
        ("a rotation system", code(keys_of(RotationKeys))),
        ("a run", code(keys_of(Configuration))),
    ]
    for titles, known in (("an optimiser", OPTIMISERS), ("a way of learning", METHODS)):
        rows += [(f"{titles}, `{name}`", code(keys_of(kind))) for name, kind in known.items()]
    rows += [
        ("a replay's first row", code(keys_of(HeadKeys))),
        ("a replay's rows of pieces", code(keys_of(MoveKeys))),
        ("a replay's last row", code(keys_of(EndKeys))),
    ]
    return table(("file", "keys"), rows)


def store() -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "store.sqlite3")
        Store(path).close()
        database = sqlite3.connect(path)
        (number,) = database.execute("PRAGMA user_version").fetchone()
        found = [
            name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        ]
        rows = [(f"`{name}`", code(row[1] for row in database.execute(f"PRAGMA table_info({name})"))) for name in found]
        database.close()
    return STORE.format(format=number) + table(("table", "columns"), rows)


def page() -> str:
    """Return the whole page."""
    return "".join(
        (START, PYTHON, names(), PROTOCOLS, protocols(), COMMANDS, commands(), NAMES, things(), FILES, files(), store())
    )


def words(text: str) -> set[str]:
    """Return what a page promises: each name with the row that it is in."""
    rows = (line.split(" | ", 1) for line in text.splitlines() if line.startswith("| "))
    return {
        f"{re.sub(r'[(].*', '', first.strip('| `'))}: {re.sub(r'[(].*', '', word)}"
        for first, *rest in rows
        for word in ["", *re.findall(r"`([^`]+)`", " ".join(rest))]
    }


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
