"""A training before it starts: a visitor's choices as a configuration within limits, and an estimate of its cost."""

import time
import tomllib
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from blockfall.agents import Agent
from blockfall.app.parts.forms import FormField, fields_of
from blockfall.app.parts.progress import duration
from blockfall.compute import Purpose, evaluate_population
from blockfall.errors import SettingError
from blockfall.experiments.configuration import Configuration, GameSettings, configuration_from
from blockfall.experiments.overview import Overview, readable
from blockfall.features import built_in_features, custom_features, groups
from blockfall.learning import find_method, methods
from blockfall.optimisers import find_optimiser, optimisers
from blockfall.rulesets import rules_names
from blockfall.store import Store
from blockfall.trainers import Trainer

_DATA = tomllib.loads((Path(__file__).parent / "budgets.toml").read_text(encoding="utf-8"))
LIMITS: dict[str, int] = _DATA["limits"]
BUDGETS: dict[str, dict[str, Any]] = _DATA["budget"]
_OF_TRAINER: dict[str, dict[str, int]] = _DATA["of_trainer"]
"""Smaller limits of some trainers."""
_WORDS = {"numbers": "numbers in the agent"}
_LIMITED_AS = {"stages": "iterations", "particles": "population", "max_test_pieces": "max_pieces"}
_PROBED_CANDIDATES = 8
_PROBED_S = 0.15  # the least time of a probe: a shorter one measures noise
_MOST_PROBED_GAMES = 512
_RUNS_LOOKED_AT = 60
_PROBED_NUMBERS = 500  # agents with more numbers are slower and probed for fewer pieces
_PROBED_PIECES = {1: 400, 2: 100, 3: 5}  # by pieces known: each further piece means thirty times as many boards


def trainers() -> dict[str, str]:
    """Return the title of every optimiser and way of learning by name."""
    learned = {name: f"{method.title} ({name})" for name, method in methods().items()}
    return {name: kind.title for name, kind in optimisers().items()} | learned


def kind_of(trainer: str) -> type[Trainer]:
    """Return the optimiser, or the way of learning, of this name."""
    return find_method(trainer) if learns(trainer) else find_optimiser(trainer)


def learns(trainer: str) -> bool:
    """Return whether it is a way of learning, not an optimiser."""
    return trainer in methods()


def needs_network(trainer: str) -> bool:
    """Return whether it is a way of learning that makes a network over features."""
    return learns(trainer) and find_method(trainer).needs_network


def pieces_known(trainer: str) -> int | None:
    """Return a way of learning's default number of pieces known; None for an optimiser."""
    return find_method(trainer).known[0] if learns(trainer) else None


def settings_form(trainer: str) -> list[FormField]:
    """Return the fields of the trainer's own settings, except the iterations, which belong to the budget."""
    return [_within_limits(field) for field in fields_of(kind_of(trainer), without=(steps_name(trainer),))]


def budget_form(trainer: str) -> list[FormField]:
    """Return the fields that decide how long a training takes."""
    restarts = [field for field in fields_of(Configuration) if field.name == "restarts"]
    steps = [field for field in fields_of(kind_of(trainer)) if field.name == steps_name(trainer)]
    return [_within_limits(field) for field in (*restarts, *steps, *fields_of(GameSettings, without=("tries",)))]


def steps_name(trainer: str) -> str:
    """Return the name of the setting for the number of iterations."""
    return kind_of(trainer).steps_name


def _within_limits(field: FormField) -> FormField:
    """Return the field with the app's limit, which is often smaller than the model's."""
    limit = LIMITS.get(_LIMITED_AS.get(field.name, field.name))
    allowed = field if limit is None or field.kind != "whole" else field.up_to(limit)
    return replace(allowed, optional=field.optional and field.name != "max_pieces")


