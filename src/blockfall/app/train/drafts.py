"""A training before it starts: a visitor's choices as a configuration within limits, and what it will cost."""

import time
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from blockfall.app.parts.forms import FormField, fields_of
from blockfall.compute import Purpose, evaluate_population
from blockfall.errors import SettingError
from blockfall.experiments.configuration import Configuration, GameSettings, configuration_from
from blockfall.features import built_in_features, custom_features, groups
from blockfall.learning import METHODS, BoardNetworkLearning, DiscountedLearning, LearningMethod, NetworkLearning
from blockfall.optimisers import CmaEs, Optimiser, optimisers
from blockfall.rulesets import rules_names

_DATA = tomllib.loads((Path(__file__).parent / "budgets.toml").read_text(encoding="utf-8"))
LIMITS: dict[str, int] = _DATA["limits"]
BUDGETS: dict[str, dict[str, Any]] = _DATA["budget"]
_WORDS = {"numbers": "numbers in the agent", "numbers_of_cma_es": "numbers in the agent, by cma-es"}
_PROBED_CANDIDATES = 8
_PROBED_NUMBERS = 500  # agents of more numbers, which take longer, are tried for fewer pieces
_PROBED_PIECES = {1: 400, 2: 100, 3: 5}  # by pieces known: each one more values thirty times as many boards


def trainers() -> dict[str, str]:
    """Every optimiser and way of learning, with its title."""
    learned = {name: f"{method.title} ({name})" for name, method in METHODS.items()}
    return {kind.name: kind.title for kind in optimisers().values()} | learned


def kind_of(trainer: str) -> type[Optimiser] | type[LearningMethod]:
    """The optimiser, or the way of learning, of this name."""
    return METHODS[trainer] if learns(trainer) else optimisers()[trainer]


def learns(trainer: str) -> bool:
    """Whether it is a way of learning, not an optimiser."""
    return trainer in METHODS


def needs_network(trainer: str) -> bool:
    """Whether it is a way of learning that makes a network."""
    return learns(trainer) and METHODS[trainer].needs_network


def pieces_known(trainer: str) -> int | None:
    """The pieces that an agent of this way of learning knows, to begin with; None where an optimiser trains."""
    return METHODS[trainer].known[0] if learns(trainer) else None


def settings_form(trainer: str) -> list[FormField]:
    """The trainer's own settings with its defaults, but for its iterations, which are the budget's."""
    return fields_of(kind_of(trainer), without=(steps_name(trainer),))


def budget_form(trainer: str) -> list[FormField]:
    """What makes a training long or short."""
    restarts = [field for field in fields_of(Configuration) if field.name == "restarts"]
    steps = [field for field in fields_of(kind_of(trainer)) if field.name == steps_name(trainer)]
    return [_within_limits(field) for field in (*restarts, *steps, *fields_of(GameSettings))]


def steps_name(trainer: str) -> str:
    """The setting that says how many iterations a restart has."""
    return "stages" if learns(trainer) else "iterations"


def _within_limits(field: FormField) -> FormField:
    most = LIMITS.get("iterations" if field.name == "stages" else field.name, field.most)
    return replace(field, most=most, optional=field.optional and field.name != "max_pieces")


