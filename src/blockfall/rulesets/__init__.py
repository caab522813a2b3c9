"""Rule sets as data: TOML files, beside this module or a user's own.

>>> rules("nes-no-rotation").title
'NES Tetris without rotation'
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import tomli_w

from blockfall import _core
from blockfall.errors import FileError, SettingError, UnknownNameError, shortened
from blockfall.plugins import Registry, check_name
from blockfall.rulesets.compile import compile_rules
from blockfall.rulesets.model import MIRRORED, MOST_LEVEL, PIECES, RotationKeys, RulesFile
from blockfall.validation import check, parse_toml, read_text

__all__ = [
    "MIRRORED",
    "PIECES",
    "Rules",
    "register_rules",
    "registered_rules",
    "rotation_names",
    "rules",
    "rules_names",
    "standalone",
]

_FOLDER = Path(__file__).parent
_MOST_EXTENDS = 8


@dataclass(frozen=True, repr=False)
class Rules:
    """A rule set. Rules of the same name, file, rotation and script are equal; they can be hashed and pickle by value.

    >>> rules("nes").columns, rules("nes").visible_rows
    (10, 20)
    """

    name: str
    file: RulesFile
    """The content of its file."""
    rotation: RotationKeys
    """Its rotation system."""
    script: str = ""
    """The pieces of a script generator; empty for other generators."""

    @cached_property
    def core(self) -> _core.Rules:
        """The core's form of the rules. It is not part of the interface and may change."""
        return compile_rules(self.file, self.rotation, self.script, self.name)

    @cached_property
    def _hash(self) -> int:
        parts = (json.dumps(part.model_dump(mode="json"), sort_keys=True) for part in (self.file, self.rotation))
        return hash((self.name, *parts, self.script))

    def __hash__(self) -> int:
        return self._hash

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone: everything else is made from them."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def starting_at(self, level: int) -> "Rules":
        """Return the same rules with another start level."""
        if not 0 <= level <= MOST_LEVEL:
            raise SettingError(f"start level {level}; it must be a whole number from 0 to {MOST_LEVEL}")
        scoring = self.file.scoring.model_copy(update={"start_level": level})
        return replace(self, file=self.file.model_copy(update={"scoring": scoring}))

    def dealing(self, pieces: str) -> "Rules":
        """Return the same rules with these pieces, in order, and no others.

        >>> rules("standard").dealing("TIO").script
        'TIO'
        """
        if not pieces or set(pieces) - set(PIECES):
            raise SettingError(f"pieces {pieces[:40]!r}; they must be letters of {' '.join(PIECES)}")
        generator = self.file.generator.model_copy(update={"name": "script", "pieces": pieces, "file": ""})
        return replace(self, file=self.file.model_copy(update={"generator": generator}), script=pieces)

    @property
    def title(self) -> str:
        """The name for people."""
        return self.file.title

    @property
    def source(self) -> str:
        """The origin of the rules."""
        return self.file.source

    @cached_property
    def columns(self) -> int:
        """The columns of the board."""
        return self.file.board.columns

    @cached_property
    def rows(self) -> int:
        """All rows of the board, including hidden ones."""
        return self.file.board.rows + self.file.board.hidden_rows

    @property
    def visible_rows(self) -> int:
        """The visible rows of the board."""
        return self.file.board.rows

    def __repr__(self) -> str:
        return f"Rules({self.name!r})"


_registered: Registry[Rules] = Registry()


def rules_names() -> list[str]:
    """Return the names of the shipped rule sets.

    >>> import blockfall
    >>> "nes-no-rotation" in blockfall.rules_names()
    True
    """
    return sorted(path.stem for path in _FOLDER.glob("*.toml"))


def rotation_names() -> list[str]:
    """Return the names of the shipped rotation systems."""
    return sorted(path.stem for path in (_FOLDER / "rotations").glob("*.toml"))


def rules(name: str | Path | Rules) -> Rules:
    """Return the rule set with this name, or in this TOML file. Rules are returned unchanged.

    >>> import blockfall
    >>> blockfall.rules("standard-10x10").rows
    10
    """
    if isinstance(name, Rules):
        return name
    if not isinstance(name, str | Path):
        raise SettingError(f"rules {shortened(name)}; give a name or the path of a file")
    if isinstance(name, Path) or name.endswith(".toml") or "/" in name:
        return _load(Path(name))
    if name not in rules_names() and name in _registered.known():
        return _registered[name]
    return _built_in(name)


def registered_rules() -> list[str]:
    """Return the names of the rule sets that users registered."""
    return list(_registered.known())


