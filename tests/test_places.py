"""Adding something takes at most two hand-written places, three for a kind of value: its own files and lists.

A file lists a registry if one of its paragraphs names four fifths of the members, or if the whole file does and there
are eight or more. A member is named by its name in a string, as a key or in the code of a page, or by its class.
Comments, docstrings and prose list nothing; nor do imports and `__all__`, which offer names that exist elsewhere.

Some files are left out: what a tool writes and says so, results, what tests read, plans of single studies, examples
and history. Nobody edits these because something was added.
"""

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from blockfall.agents import agent_names
from blockfall.agents.values import KINDS
from blockfall.compute import BACKENDS
from blockfall.experiments.benchmark import tasks
from blockfall.features import built_in_features, groups, players
from blockfall.games import game, shipped_games
from blockfall.learning import METHODS
from blockfall.optimisers import OPTIMISERS
from blockfall.rulesets import rules_names
from blockfall.search import core_algorithms
from blockfall.studies import STUDIES
from tests import ROOT

SHARE = 0.8
WHOLE_FILE = 8
"""The fewest members of which a whole file may be a list. By chance it names a few of them, but not many."""
FOLDERS = ("src", "native", "tests", "tools", "docs", "benchmarks", ".github")
LEFT_OUT = re.compile(
    r"CHANGELOG\.md|.*\.pyi|docs/(data/.*|concepts\.md)|tests/(data|fuzz/cases)/.*|"
    r"src/blockfall/studies/\w+/.*|tests/studies/.*|.*/__pycache__/.*"
)
"""History, stubs, results, the glossary, what tests read, and single studies, which say what they compared."""
MADE = re.compile(r"python tools/\w+\.py`? makes|\"command\": \"[^\"]*python tools/")
"""Words in the first lines of a file that a tool writes."""
COMMENT = {
    **dict.fromkeys((".hpp", ".cpp", ".cu", ".js", ".css"), r"//.*|/\*(?s:.*?)\*/"),
    **dict.fromkeys((".toml", ".yml", ""), r"(?<!\S)#.*"),
}
"""Comments by a file's suffix. The Makefile has none."""
SUFFIXES = {*COMMENT, ".py", ".md", ".json"}
WORD = re.compile(r"\w[\w-]*")

Words = set[str]


@dataclass(frozen=True)
class Row:
    """A row of CONTRIBUTING's table whose members are registered."""

    title: str
    """Its first cell."""
    members: Mapping[str, str]
    """The class of each member, by name; empty where it has none."""
    own: Callable[[str], list[str]] = lambda _name: []
    """The hand-written files that are one member's alone, by its name."""
    lists: tuple[str, ...] = ()
    """The files that list the members."""
    most: int = 2
    """The most places for one member."""


def file_of(thing: Any) -> list[str]:
    path = Path(inspect.getfile(thing if inspect.isclass(thing) else type(thing)))
    return [f"src/blockfall/{path.as_posix().rpartition('/blockfall/')[2]}"]


def classes(kinds: Mapping[str, type]) -> dict[str, str]:
    return {name: kind.__name__ for name, kind in kinds.items()}


def camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("-"))


def features() -> dict[str, str]:
    """Return the features with the names of their structs, without those that there are one of for each column."""
    names = [one.name for one in built_in_features() if not re.search(r"-\d+$", one.name)]
    return {name: camel(name) for name in names}


@cache
def feature_files(name: str) -> list[str]:
    """Return the header with the feature's struct and the file with its definition in Python."""
    written = (
        ("native/include/blockfall/features", "*.hpp", f"struct {camel(name)} "),
        ("tests/reference/features", "*.py", f'"{name}"'),
    )
    return [
        path.relative_to(ROOT).as_posix()
        for folder, pattern, text in written
        for path in (ROOT / folder).glob(pattern)
        if path.name != "__init__.py" and text in path.read_text(encoding="utf-8")
    ]


def value_files(name: str) -> list[str]:
    header = re.sub(r"(?<!^)(?=[A-Z])", "_", KINDS[name].__name__).lower()
    return [*file_of(KINDS[name]), f"native/include/blockfall/value/{header}.hpp"]