def budget_values(budget: str, trainer: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A named budget's values for the form of the budget, and for that of the trainer's settings."""
    found = BUDGETS[budget]
    values = {"restarts": found["restarts"], **found["games"]}
    if not learns(trainer):
        return values | {"iterations": found["iterations"]}, {}
    method = METHODS[trainer]()
    settings = {"actions": found["learning"]["actions"]}
    if isinstance(method, DiscountedLearning):
        settings["warm_up"] = min(found["learning"]["warm_up"], method.warm_up)
    return values, settings


def feature_names() -> list[str]:
    """All features that can be chosen."""
    return [feature.name for feature in (*built_in_features(), *custom_features())]


def group_features(name: str) -> list[str]:
    """The features of a group."""
    return list(groups()[name].features)


def configuration_of(choices: dict[str, Any], trainer: str, settings: dict[str, Any]) -> Configuration:
    """The choices' configuration, checked. `settings` are the trainer's; None stands for what was left empty."""
    if choices.get("rules") not in rules_names():  # a path is nobody's to choose here
        raise SettingError(f"rules: {str(choices.get('rules'))[:40]!r}; choose one of {', '.join(rules_names())}")
    if trainer not in trainers():
        raise SettingError(f"trainer: {str(trainer)[:40]!r}; choose one of {', '.join(trainers())}")
    table = {"name": trainer, **_said(settings)}
    chosen = _said(choices) | {"games": _said(choices.get("games", {}))}
    kind = "learning" if learns(trainer) else "optimiser"
    if learns(trainer) and not needs_network(trainer):
        chosen.pop("hidden", None)
    if learns(trainer) and not METHODS[trainer].sees_features:  # a table sees the contour
        chosen.pop("features", None)
    configuration = configuration_from({**chosen, kind: table}, "the form")
    check_limits(configuration)
    return configuration


def _said(table: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in table.items() if value is not None}


def check_limits(configuration: Configuration) -> None:
    """Refuses what would take the app too long."""
    games = configuration.games
    if games.max_pieces is None:
        raise SettingError("max pieces is empty; a training of the app needs a limit, such as 10000")
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
    if isinstance(configuration.optimiser, CmaEs):
        asked["numbers_of_cma_es"] = configuration.dimensions
    if configuration.learning:
        asked["actions"] = configuration.learning.actions
    if isinstance(configuration.learning, NetworkLearning):
        asked["queue"] = configuration.learning.queue
    if isinstance(configuration.learning, BoardNetworkLearning):
        asked["seats"], asked["width"] = configuration.learning.seats, configuration.learning.width
    else:
        asked["numbers"] = configuration.dimensions
    for name, value in asked.items():
        if value > LIMITS[name]:
            raise SettingError(
                f"{_WORDS.get(name, name.replace('_', ' '))}: {value:,}; the app trains with at most {LIMITS[name]:,}, "
                "`blockfall train` with as many as you like"
            )


def population(configuration: Configuration) -> int:
    """How many candidates an iteration has."""
    return configuration.optimiser.candidates(configuration.dimensions) if configuration.optimiser else 1


def games_in_all(configuration: Configuration) -> int:
    """How many games the training plays, at most."""
    games, restarts = configuration.games, configuration.restarts
    each = configuration.iterations * population(configuration) * games.training + games.validation
    return restarts * each + games.test


@dataclass(frozen=True)
class Estimate:
    """What a training will cost: if its games stay as short as the first, and if all of them meet the piece limit."""

    games: int
    least_s: float | None
    most_s: float | None


def estimate(configuration: Configuration) -> Estimate:
    """Plays a few games of the first candidates. Learning's time is not told: it is the network's, not the games'."""
    count, optimiser = games_in_all(configuration), configuration.optimiser
    if optimiser is None:
        return Estimate(count, None, None)
    games = configuration.games
    assert games.max_pieces
    dimensions = configuration.dimensions
    probed = _PROBED_PIECES[configuration.pieces_known] * min(1, _PROBED_NUMBERS / dimensions)
    limit = min(games.max_pieces, max(1, round(probed)))
    space = optimiser.space(dimensions)
    # Anywhere in the space, not by the optimiser: CMA-ES begins with a matrix of numbers times numbers.
    candidates = np.random.default_rng(configuration.seed).uniform(
        space.least, space.most, (_PROBED_CANDIDATES, dimensions)
    )
    started = time.perf_counter()
    played = evaluate_population(
        configuration.game_rules(Path()),
        configuration.template,
        candidates,
        1,
        configuration.seed,
        max_pieces=limit,
        purpose=Purpose.TRAINING,
    )
    pieces = int(played.pieces.sum())
    seconds_per_piece = (time.perf_counter() - started) / max(1, pieces)
    shortest = pieces / played.pieces.size
    return Estimate(count, count * shortest * seconds_per_piece, count * games.max_pieces * seconds_per_piece)
