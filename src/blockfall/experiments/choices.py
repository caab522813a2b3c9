"""A run from a file and what the command line says beside it: options override the file.

Paths in the file start at the file's folder, paths on the command line at the working directory.
"""

import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from blockfall.errors import SettingError, shortened
from blockfall.experiments.configuration import Configuration, configuration_from, load_configuration, merged
from blockfall.experiments.run import AGENT_FILE, RESULT_FILE
from blockfall.files import is_file
from blockfall.optimisers import Optimiser, Pso, optimisers
from blockfall.validation import parse_toml, read_text


@dataclass(frozen=True)
class Choices:
    """What the options of `blockfall train` say. What is None was not said."""

    rules: str | None = None
    features: str | None = None
    start: str | None = None
    fitness: str | None = None
    pieces_known: int | None = None
    restarts: int | None = None
    seed: int | None = None
    optimiser: str | None = None
    iterations: int | None = None
    population: int | None = None
    training: int | None = None
    validation: int | None = None
    test: int | None = None
    max_pieces: int | None = None


_RUN = ("rules", "features", "start", "fitness", "pieces_known", "restarts", "seed")
_GAMES = ("training", "validation", "test", "max_pieces")


def chosen_configuration(
    choices: Choices, file: Path | None = None, plugins: Sequence[Path] = (), changes: Sequence[str] = ()
) -> Configuration:
    """The configuration of a file, or of the defaults, with the choices and then the changes made to it.

    The plugins are added to the file's. A change is a line of TOML, such as `optimiser.inertia=[0.7,0.7]`. All paths of
    the configuration are absolute.
    """
    if file:
        load_configuration(file)  # so that a fault of the file itself is told with its line
    keys = located_keys(parse_toml(read_text(file), str(file)), file.parent) if file else {}
    if choices.optimiser:  # one named here starts from its own defaults
        keys.pop("optimiser", None)
    said = _keys(choices, keys)
    if plugins:
        said["plugins"] = [*keys.get("plugins", ()), *map(str, plugins)]
    keys = merged(keys, located_keys(said, Path()))
    for change in changes:
        keys = merged(keys, located_keys(_change(change), Path()))
    return configuration_from(keys, "the command line")


def located_keys(keys: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The keys with their paths made absolute; relative ones start at the folder."""
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


def _keys(choices: Choices, keys: dict[str, Any]) -> dict[str, Any]:
    """What was said, as keys of the run's file."""
    values = {name: value for name, value in asdict(choices).items() if value is not None}
    said = {name: values[name] for name in _RUN if name in values}
    if games := {name: values[name] for name in _GAMES if name in values}:
        said["games"] = games
    optimiser = {"iterations": choices.iterations} if choices.iterations is not None else {}
    before = keys.get("optimiser")
    named = choices.optimiser or (before.get("name") if isinstance(before, dict) else None) or Pso.name
    if choices.population is not None:
        optimiser[optimisers().get(str(named), Optimiser).size] = choices.population
    if optimiser or choices.optimiser:
        said["optimiser"] = {"name": named, **optimiser}
    return said


def _change(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise SettingError(f"--set {shortened(text)}: not TOML; write KEY=VALUE, strings in quotes") from None
    except (ValueError, RecursionError):
        raise SettingError(f"--set {shortened(text)}: a number of too many digits, or nested too deeply") from None
