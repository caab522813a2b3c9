"""A run from a file and the options of `blockfall train`, which override the file.

Every setting with a title has an option, whose help is that title. Paths in the file are relative to the file's folder,
paths on the command line to the working directory.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blockfall.errors import SettingError, shortened
from blockfall.experiments.configuration import (
    Configuration,
    GameSettings,
    configuration_from,
    load_configuration,
    merged,
)
from blockfall.experiments.run import AGENT_FILE, RESULT_FILE
from blockfall.files import is_file
from blockfall.optimisers import Optimiser, Pso, optimisers
from blockfall.validation import Settings, parse_toml, read_text


@dataclass(frozen=True)
class TrainOption:
    """An option of `blockfall train` for a setting."""

    name: str
    kind: type[int] | type[str]
    help: str
    table: str = ""
    """The setting's table in a run's file; empty for the top level."""


def _titled(model: type[Settings], table: str = "") -> list[TrainOption]:
    fields = [(name, field) for name, field in model.model_fields.items() if field.title]
    kinds = [int if field.annotation in (int, int | None) else str for _, field in fields]
    return [
        TrainOption(name, kind, field.title or "", table) for (name, field), kind in zip(fields, kinds, strict=True)
    ]


POPULATION = TrainOption("population", int, "The number of candidates, or particles, per iteration.", "optimiser")
"""The option for the candidates of an iteration, a setting with several names."""

TRAIN_OPTIONS = {
    option.name: option
    for option in (
        *_titled(Configuration),
        *_titled(Optimiser, "optimiser"),
        POPULATION,
        *_titled(GameSettings, "games"),
    )
}
"""The options of `blockfall train` for settings of a run, by name."""


def chosen_configuration(
    choices: Mapping[str, Any], file: Path | None = None, plugins: Sequence[Path] = (), changes: Sequence[str] = ()
) -> Configuration:
    """Return the configuration of a file, or of the defaults, changed by options, plugins and then `--set`.

    `choices` are the values of `TRAIN_OPTIONS`; None means not given. The plugins are added to the file's. A change is
    a line of TOML, such as `optimiser.inertia=[0.7,0.7]`. All paths of the configuration are absolute.
    """
    given = {name: value for name, value in choices.items() if value is not None}
    if "optimiser" in given and "learning" in given:
        raise SettingError(f"both --optimiser {given['optimiser']} and --learning {given['learning']}; choose one")
    if file:
        load_configuration(file)  # an error in the file itself then names its line
    keys = located_keys(parse_toml(read_text(file), str(file)), file.parent) if file else {}
    if "optimiser" in given or "learning" in given:  # a trainer named by an option starts from its own defaults
        keys = {key: value for key, value in keys.items() if key not in ("optimiser", "learning")}
    said = _keys(given, keys)
    if plugins:
        said["plugins"] = [*keys.get("plugins", ()), *map(str, plugins)]
    keys = merged(keys, located_keys(said, Path()))
    for change in changes:
        keys = merged(keys, located_keys(_change(change), Path()))
    return configuration_from(keys, "the command line")


def located_keys(keys: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return the keys with absolute paths; relative ones are taken from the folder."""
    found = dict(keys)
    rules, plugins, start = keys.get("rules"), keys.get("plugins"), keys.get("start")
    if isinstance(rules, str) and rules.endswith(".toml"):
        found["rules"] = str((folder / rules).absolute())
    if isinstance(plugins, list) and all(isinstance(plugin, str) for plugin in plugins):
        found["plugins"] = [str((folder / plugin).absolute()) for plugin in plugins]
    if isinstance(start, str) and start.endswith(".json"):
        found["start"] = str((folder / start).absolute())
    elif isinstance(start, str) and start and is_file(folder / start / RESULT_FILE):
        found["start"] = str((folder / start / AGENT_FILE).absolute())
    return found


def _keys(given: dict[str, Any], keys: dict[str, Any]) -> dict[str, Any]:
    """Return the given options as keys of a run's file."""
    said: dict[str, Any] = {}
    for name, value in given.items():
        option = TRAIN_OPTIONS[name]
        if name in ("optimiser", "learning"):
            said.setdefault(name, {})["name"] = value
        elif option.table:
            said.setdefault(option.table, {})[name] = value
        else:
            said[name] = value
    if "optimiser" in said:
        if "learning" in said or "learning" in keys:
            alone = next(name for name in given if TRAIN_OPTIONS[name].table == "optimiser")
            raise SettingError(f"--{alone} is for optimisers; learning has its own settings: --set learning.stages=10")
        before = keys.get("optimiser")
        name = (before.get("name") if isinstance(before, dict) else None) or Pso.name
        said["optimiser"] = {"name": name, **said["optimiser"]}
        if POPULATION.name in said["optimiser"]:
            size = optimisers().get(str(said["optimiser"]["name"]), Optimiser).size
            said["optimiser"][size] = said["optimiser"].pop(POPULATION.name)
    return said


def _change(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise SettingError(f"--set {shortened(text)}: not TOML; write KEY=VALUE, strings in quotes") from None
    except (ValueError, RecursionError):
        raise SettingError(f"--set {shortened(text)}: a number of too many digits, or nested too deeply") from None