ROWS = (
    Row("a rule set", dict.fromkeys(rules_names(), ""), lambda name: [f"src/blockfall/rulesets/{name}.toml"]),
    Row("an agent", dict.fromkeys(agent_names(), ""), lambda name: [f"src/blockfall/agents/{name}.json"]),
    Row("a kind of value", classes(KINDS), value_files, ("native/include/blockfall/value/kinds.hpp",), most=3),
    Row(
        "a backend",
        {name: row.from_text.__self__.__name__ for name, row in BACKENDS.items()},  # type: ignore[attr-defined]
        lambda name: file_of(BACKENDS[name].from_text.__self__),  # type: ignore[attr-defined]
        ("src/blockfall/compute/backends.py",),
    ),
    Row(
        "a group of features",
        dict.fromkeys(set(groups()) - {player.name for player in players()}, ""),
        lists=("src/blockfall/features/groups.toml",),
    ),
    Row("a feature", features(), feature_files),
    Row(
        "an optimiser",
        classes(OPTIMISERS),
        lambda name: file_of(OPTIMISERS[name]),
        ("src/blockfall/optimisers/__init__.py",),
    ),
    Row(
        "a search algorithm",
        dict.fromkeys(core_algorithms(), ""),
        lists=("native/include/blockfall/search/algorithms.hpp",),
    ),
    Row("a scoring of Hopeless", dict.fromkeys(shipped_games(), ""), lists=("src/blockfall/games/scorings.toml",)),
    Row(
        "a way of learning",
        classes(METHODS),
        lambda name: file_of(METHODS[name]),
        ("src/blockfall/learning/__init__.py",),
    ),
    Row(
        "a task of the benchmark",
        dict.fromkeys([task.name for task in tasks()], ""),
        lists=("src/blockfall/experiments/tasks.toml",),
    ),
    Row(
        "a study",
        dict.fromkeys(STUDIES, ""),
        lambda name: [f"src/blockfall/studies/{name}/__init__.py"],
        ("src/blockfall/studies/__init__.py",),
    ),
    Row(
        "a game",
        {name: type(game(name)).__name__ for name in shipped_games()},
        lambda name: file_of(game(name)),
        ("src/blockfall/games/registry.py",),
    ),
)
NO_REGISTRY = {"a program for a GPU", "a problem to search"}
"""Whoever needs such a program or problem names it there; nothing lists them."""


def words_of(path: Path) -> Iterator[Words]:
    """Yield the words that each paragraph of a file has as code."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        yield from python_words(text)
        return
    if path.suffix == ".md":
        text = markdown_code(text)
    text = re.sub(COMMENT.get(path.suffix, r"(?!)"), "", text)
    for paragraph in re.split(r"\n\s*\n", text):
        yield set(WORD.findall(paragraph))


def markdown_code(text: str) -> str:
    """Return the code and the links of a page, without what a tool puts between two marks."""
    text = re.sub(r"<!-- (?!end).*?<!-- end", "", text, flags=re.DOTALL)
    lines, fenced = [], False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        is_code = fenced or line.startswith("    ") or not line.strip()
        lines.append(line if is_code else " ".join(re.findall(r"`[^`]+`|\[[^]]+\]", line)) or "-")
    return "\n".join(lines)


def python_words(text: str) -> Iterator[Words]:
    """Yield the words of the strings and names between two blank lines, without imports, `__all__` and docstrings."""
    found: dict[int, Words] = {}
    blank = [number for number, line in enumerate(text.splitlines(), 1) if not line.strip()]
    waiting: list[ast.AST] = [ast.parse(text)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom) or is_offer(node):
            continue
        place = sum(line < getattr(node, "lineno", 0) for line in blank)
        if isinstance(node, ast.Name | ast.Attribute):
            found.setdefault(place, set()).add(node.id if isinstance(node, ast.Name) else node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.setdefault(place, set()).update(f'"{word}"' for word in WORD.findall(node.value))
        waiting += [
            child
            for child in ast.iter_child_nodes(node)
            if not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant))
        ]
    yield from found.values()


def is_offer(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"


def is_list(parts: list[Words], members: Mapping[str, str]) -> bool:
    """Tell whether a file with these words lists the members."""
    whole = [set[str]().union(*parts)] if len(members) >= WHOLE_FILE else []
    return any(named_in(words, members) >= SHARE * len(members) for words in (*parts, *whole))


def named_in(words: Words, members: Mapping[str, str]) -> int:
    """Return how many members are named. A quoted word is one of Python's strings."""
    python = any(word.startswith('"') for word in words)
    return sum(
        f'"{name}"' in words or (not python and name in words) or (kind != "" and bool({kind, f'"{kind}"'} & words))
        for name, kind in members.items()
    )


