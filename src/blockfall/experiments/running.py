"""Runs from Python: train an agent, and continue a stopped run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from blockfall.compute import Backend
from blockfall.compute import backend as find_backend
from blockfall.errors import SettingError
from blockfall.experiments.choices import located_keys
from blockfall.experiments.configuration import Configuration, GameSettings, configuration_from, load_configuration
from blockfall.experiments.fitness import FitnessKind
from blockfall.experiments.result import Result
from blockfall.experiments.run import create_run, open_run
from blockfall.experiments.training import Training, TrainingWatch
from blockfall.learning import LearningMethod
from blockfall.optimisers import Optimiser
from blockfall.rulesets import Rules, registered_rules, rules_names
from blockfall.rulesets import rules as find_rules
from blockfall.store import Store, opened
from blockfall.validation import parse_toml, read_text


def train(
    configuration: Configuration | Path | str | None = None,
    *,
    out: Path | str,
    rules: Rules | str | None = None,
    features: str | Sequence[str] | None = None,
    optimiser: Optimiser | None = None,
    learning: LearningMethod | None = None,
    fitness: FitnessKind | None = None,
    pieces_known: int | None = None,
    hidden: Sequence[int] | None = None,
    start: Path | str | None = None,
    restarts: int | None = None,
    seed: int | None = None,
    games: GameSettings | None = None,
    name: str | None = None,
    plugins: Sequence[Path | str] | None = None,
    backend: Backend | str | None = None,
    progress: TrainingWatch | None = None,
    store: Store | None = None,
) -> Result:
    """Train an agent: a run in the folder `out` that can be stopped at any time and resumed to the same result.

    The run is described by a `Configuration`, by the path of a TOML file, or by the other arguments alone. These
    override the settings that they name; all others have the defaults of `Configuration`. `start` is the name or file
    of an agent, or the folder of a finished run, from which learning continues. `progress` is called after every
    iteration. The default store is the one under BLOCKFALL_HOME.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import blockfall
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = blockfall.train(
    ...         rules="nes-no-rotation",
    ...         features="soster-1",
    ...         optimiser=blockfall.CmaEs(step=0.5, iterations=3),
    ...         games=blockfall.GameSettings(training=2, validation=5, test=10),
    ...         out=Path(folder, "run"),
    ...         store=blockfall.Store(Path(folder, "store.sqlite3")),
    ...     )
    >>> result.test.lines.n
    10
    """
    arguments = locals()
    given = {key: arguments[key] for key in Configuration.model_fields if arguments.get(key) is not None}
    keys = _keys_of(configuration)
    if optimiser is not None or learning is not None:
        keys = {key: value for key, value in keys.items() if key not in ("optimiser", "learning")}
    checked = configuration_from(keys | located_keys(_written(given), Path()), "train")
    plays_on = find_backend(backend)
    with opened(store) as kept:
        return Training(kept, create_run(kept, checked, Path(out), backend=plays_on), plays_on, progress).complete()


def resume(
    folder: Path | str,
    *,
    backend: Backend | str | None = None,
    progress: TrainingWatch | None = None,
    store: Store | None = None,
) -> Result:
    """Continue a stopped run. It ends with the result that it would have had without the stop.

    >>> import tempfile
    >>> from pathlib import Path
    >>> import blockfall
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = blockfall.Store(Path(folder, "store.sqlite3"))
    ...     few = blockfall.GameSettings(training=1, validation=2, test=3)
    ...     search = blockfall.RandomSearch(iterations=1, population=2)
    ...     done = blockfall.train(optimiser=search, games=few, out=Path(folder, "first"), store=store)
    ...     blockfall.resume(Path(folder, "first"), store=store) == done
    True
    """
    with opened(store) as kept:
        return Training(kept, open_run(kept, Path(folder)), find_backend(backend), progress).complete()


def _keys_of(configuration: Configuration | Path | str | None) -> dict[str, Any]:
    if configuration is None:
        return {}
    if isinstance(configuration, Configuration):
        return located_keys(configuration.as_keys(), Path())
    path = Path(configuration)
    load_configuration(path)  # an error in the file itself then names its line
    return located_keys(parse_toml(read_text(path), str(path)), path.parent)


def _written(given: dict[str, Any]) -> dict[str, Any]:
    """Return Python's arguments as the keys of a run's file."""
    written = dict(given)
    for name in ("features", "hidden", "plugins"):
        if name in given and not isinstance(given[name], str):
            written[name] = [str(item) if isinstance(item, Path) else item for item in given[name]]
    if "rules" in given:
        written["rules"] = _name_of(given["rules"])
    if "start" in given:
        written["start"] = str(given["start"])
    return written


def _name_of(rules: Rules | str) -> str:
    if isinstance(rules, str):
        return rules
    if rules.name not in [*rules_names(), *registered_rules()] or find_rules(rules.name) != rules:
        raise SettingError(f"rules {rules.name!r} are your own; register them, or give the path of their TOML file")
    return rules.name
