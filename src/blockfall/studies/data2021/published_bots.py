"""The thesis's own bots (table 10) on our rules, beside its table 11, and what could explain where they differ."""

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
"""Table 10 prints -2.824 for set 7 and again, one row below, for set 8: other values in its place."""

DOUBTED = ("data-7", "data-10", "data-14")
"""Sets whose scores are far from the thesis's: one slip in table 10 could explain one."""


@dataclass(frozen=True)
class Slip:
    """What a set would score if one number of table 10 were wrong. Millions of points."""

    name: str
    feature: str
    printed: float
    negated: float
    left_out: float


@dataclass(frozen=True)
class PublishedBot:
    """Scores in millions of points: as we read the thesis, and as it could also be read."""

    name: str
    published: float
    ours: Description
    swapped: Description | None
    """The scores with horizontal and vertical transitions exchanged; None where the set has no transitions."""
    uniform: Description
    """The scores where every piece is drawn by chance."""
    lowest: Description
    """The scores with the position of the piece read as its lowest row (4.7 has the highest)."""
    occupied: Description | None
    """The scores with horizontal transitions counted only in rows that have a filled cell; None where it has none."""
    inner: Description | None
    """The scores with vertical transitions counted only below the tops of columns; None where it has none."""


def measure_slips(budget: str, seed: int, work: Work) -> tuple[Slip, ...]:
    """The doubted sets with each of their weights negated, and left out."""

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
    """Set 7 with other values in the place of its suspect weight."""
    name, feature, values = SUSPECT
    found = []
    for value in values:
        player = replace(agent(name), value=WeightedFeatures(agent(name).weights | {feature: value}))
        played = evaluate("tetrisbot", player, GAMES[budget] // 4, seed, max_pieces=_LIMIT, backend=work.backend)
        found.append((value, describe(played.score / POINTS)))
    return tuple(found)


def measure_published(budget: str, seed: int, work: Work) -> tuple[PublishedBot, ...]:
    """The thesis's bots as we read it, and as it could also be read."""
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
                _read_otherwise(player, other) for other in (_SWAPPED, _LOWEST, _OCCUPIED, _INNER)
            )
            assert lowest, "every set has the position of the piece"
            found.append(
                PublishedBot(
                    name,
                    means[name],
                    scores(player),
                    scores(swapped) if swapped else None,
                    scores(player, _UNIFORM),
                    scores(lowest),
                    scores(occupied) if occupied else None,
                    scores(inner) if inner else None,
                )
            )
            update(number, name)
    return tuple(found)


def _read_otherwise(player: Agent, other: dict[str, str]) -> Agent | None:
    """The agent with other features for some; None where it has none of them."""
    weights = {other.get(feature, feature): weight for feature, weight in player.weights.items()}
    return replace(player, value=WeightedFeatures(weights)) if weights != player.weights else None