def register_rules(name: str, keys: Mapping[str, Any] | Rules) -> Rules:
    """Add your own rule set, which can then be named wherever a shipped one can.

    The keys are those of a rule set's TOML file. A `Rules` object may be given instead.

    >>> import blockfall
    >>> low = blockfall.register_rules("low", {"extends": "nes", "title": "A low board", "board": {"rows": 12}})
    >>> blockfall.evaluate(rules="low", agent="dellacherie", games=3, max_pieces=10).pieces.tolist()
    [10, 10, 10]
    """
    check_name("rules", name, rules_names())
    if isinstance(keys, Rules):
        made = replace(keys, name=name)
    elif isinstance(keys, Mapping):
        made = _made(dict(keys), name, f"rules {name!r}", Path())
    else:
        raise SettingError(f"rules {shortened(name)} are a {type(keys).__name__}; give the keys of a rule set's file")
    _registered.put(name, made)
    return made


def standalone(path: Path) -> str:
    """Return the text of a rules file with its base and the pieces of its script included."""
    text = read_text(path)
    table = parse_toml(text, str(path))
    merged = _with_base(table, path.parent, str(path))
    generator = merged.get("generator")
    script = generator.get("file") if isinstance(generator, dict) else None
    if not script and not str(table.get("extends", "")).endswith(".toml"):
        return text
    merged = {key: value for key, value in merged.items() if key != "extends"}
    if isinstance(generator, dict) and script:
        merged["generator"] = {**generator, "pieces": _load(path).script, "file": ""}
    return tomli_w.dumps(merged)


@cache
def _built_in(name: str) -> Rules:
    return _load(_path_of(name))


def _path_of(name: str) -> Path:
    if name not in rules_names():
        raise UnknownNameError("rules", name, [*rules_names(), *registered_rules()])
    return _FOLDER / f"{name}.toml"


def _load(path: Path) -> Rules:
    text = read_text(path)
    shipped = path.parent == _FOLDER
    where = path.stem if shipped else str(path)
    return _made(parse_toml(text, where), path.stem, where, path.parent, text)


def _made(table: dict[str, Any], name: str, where: str, folder: Path, text: str = "") -> Rules:
    """Return the rules with these keys. Paths are relative to the folder; `text` is the file's, to name lines."""
    merged = _with_base(table, folder, where)
    drawn = merged.get("rotation")
    if isinstance(drawn, dict):
        rotation = check(RotationKeys, drawn, where, text, inside="rotation")
        merged["rotation"] = "its own"
        file = check(RulesFile, merged, where, text)
    else:
        file = check(RulesFile, merged, where, text)
        rotation = _named_rotation(file.rotation, where)
    script = _script(file, folder, where)
    found = Rules(name, file, rotation, script)
    vars(found)["core"] = compile_rules(file, rotation, script, where)  # here an error can name the file
    return found


def _with_base(table: dict[str, Any], folder: Path, where: str, depth: int = 0) -> dict[str, Any]:
    """Return the table merged over the one that it extends, key by key."""
    base = table.get("extends")
    if not isinstance(base, str) or not base:
        return table
    if depth == _MOST_EXTENDS:
        raise FileError(f"{where}: extends forms a circle, or a chain of more than {_MOST_EXTENDS} files")
    base_path = folder / base if base.endswith(".toml") else _path_of(base)
    below = _with_base(parse_toml(read_text(base_path), str(base_path)), base_path.parent, where, depth + 1)
    merged = dict(below)
    for key, value in table.items():
        under = below.get(key)
        merged[key] = under | value if isinstance(value, dict) and isinstance(under, dict) else value
    return merged


@cache
def _shipped_rotation(name: str) -> RotationKeys:
    path = _FOLDER / "rotations" / f"{name}.toml"
    text = read_text(path)
    return check(RotationKeys, parse_toml(text, name), name, text)


def _named_rotation(name: str, where: str) -> RotationKeys:
    if name not in rotation_names():
        raise FileError(
            f"{where}: rotation is {shortened(name)}; it must be one of {', '.join(rotation_names())}, or a table"
        )
    return _shipped_rotation(name)


def _script(file: RulesFile, folder: Path, where: str) -> str:
    generator = file.generator
    if generator.name != "script":
        return ""
    letters = generator.pieces
    if generator.file:
        letters = read_text(folder / generator.file)
    letters = "".join(letters.split()).upper()
    if not letters:
        raise FileError(f"{where}: a script generator needs pieces or a file")
    if wrong := set(letters) - set(PIECES):
        raise FileError(f"{where}: the script contains {sorted(wrong)[0]!r}; pieces are {' '.join(PIECES)}")
    return letters
