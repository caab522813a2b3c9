"""A run, described by one TOML file: what is trained, how, and on which games.

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

Training, validation and test games come from three different streams of random numbers, whatever the seed: they never
share a game, and no setting can make them.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import Field, field_validator, model_validator

from blockfall.agents import (
    Agent,
    FeatureNetwork,
    Guard,
    GuardKeys,
    LookAhead,
    Table,
    UnknownPieceKeys,
    Value,
    WeightedFeatures,
)
from blockfall.agents.values.network import MOST_LAYERS, MOST_NEURONS
from blockfall.errors import BlockfallError, FileError, UnknownNameError
from blockfall.experiments.fitness import MEAN_WEIGHT, RECORD_WEIGHT, FitnessKind
from blockfall.features import feature_list, load_plugin
from blockfall.learning import LearningSettings, learning_settings
from blockfall.optimisers import OPTIMISERS, Settings, find, settings_of
from blockfall.rulesets import Rules, rules
from blockfall.validation import Model, check, parse_toml, read_text

_MOST_GAMES = 10_000_000
PIECES_UP_TO = 1_000_000  # data2021, 5.2: a line scores millions, so what a score has below them is its pieces


class Games(Model):
    """How many games, and how long."""

    training: int = Field(default=25, ge=1, le=_MOST_GAMES, description=f"a whole number from 1 to {_MOST_GAMES}")
    validation: int = Field(default=250, ge=1, le=_MOST_GAMES, description=f"a whole number from 1 to {_MOST_GAMES}")
    test: int = Field(default=20_000, ge=1, le=_MOST_GAMES, description=f"a whole number from 1 to {_MOST_GAMES}")
    max_pieces: int | None = Field(default=None, ge=1, description="a whole number, at least 1: ends longer games")
    max_test_pieces: int | None = Field(
        default=None, ge=1, description="a whole number, at least 1: the same of validation and test, where it differs"
    )
    until_limit: bool = Field(
        default=False, description="true to end a restart once a candidate's training games all reach max_pieces"
    )
    fresh: bool = Field(
        default=False, description="true for new training games in every iteration, false for the same in all"
    )


class Configuration(Model):
    """A run's file; what it leaves out has these defaults."""

    name: str = Field(default="", max_length=100, description="a string: the trained agent's name")
    rules: str = Field(default="nes-no-rotation", description="a rule set, or a TOML file's path")
    features: tuple[str, ...] = Field(
        default=("soster-1",),
        max_length=128,
        validate_default=True,
        description="a group, or a list of features and groups",
    )
    plugins: tuple[str, ...] = Field(default=(), description="a list of Python files that register features")
    hidden: tuple[int, ...] = Field(
        default=(), max_length=MOST_LAYERS, description="a list of the hidden layers' neurons; empty for no network"
    )
    pieces_known: int = Field(default=2, ge=1, le=8, description="a whole number from 1 to 8")
    guard: GuardKeys | None = Field(default=None, description="a table of max_height and bumpiness")
    unknown_piece: UnknownPieceKeys | None = Field(default=None, description="a table of best and loss")
    fitness: FitnessKind = Field(default="mean", description='"mean", "record", "weighted" or "score"')
    record_weight: float = Field(default=RECORD_WEIGHT, ge=0, le=1e6, description="a number, 0 or more")
    mean_weight: float = Field(default=MEAN_WEIGHT, ge=0, le=1e6, description="a number, 0 or more")
    restarts: int = Field(default=1, ge=1, le=10_000, description="a whole number from 1 to 10000")
    seed: int = Field(default=1, ge=0, lt=2**63, description="a whole number, 0 or more")
    optimiser: dict[str, Any] = Field(default_factory=lambda: {"name": "pso"}, description="a table with a name")
    learning: dict[str, Any] | None = Field(default=None, description="a table with a name, in place of an optimiser")
    games: Games = Field(default_factory=Games, description="a table")

    @model_validator(mode="before")
    @classmethod
    def _a_table_has_no_features(cls, table: object) -> object:
        if isinstance(table, dict) and _learns_a_table(table.get("learning")):
            return {"features": (), "pieces_known": 1} | table
        return table

    @field_validator("features", mode="before")
    @classmethod
    def _features_are_a_list(cls, value: object) -> object:
        if isinstance(value, str):
            value = value.split(",")
        return tuple(value) if isinstance(value, list) else value

    @field_validator("plugins", "hidden", mode="before")
    @classmethod
    def _lists_are_tuples(cls, value: object) -> object:
        return tuple(value) if isinstance(value, list) else value

    @field_validator("features", mode="after")
    @classmethod
    def _features_exist(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        try:
            return feature_list(",".join(value)) if value else ()
        except BlockfallError as error:
            raise ValueError(str(error)) from None

    @model_validator(mode="after")
    def _weighs_something(self) -> "Configuration":
        if self.fitness == "weighted" and self.record_weight + self.mean_weight <= 0:
            raise ValueError("record_weight and mean_weight are both 0; one must be more")
        return self

    @model_validator(mode="after")
    def _can_be_made(self) -> "Configuration":
        if any(not 1 <= width <= MOST_NEURONS for width in self.hidden):
            raise ValueError(f"hidden is {list(self.hidden)}; a layer has 1 to {MOST_NEURONS} neurons")
        if self.has_table:
            if self.features or self.hidden or self.guard or self.unknown_piece:
                raise ValueError("a table has no features, hidden, guard or unknown_piece; leave them out")
        elif not self.features:
            raise ValueError("features is empty; it must be a group, or a list of features and groups")
        elif self.learning is not None and not self.hidden:
            raise ValueError("learning needs a network; say hidden = [32, 32, 32]")
        if self.learning is not None and self.pieces_known != 1:
            raise ValueError(f"pieces_known is {self.pieces_known}; learning is with 1")
        if self.learning is not None and (self.games.until_limit or self.games.fresh):
            raise ValueError("games.until_limit and games.fresh are an optimiser's; learning has no use for them")
        if self.games.until_limit and (self.fitness != "score" or self.games.max_pieces is None):
            raise ValueError('games.until_limit needs fitness "score" and games.max_pieces')
        return self

    @property
    def has_table(self) -> bool:
        return _learns_a_table(self.learning)

    @property
    def trainer(self) -> str:
        """The name of the optimiser, or of the way of learning."""
        return self.learned.name if self.learned else self.optimiser_name

    @property
    def iterations(self) -> int:
        """Of a restart, at most."""
        return self.learned.stages if self.learned else self.settings.iterations

    @property
    def learned(self) -> LearningSettings | None:
        return learning_settings(self.learning) if self.learning is not None else None

    @property
    def dimensions(self) -> int:
        """Numbers that a training finds."""
        return len(self.template.value.parameters)

    @property
    def optimiser_name(self) -> str:
        return str(self.optimiser["name"])

    @property
    def settings(self) -> Settings:
        return settings_of(self.optimiser_name, {key: v for key, v in self.optimiser.items() if key != "name"})

    def game_rules(self, folder: Path) -> Rules:
        """The rule set; a file's path is relative to the run's folder."""
        return rules(str(folder / self.rules) if self.rules.endswith(".toml") else self.rules)

    @property
    def template(self) -> Agent:
        """The agent before training: every number of its value is 0."""
        guard, ahead = self.guard, self.unknown_piece
        return Agent(
            self.name or f"{self.trainer}-{self.fitness}",
            self._untrained(),
            self.pieces_known,
            Guard(guard.max_height, guard.bumpiness) if guard else None,
            LookAhead(ahead.best, ahead.loss) if ahead else None,
            f"trained on {self.rules} by {self.trainer}, fitness {self.fitness}, seed {self.seed}",
        )

    def agent(self, parameters: Sequence[float]) -> Agent:
        """The agent with these numbers, as a training found them."""
        return self.template.with_parameters(parameters)

    def _untrained(self) -> Value:
        if self.has_table:
            return Table.zeros()
        if self.hidden:
            return FeatureNetwork.zeros(self.features, self.hidden)
        return WeightedFeatures(dict.fromkeys(self.features, 0.0))

    def as_table(self) -> dict[str, Any]:
        table = self.model_dump(mode="json", exclude_none=True)
        # What says nothing is left out, so that old runs keep their files.
        return {key: value for key, value in table.items() if key not in ("features", "hidden", "optimiser") or value}

    def as_toml(self) -> str:
        return tomli_w.dumps(self.as_table())


def _learns_a_table(learning: object) -> bool:
    return isinstance(learning, dict) and learning.get("name") == "table"


def load_configuration(path: Path) -> Configuration:
    """A run's file; its rules and plugins are found relative to it."""
    text = read_text(path)
    return configuration_from(parse_toml(text, str(path)), str(path), text, path.parent)


def configuration_from(table: dict[str, Any], where: str, text: str = "", folder: Path = Path()) -> Configuration:
    """A checked table, with every setting of the optimiser filled in. `text` is the file's, to name lines."""
    for plugin in _strings(table.get("plugins")):
        load_plugin(folder / plugin)
    if "learning" in table and table.get("optimiser"):
        raise FileError(f"{where}: both an optimiser and learning; a run has one of them")
    configuration = check(Configuration, table, where, text)
    _check_until_limit(configuration, where, folder)
    if configuration.learning is not None:
        learned = _filled_learning(configuration.learning, where, text)
        return configuration.model_copy(update={"learning": learned, "optimiser": {}})
    name = configuration.optimiser.get("name")
    try:
        kind = find(name) if isinstance(name, str) else None
    except BlockfallError as error:
        raise FileError(f"{where}: optimiser.name: {error}") from None
    if kind is None:
        raise FileError(f"{where}: optimiser.name is {name!r}; it must be one of {', '.join(OPTIMISERS)}")
    given = {key: value for key, value in configuration.optimiser.items() if key != "name"}
    settings = settings_of(kind.name, given, where, text)
    filled = {"name": kind.name, **settings.model_dump(mode="json", exclude_none=True)}
    return configuration.model_copy(update={"optimiser": filled})


def _filled_learning(table: dict[str, Any], where: str, text: str) -> dict[str, Any]:
    try:
        return learning_settings(table, where, text).model_dump(mode="json")
    except UnknownNameError as error:
        raise FileError(f"{where}: learning.name: {error}") from None


def _check_until_limit(configuration: Configuration, where: str, folder: Path) -> None:
    try:
        scoring = configuration.game_rules(folder).file.scoring
    except UnknownNameError as error:
        raise FileError(f"{where}: rules: {error}") from None
    games = configuration.games
    if not games.until_limit:
        return
    if scoring.piece != 1 or any(n % PIECES_UP_TO for n in scoring.lines):
        raise FileError(f"{where}: games.until_limit needs rules that score 1 per piece and millions per line")
    if games.training * (games.max_pieces or 0) >= PIECES_UP_TO:
        raise FileError(f"{where}: games.until_limit needs less than a million pieces in all training games together")


def _strings(value: object) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []


def merged(table: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """The table with some values changed, inner tables value by value."""
    result = dict(table)
    for key, value in changes.items():
        inner = result.get(key)
        result[key] = merged(inner, value) if isinstance(value, dict) and isinstance(inner, dict) else value
    return result