def budget_values(budget: str, trainer: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a named budget's values for the budget's form and for the trainer's settings."""
    found = BUDGETS[budget]
    values = {"restarts": found["restarts"], **found["games"]}
    if not learns(trainer):
        return values | {"iterations": found["iterations"]}, {}
    defaults = {name: field.default for name, field in kind_of(trainer).model_fields.items()}
    settings = {"actions": found["learning"]["actions"]}
    if "warm_up" in defaults:
        settings["warm_up"] = min(found["learning"]["warm_up"], defaults["warm_up"])
    return values, settings


def feature_names() -> list[str]:
    """Return all features to choose from."""
    return [feature.name for feature in (*built_in_features(), *custom_features())]


def group_features(name: str) -> list[str]:
    """Return the features of a group."""
    return list(groups()[name].features)


def configuration_of(choices: dict[str, Any], trainer: str, settings: dict[str, Any]) -> Configuration:
    """Return the checked configuration of the choices. `settings` are the trainer's; None is an empty field."""
    if choices.get("rules") not in rules_names():  # visitors may not choose files
        raise SettingError(f"rules: {str(choices.get('rules'))[:40]!r}; choose one of {', '.join(rules_names())}")
    if trainer not in trainers():
        raise SettingError(f"trainer: {str(trainer)[:40]!r}; choose one of {', '.join(trainers())}")
    table = {"name": trainer, **_said(settings)}
    chosen = _said(choices) | {"games": _said(choices.get("games", {}))}
    kind = "learning" if learns(trainer) else "optimiser"
    if learns(trainer) and not needs_network(trainer):
        chosen.pop("hidden", None)
    if learns(trainer) and not find_method(trainer).sees_features:  # a table sees the contour
        chosen.pop("features", None)
    configuration = configuration_from({**chosen, kind: table}, "the form")
    check_limits(configuration)
    return configuration


def _said(table: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if value is not None}


def check_limits(configuration: Configuration) -> None:
    """Refuse a training that would take the app too long."""
    games = configuration.games
    if games.max_pieces is None:
        raise SettingError("max pieces is empty; a training in the app needs a limit, such as 10000")
    asked = {
        "restarts": configuration.restarts,
        "iterations": configuration.iterations,
        "pieces_known": configuration.pieces_known,
        "training": games.training,
        "validation": games.validation,
        "test": games.test,
        "max_pieces": max(games.max_pieces, games.max_test_pieces or 0),
        "population": population(configuration),
        "games_in_all": games_in_all(configuration),
    }
    trainer = configuration.trainer
    asked |= {name: getattr(trainer, name) for name in type(trainer).model_fields if name in LIMITS.keys() - asked}
    if "channels" not in asked:  # a board network has limits on its own sizes
        asked["numbers"] = configuration.dimensions
    of_trainer = _OF_TRAINER.get(trainer.name, {})
    for name, value in asked.items():
        most = of_trainer.get(name, LIMITS[name])
        if value > most:
            by = f", by {trainer.name}" if name in of_trainer else ""
            raise SettingError(
                f"{_WORDS.get(name, name.replace('_', ' '))}{by}: {value:,}; the limit of the app is {most:,}, but "
                "`blockfall train` has none"
            )


def population(configuration: Configuration) -> int:
    """Return the number of candidates per iteration."""
    return configuration.optimiser.candidates(configuration.dimensions) if configuration.optimiser else 1


def games_in_all(configuration: Configuration) -> int:
    """Return the most games that the training plays."""
    games, restarts = configuration.games, configuration.restarts
    each = configuration.iterations * population(configuration) * games.training + games.validation
    return restarts * each + games.test


@dataclass(frozen=True)
class Estimate:
    """The cost of a training: if its games stay as short as the first, and if all of them reach the piece limit.

    If a similar training was measured before, both are estimated from it.
    """

    games: int
    least_s: float | None
    most_s: float | None
    measured: bool = False

    def __str__(self) -> str:
        count = f"{self.games:,} games"
        if self.least_s is None or self.most_s is None:
            return f"{count}, and learning. The first stage will show how long it takes."
        least, most = (duration(max(1, seconds)) for seconds in (self.least_s, self.most_s))
        if self.measured:
            return f"{count}. About {least}, at the speed of your last similar training."
        return f"{count}. From {least}, if games stay short, to {most}, if all reach the piece limit."


def measured_speed(store: Store, configuration: Configuration) -> float | None:
    """Return the seconds per game in the last training of this kind or, if it learned, per placement."""
    wanted = _kind_of_play(configuration)
    for seen in readable(Overview(run) for run in store.runs.newest(_RUNS_LOOKED_AT)):
        if not seen.run.finished or _kind_of_play(seen.configuration) != wanted:
            continue
        points = store.runs.curve(seen.run.id)
        seconds, learning = sum(point.seconds for point in points), seen.configuration.learning
        count = learning.actions * seen.configuration.restarts if learning else sum(point.games for point in points)
        if seconds > 0 and count:
            return seconds / count
    return None


def _kind_of_play(one: Configuration) -> tuple[object, ...]:
    """Return the settings that decide how long a game or a placement takes."""
    return one.rules, one.features, one.hidden, one.pieces_known, one.trainer.name, one.fitness, one.games.max_pieces


def estimate(configuration: Configuration, measured_s: float | None = None) -> Estimate:
    """Estimate the cost of a training from an earlier measurement, or else from candidates' games played now.

    The time of learning is included only if it was measured: it depends on the network, not on the games.
    """
    count, optimiser, learning = games_in_all(configuration), configuration.optimiser, configuration.learning
    if measured_s is not None:
        seconds = measured_s * (learning.actions * configuration.restarts if learning else count)
        return Estimate(count, seconds, seconds, measured=True)
    if optimiser is None:
        return Estimate(count, None, None)
    assert configuration.games.max_pieces
    dimensions = configuration.dimensions
    probed = _PROBED_PIECES[configuration.pieces_known] * min(1, _PROBED_NUMBERS / dimensions)
    limit = min(configuration.games.max_pieces, max(1, round(probed)))
    space = optimiser.space(dimensions)
    shortest, seconds_per_piece = _probe(
        configuration.rules, configuration.template, space.least, space.most, configuration.seed, limit
    )
    return Estimate(
        count, count * shortest * seconds_per_piece, count * configuration.games.max_pieces * seconds_per_piece
    )


@lru_cache(maxsize=64)
def _probe(rules: str, template: Agent, least: float, most: float, seed: int, limit: int) -> tuple[float, float]:
    """Return the pieces per game of a random candidate, and the seconds per piece.

    It plays more and more games until their time can be measured. The result is cached, so that the estimate does not
    change whenever somebody else uses the machine.
    """
    # Draw candidates anywhere in the space, without the optimiser: CMA-ES begins with a matrix of size numbers squared.
    candidates = np.random.default_rng(seed).uniform(least, most, (_PROBED_CANDIDATES, len(template.value.parameters)))
    games = 1
    while True:
        started = time.perf_counter()
        played = evaluate_population(
            rules, template, candidates, games, seed, max_pieces=limit, purpose=Purpose.TRAINING
        )
        seconds = time.perf_counter() - started
        if seconds >= _PROBED_S or games >= _MOST_PROBED_GAMES:
            pieces = int(played.pieces.sum())
            return pieces / played.pieces.size, seconds / max(1, pieces)
        games *= 4


Written = dict[str, Any]
"""The content of the form: the choices by name, and tables `budget`, `settings` and `more` by field."""

MORE = ("seed", "record_weight", "mean_weight")
"""Fields of a configuration that people rarely change."""


def written_of(configuration: Configuration) -> Written:
    """Return the form's content for a configuration, to train again with the same settings."""
    trainer = configuration.trainer.name
    games, settings = configuration.games, configuration.trainer
    source = {"restarts": configuration.restarts, steps_name(trainer): configuration.iterations}
    budget = {
        field.name: field.written(source.get(field.name, getattr(games, field.name, None)))
        for field in budget_form(trainer)
    }
    return {
        "name": configuration.name,
        "rules": configuration.rules,
        "features": list(configuration.features),
        "trainer": trainer,
        "fitness": configuration.fitness,
        "pieces_known": configuration.pieces_known,
        "hidden": ", ".join(str(width) for width in configuration.hidden),
        "budget": budget,
        "settings": {field.name: field.written(getattr(settings, field.name)) for field in settings_form(trainer)},
        "more": {name: getattr(configuration, name) for name in MORE},
    }


def left_out(configuration: Configuration) -> list[str]:
    """Return the settings of the configuration that the form cannot hold."""
    said = [name for name in ("guard", "unknown_piece", "start", "plugins") if getattr(configuration, name)]
    if configuration.rules not in rules_names():
        said.append("rules")
    return [name.replace("_", " ") for name in said]