@cache
def hand_written() -> dict[str, list[Words]]:
    """Return the words of every file that people write, by its path in the repository."""
    paths = [path for path in ROOT.iterdir() if path.is_file()]
    paths += [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    found = {}
    for path in sorted(paths):
        name = path.relative_to(ROOT).as_posix()
        if path.suffix in SUFFIXES and not LEFT_OUT.fullmatch(name):
            try:
                is_made = MADE.search(path.read_text(encoding="utf-8")[:2000])
            except UnicodeDecodeError:
                continue
            if not is_made:
                found[name] = list(words_of(path))
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.title)
def test_only_the_registry_lists_its_members(row: Row) -> None:
    found = {name for name, parts in hand_written().items() if is_list(parts, row.members)}
    assert found <= set(row.lists), "take the names from the registry"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.title)
def test_a_member_has_few_places(row: Row) -> None:
    for name in row.members:
        own = [path for path in dict.fromkeys(row.own(name)) if path not in row.lists]
        assert all((ROOT / path).exists() for path in own)
        assert 1 <= len(own) + len(row.lists) <= row.most


def test_every_row_of_the_guide_is_here_and_can_fail() -> None:
    assert all(len(row.members) >= 3 for row in ROWS), "two names beside each other are not a list"
    text = (ROOT / "CONTRIBUTING.md").read_text().partition("## What to write to add something")[2]
    titles = re.findall(r"^\| (an? [^|]+) \|", text.partition("\n### ")[0], re.MULTILINE)
    assert {row.title for row in ROWS} | NO_REGISTRY == {*titles, "a game"}


WINDS = {"north": "North", "south": "South", "far-east": "FarEast", "west": "West", "centre": "Centre"}
"""Registered nowhere."""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("menu.py", "def menu():\n    return ['north', 'south', 'far-east', 'centre']\n"),
        ("menu.py", "KINDS = (North, South, FarEast, West)\n"),
        ("help.py", "HELP = 'one of north, south, far-east, west'\n"),
        ("menu.toml", "[north]\na = 1\n[south]\n[far-east]\n[centre]\n"),
        ("menu.json", '["north", "south", "far-east", "west", "centre"]'),
        ("page.md", "Choose:\n\n| `north` | a |\n| `south` | b |\n| `far-east` | c |\n| `centre` | d |\n"),
        ("page.md", "- [north](a.md)\n- [south](b.md)\n- [far-east](c.md)\n- [centre](d.md)\n"),
        ("menu.hpp", 'const char* names[] = {"north", "south", "far-east", "centre"};\n'),
        ("Makefile", "all:\n\trun north south far-east centre\n"),
    ],
)
def test_a_second_list_is_found(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    assert is_list(list(words_of(tmp_path / name)), WINDS)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "use.py",
            "from blockfall import FarEast, West, South, North\n\n__all__ = ['FarEast', 'South', 'North']\n",
        ),
        ("use.py", '"""Winds: north, south, far-east and centre."""\n# north, south, far-east, centre\nx = "north"\n'),
        ("use.py", "a = ['north', 'south', 'far-east']\n"),
        ("page.md", "A south search is centre, and so is north, far-east or west.\n"),
        ("page.md", "<!-- winds -->\n| `north` |\n| `south` |\n| `far-east` |\n| `centre` |\n<!-- end -->\n"),
    ],
)
def test_what_names_a_few_or_only_in_prose_is_no_list(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    assert not is_list(list(words_of(tmp_path / name)), WINDS)


def test_a_long_list_may_be_spread_over_a_file(tmp_path: Path) -> None:
    path = tmp_path / "spread.py"
    path.write_text("\n\n".join(f"use({name!r})" for name in rules_names()))
    assert is_list(list(words_of(path)), dict.fromkeys(rules_names(), ""))
    assert not is_list(list(words_of(path)), WINDS)
