"""The configuration of a run, one TOML file: what is trained, how, and on which games.

    rules = "nes-no-rotation"
    features = "soster-1"
    pieces_known = 2
    fitness = "mean"
    restarts = 5
    seed = 1

    [optimiser]
    name = "pso"
    iterations = 150
    particles = 30

    [games]
    training = 25
    validation = 250
    test = 20000

Training, validation and test games come from three different streams of random numbers. They never share a game,
whatever the seed and the settings.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import Field, ValidationInfo, field_validator, model_validator

from blockfall.agents import Agent, GuardKeys, UnknownPieceKeys, Value
from blockfall.agents import agent as find_agent
from blockfall.agents.values.network import MOST_LAYERS, MOST_NEURONS, parameter_count
from blockfall.compute import Backend
from blockfall.compute.request import MOST_TRIES
from blockfall.errors import BlockfallError, FileError, UnknownNameError
from blockfall.experiments.fitness import MEAN_WEIGHT, RECORD_WEIGHT, FitnessKind
from blockfall.features import feature_list
from blockfall.files import is_file
from blockfall.learning import METHODS, Beginning, LearningMethod, learning_from
from blockfall.optimisers import OPTIMISERS, Optimiser, Pso, optimiser_from
from blockfall.plugins import load_plugin
from blockfall.rulesets import Rules, rules
from blockfall.trainers import Trainer, TrainerRegistry
from blockfall.validation import Settings, check, parse_toml, read_text, whole_number

_MOST_GAMES = 10_000_000
_TRUSTED = "trusted"
"""The context of a stored configuration: its features are complete, and may come from a plugin that is gone."""
_TRAINERS: dict[str, TrainerRegistry[Any]] = {"optimiser": OPTIMISERS, "learning": METHODS}
"""The registries of trainers, by their table in a run's file."""


class GameSettings(Settings):
    """The number of games that a run plays, and their length.

    >>> import blockfall
    >>> blockfall.GameSettings(training=10, test=500).validation
    250
    """

    training: int = whole_number(1, _MOST_GAMES, 25, title="The number of training games per candidate.")
    validation: int = whole_number(1, _MOST_GAMES, 250, title="The number of validation games per restart.")
    test: int = whole_number(1, _MOST_GAMES, 20_000, title="The number of test games.")
    max_pieces: int | None = Field(
        title="The most pieces per game.",
        default=None,
        ge=1,
        description="a whole number, at least 1: ends longer games",
    )
    max_test_pieces: int | None = Field(
        default=None, ge=1, description="a whole number, at least 1: the limit in validation and test, if different"
    )
    tries: int | None = whole_number(1, MOST_TRIES, None, more=": estimates training games by this many tries")
    until_limit: bool = Field(
        default=False, description="true to end a restart once all training games of a candidate reach max_pieces"
    )
    fresh: bool = Field(
        default=False, description="true for new training games in every iteration, false for the same games in all"
    )


