"""The thesis's own bots (table 10) on our rules, beside its table 11, and possible reasons for the differences."""

from dataclasses import dataclass, replace

from blockfall.agents import Agent, WeightedFeatures, agent
from blockfall.compute import evaluate
from blockfall.experiments.statistics import Description, describe
from blockfall.studies.base import Work
from blockfall.studies.data2021.trainings import POINTS, PUBLISHED

_LIMIT = 100_000  # pieces
GAMES = {"quick": 200, "full": 2000}
SETS = ("data-4", "data-5", "data-6", "data-7", "data-8", "data-10", "data-14")
_SWAPPED = {"row-transitions": "column-transitions", "column-transitions": "row-transitions"}
_LOWEST = {"piece-top": "total-lock-height"}
_OCCUPIED = {"row-transitions": "row-transitions-occupied"}
_INNER = {"column-transitions": "column-transitions-inner"}
_UNIFORM = "tetrisbot-uniform"
SUSPECT = ("data-7", "row-transitions", (-2.824, -2.0, -1.6, -1.2, -0.6, 0.0))
"""Other values for a weight of set 7: table 10 prints -2.824 there and, one row below, for set 8."""

DOUBTED = ("data-7", "data-10", "data-14")
"""The sets whose scores are far from the thesis's. A misprint in table 10 could explain one."""


@dataclass(frozen=True)
class Slip:
    """A set's scores with one number of table 10 changed, in millions of points."""

    name: str
    feature: str
    printed: float
    negated: float
    left_out: float


@dataclass(frozen=True)
class PublishedBot:
    """A bot's scores, in millions of points, by our reading of the thesis and by other readings."""

    name: str
    published: float
    ours: Description
    swapped: Description | None
    """Horizontal and vertical transitions are swapped; None if the set has neither."""
    uniform: Description
    """Every piece is drawn independently."""
    lowest: Description
    """The position of the piece is its lowest row (4.7 has the highest)."""
    occupied: Description | None
    """Horizontal transitions count only in rows with a filled cell; None if the set has none."""
    inner: Description | None
    """Vertical transitions count only below the tops of columns; None if the set has none."""


def measure_slips(budget: str, seed: int, work: Work) -> tuple[Slip, ...]:
    """Play the doubted sets with each of their weights negated, and left out."""

    def score(player: Agent, feature: str, weight: float) -> float:
        changed = replace(player, value=WeightedFeatures(player.weights | {feature: weight}))
        played = evaluate("tetrisbot", changed, GAMES[budget] // 4, seed, max_pieces=_LIMIT, backend=work.backend)
        return float(played.score.mean() / POINTS)

    weights = [(name, feature, weight) for name in DOUBTED for feature, weight in agent(name).weights.items()]
    found = []
    with work.phase("slips in table 10", len(weights)) as update:
        for name, feature, weight in weights:
            player = agent(name)
            found.append(Slip(name, feature, weight, score(player, feature, -weight), score(player, feature, 0.0)))
            update(len(found), f"{name}: {feature}")
    return tuple(found)


def measure_suspect(budget: str, seed: int, work: Work) -> tuple[tuple[float, Description], ...]:
    """Play set 7 with other values for its suspect weight."""
    name, feature, values = SUSPECT
    found = []
    for value in values:
        player = replace(agent(name), value=WeightedFeatures(agent(name).weights | {feature: value}))
        played = evaluate("tetrisbot", player, GAMES[budget] // 4, seed, max_pieces=_LIMIT, backend=work.backend)
        found.append((value, describe(played.score / POINTS)))
    return tuple(found)


def measure_published(budget: str, seed: int, work: Work) -> tuple[PublishedBot, ...]:
    """Play the thesis's bots by our reading of it and by other readings."""
    cells = next(part for part in PUBLISHED["experiment"] if part["name"] == "heuristics")["cells"]
    means = {cell["value"]: cell["mean"] for cell in cells}

    def scores(player: Agent, rules: str = "tetrisbot") -> Description:
        played = evaluate(rules, player, GAMES[budget], seed, max_pieces=_LIMIT, backend=work.backend)
        return describe(played.score / POINTS)

    found = []
    with work.phase("published bots", len(SETS)) as update:
        for number, name in enumerate(SETS, 1):
            player = agent(name)
            swapped, lowest, occupied, inner = (
                scores(changed) if (changed := _read_otherwise(player, other)) else None
                for other in (_SWAPPED, _LOWEST, _OCCUPIED, _INNER)
            )
            assert lowest, "every set has the position of the piece"
            ours, uniform = scores(player), scores(player, _UNIFORM)
            found.append(PublishedBot(name, means[name], ours, swapped, uniform, lowest, occupied, inner))
            update(number, name)
    return tuple(found)


def _read_otherwise(player: Agent, other: dict[str, str]) -> Agent | None:
    """Return the agent with some features replaced; None if it has none of them."""
    weights = {other.get(feature, feature): weight for feature, weight in player.weights.items()}
    return replace(player, value=WeightedFeatures(weights)) if weights != player.weights else None