class Configuration(Settings):
    """The content of a run's file, with defaults for keys that the file leaves out.

    >>> import blockfall
    >>> configuration = blockfall.Configuration(features="soster-1", optimiser=blockfall.CmaEs(step=0.5), restarts=3)
    >>> configuration.trainer.name, configuration.games.test
    ('cma-es', 20000)
    """

    name: str = Field(default="", max_length=100, description="a string: the trained agent's name")
    rules: str = Field(
        title="The rule set, or your own TOML file.",
        default="nes-no-rotation",
        description="a rule set, or a TOML file's path",
    )
    features: tuple[str, ...] = Field(
        title="Features and groups, separated by commas.",
        default=("soster-1",),
        max_length=128,
        validate_default=True,
        description="a group, or a list of features and groups",
    )
    plugins: tuple[str, ...] = Field(default=(), description="a list of Python files that register features")
    hidden: tuple[int, ...] = Field(
        default=(), max_length=MOST_LAYERS, description="a list of the hidden layers' neurons; empty for no network"
    )
    start: str = Field(
        title="An agent, or a finished run's folder, to continue learning from.",
        default="",
        max_length=4096,
        description="an agent's name or file, or the folder of a finished run, from which learning continues",
    )
    pieces_known: int = whole_number(1, 8, 2, title="The number of pieces that the agent knows, 1 to 8.")
    guard: GuardKeys | None = Field(default=None, description="a table of max_height and bumpiness")
    unknown_piece: UnknownPieceKeys | None = Field(default=None, description="a table of best and loss")
    fitness: FitnessKind = Field(
        title="The fitness: mean, record, weighted or score.",
        default="mean",
        description='"mean", "record", "weighted" or "score"',
    )
    record_weight: float = Field(default=RECORD_WEIGHT, ge=0, le=1e6, description="a number, 0 or more")
    mean_weight: float = Field(default=MEAN_WEIGHT, ge=0, le=1e6, description="a number, 0 or more")
    restarts: int = whole_number(1, 10_000, 1, title="The number of trainings. The best one in validation is kept.")
    seed: int = Field(
        title="The seed of all random choices.", default=1, ge=0, lt=2**63, description="a whole number, 0 or more"
    )
    optimiser: Optimiser | None = Field(
        title="The optimiser: see `blockfall optimisers`.", default=None, description="a table with a name"
    )
    """The optimiser that trains the agent; PSO if neither an optimiser nor learning is given."""
    learning: LearningMethod | None = Field(
        title="The way of learning, instead of an optimiser: see `blockfall methods`.",
        default=None,
        description="a table with a name, instead of an optimiser",
    )
    games: GameSettings = Field(default_factory=GameSettings, description="a table")

    @model_validator(mode="before")
    @classmethod
    def _trainers_bring_defaults(cls, keys: object) -> object:
        if not isinstance(keys, dict):
            return keys
        learning = keys.get("learning")
        if isinstance(learning, LearningMethod):
            no_features = {} if learning.sees_features else {"features": ()}
            return {"pieces_known": learning.known[0], **no_features, **keys}
        if keys.get("learning") is None and keys.get("optimiser") is None:
            return keys | {"optimiser": Pso()}
        return keys

    @field_validator("features", mode="before")
    @classmethod
    def _features_are_a_list(cls, value: object) -> object:
        return tuple(value.split(",")) if isinstance(value, str) else value

    @field_validator("features", mode="after")
    @classmethod
    def _features_exist(cls, value: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if info.context == _TRUSTED:
            return value
        try:
            return feature_list(",".join(value)) if value else ()
        except BlockfallError as error:
            raise ValueError(str(error)) from None

    @model_validator(mode="after")
    def _weighs_something(self) -> "Configuration":
        if self.fitness == "weighted" and self.record_weight + self.mean_weight <= 0:
            raise ValueError("record_weight and mean_weight are both 0; at least one must be more")
        return self

    @model_validator(mode="after")
    def _can_be_made(self, info: ValidationInfo) -> "Configuration":
        if info.context == _TRUSTED:
            return self
        if self.optimiser is not None and self.learning is not None:
            raise ValueError("both an optimiser and learning; a run has one of them")
        if any(not 1 <= width <= MOST_NEURONS for width in self.hidden):
            raise ValueError(f"hidden is {list(self.hidden)}; a layer has 1 to {MOST_NEURONS} neurons")
        learning = self.learning
        if learning is not None and any(getattr(self, key) for key in learning.refused_keys):
            *keys, last = learning.refused_keys
            raise ValueError(f"{learning.learns.title} has no {', '.join(keys)} or {last}; leave them out")
        if not self.features and (learning is None or learning.sees_features):
            raise ValueError("features is empty; it must be a group, or a list of features and groups")
        if learning is not None and learning.needs_network and not self.hidden:
            raise ValueError("learning needs a network; set hidden = [32, 32, 32]")
        if learning is not None and not learning.needs_network and self.hidden:
            raise ValueError(f"{learning.name} learns {learning.learns.title}; leave hidden out")
        if self.start and self.learning is None:
            raise ValueError("start is for learning; an optimiser begins with random weights")
        if learning is not None and self.pieces_known not in learning.known:
            known = " or ".join(str(pieces) for pieces in sorted(learning.known))
            raise ValueError(f"pieces_known is {self.pieces_known}; for learning it must be {known}")
        if learning is not None and (self.games.until_limit or self.games.fresh):
            raise ValueError("games.until_limit and games.fresh are for optimisers; leave them out when learning")
        games = self.games
        if games.tries and (games.max_pieces or self.fitness == "score"):
            raise ValueError("games.tries estimates the lines of whole games; leave out max_pieces and the score")
        if games.tries and not games.max_test_pieces:
            raise ValueError("games.tries is for games too long to play; set games.max_test_pieces to end test games")
        if self.games.until_limit and self.games.max_pieces is None:
            raise ValueError("games.until_limit needs games.max_pieces")
        return self

    @property
    def trainer(self) -> Trainer:
        """The optimiser or the way of learning that trains the agent."""
        trainer = self.learning or self.optimiser
        assert trainer is not None, "a configuration has one of them"
        return trainer

    @property
    def iterations(self) -> int:
        """The most iterations of a restart; its stages if it learns."""
        return self.trainer.step_count

    @property
    def test_limit(self) -> int | None:
        """The piece limit of validation and test games."""
        games = self.games
        return games.max_test_pieces if games.max_test_pieces is not None else games.max_pieces

    @property
    def dimensions(self) -> int:
        """The number of parameters that a training finds."""
        if self.hidden:
            return parameter_count(len(self.features), self.hidden)
        return len(self.template.value.parameters)

    def game_rules(self, folder: Path) -> Rules:
        """Return the rule set; a file's path is relative to the run's folder."""
        return rules(str(folder / self.rules) if self.rules.endswith(".toml") else self.rules)

    def first_agent(self, folder: Path) -> Agent | None:
        """Return the agent that learning starts from, if any; a file's path is relative to the run's folder."""
        if not self.start:
            return None
        return find_agent(folder / self.start if self.start.endswith(".json") else self.start)

    def beginning(self, folder: Path, restart: int = 0, backend: Backend | None = None) -> Beginning:
        """Return the beginning of a restart of learning; the paths of files are relative to the run's folder."""
        first = self.first_agent(folder)
        shape = self.features, self.hidden, self.pieces_known
        return Beginning(self.game_rules(folder), *shape, self.seed, restart, first, backend)

    @property
    def template(self) -> Agent:
        """The agent before training, whose numbers are all 0. A board network has none."""
        return self.playing_by(self.trainer.untrained(self.features, self.hidden))

    def playing_by(self, value: Value) -> Agent:
        """Return the agent with this value."""
        trainer = self.trainer.name
        return Agent(
            self.name or f"{trainer}-{self.fitness}",
            value,
            self.pieces_known,
            self.guard.made() if self.guard else None,
            self.unknown_piece.made() if self.unknown_piece else None,
            f"trained on {self.rules} by {trainer}, fitness {self.fitness}, seed {self.seed}",
        )

    def agent(self, parameters: Sequence[float]) -> Agent:
        """Return the agent with these numbers, which a training found."""
        return self.template.with_parameters(parameters)

    def as_keys(self) -> dict[str, Any]:
        """Return all keys of the run's file."""
        keys = self.model_dump(mode="json", exclude_none=True, exclude={"optimiser", "learning", "games"})
        # Empty keys are left out, so that the files of older runs, which lack these keys, stay the same.
        keys = {key: value for key, value in keys.items() if key not in ("features", "hidden", "start") or value}
        if self.optimiser is not None:
            keys["optimiser"] = self.optimiser.as_keys()
        if self.learning is not None:
            keys["learning"] = self.learning.as_keys()
        return {**keys, "games": self.games.model_dump(mode="json", exclude_none=True)}

    def as_toml(self) -> str:
        """Return the complete run's file."""
        return tomli_w.dumps(self.as_keys())


def load_configuration(path: Path) -> Configuration:
    """Read a run's file. Its paths are relative to its folder."""
    text = read_text(path)
    return configuration_from(parse_toml(text, str(path)), str(path), text, path.parent)


def configuration_from(keys: dict[str, Any], where: str, text: str = "", folder: Path = Path()) -> Configuration:
    """Return the configuration of a run's keys, checked. `text` is the file's, to name lines in errors.

    Paths are relative to `folder`. An optimiser and a way of learning may also be objects.
    """
    for plugin in _strings(keys.get("plugins")):
        if not is_file(folder / plugin):
            raise FileError(f"{where}: plugins: {folder / plugin}: no such file")
        load_plugin(folder / plugin)
    configuration = check(Configuration, _with_trainer(keys, where, text), where, text)
    try:
        game_rules = configuration.game_rules(folder)
    except UnknownNameError as error:
        raise FileError(f"{where}: rules: {error}") from None
    try:
        if configuration.learning is not None:
            configuration.learning.check_rules(game_rules, configuration.pieces_known)
    except BlockfallError as error:
        raise FileError(f"{where}: {error}") from None
    _check_start(configuration, where, folder)
    return configuration


def _check_start(configuration: Configuration, where: str, folder: Path) -> None:
    try:
        if configuration.start and configuration.learning is not None:
            beginning = configuration.beginning(folder)
            configuration.learning.check_first(beginning)
            configuration.playing_by(beginning.first_agent.value).check_rules(beginning.rules)
    except BlockfallError as error:
        raise FileError(f"{where}: start: {error}") from None


def stored_configuration(text: str, where: str) -> Configuration:
    """Read a configuration that `as_toml` wrote. Its rules, plugins and features need not exist any more."""
    keys = parse_toml(text, where)
    for table, kinds in _TRAINERS.items():
        if isinstance(keys.get(table), dict):
            keys[table] = kinds.stored(keys[table], where, text, _TRUSTED)
    return check(Configuration, keys, where, text, context=_TRUSTED)


def _with_trainer(keys: dict[str, Any], where: str, text: str) -> dict[str, Any]:
    """Return the keys with the trainer's table as an object."""
    found = dict(keys)
    learning, optimiser = keys.get("learning"), keys.get("optimiser")
    if isinstance(learning, dict):
        found["learning"] = learning_from(learning, where, text)
    if isinstance(optimiser, dict):
        found["optimiser"] = optimiser_from(optimiser, where, text) if optimiser or learning is None else None
    return found


def _strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []


def merged(keys: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return the keys with some values changed, inner tables value by value."""
    result = dict(keys)
    for key, value in changes.items():
        inner = result.get(key)
        result[key] = merged(inner, value) if isinstance(value, dict) and isinstance(inner, dict) else value
    return result
