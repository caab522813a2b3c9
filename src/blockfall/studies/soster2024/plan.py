"""The study's trainings: the thesis's tables, its future work, and other readings of its groups 4 and 5.

For each kind of fitness, group 4 has the seven largest weights of group 3, and group 5 the four largest. The thesis
prints its group 4; its group 5 must be four of those seven, and its text leaves only some choices. `soster-4` and
`soster-5` are these lists; `own-4` and `own-5` have the largest weights of our own group 3.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from blockfall.experiments.configuration import merged
from blockfall.features import feature_list, find_feature

PUBLISHED: dict[str, Any] = tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))
DROP, SLIDES = "nes-no-rotation-drop", "nes-no-rotation"
RULES = (DROP, SLIDES)
GROUPS = ("soster-1", "soster-2", "soster-3", "soster-4", "soster-5")
"""The thesis's groups."""
SHORT = {DROP: "drops", SLIDES: "slides"}
"""The rules in one word, for the names of worksheets."""
OWN = {"own-4": 7, "own-5": 4}
"""The sizes of our own groups, which have the largest weights of our group 3 (thesis, 4.2)."""
FITNESS = ("mean", "record", "weighted")


@dataclass(frozen=True)
class ThesisCell:
    """One training."""

    rules: str
    group: str
    fitness: str
    part: str = ""
    """The section of the report; empty for the thesis's tables."""
    variant: str = ""
    """The difference from the thesis's protocol; empty if there is none."""
    features: tuple[str, ...] = ()
    """The features, unless the group names them."""
    changes: dict[str, Any] = field(default_factory=dict)
    """The keys of the run's file that differ from the thesis's protocol."""

    @property
    def name(self) -> str:
        """Rules, group, fitness and variant."""
        return "/".join(part for part in (self.rules, self.group, self.fitness, self.variant) if part)


def features_of(group: str, fitness: str) -> tuple[str, ...]:
    """Return the features of a group of the thesis."""
    return feature_list(f"{group}-{fitness}" if group in ("soster-4", "soster-5") else group)


def tables(rules: str, budget: str) -> list[ThesisCell]:
    """Return the trainings of the thesis's tables, and of our own groups 4 and 5."""
    groups, kinds = ((*GROUPS, *OWN), FITNESS) if budget != "taste" else (GROUPS[:1], FITNESS[:1])
    return [ThesisCell(rules, group, fitness) for fitness in kinds for group in groups]


def protocol(cell: ThesisCell, features: tuple[str, ...], budget: str) -> dict[str, Any]:
    """Return the keys of a run's file: the thesis's protocol for this cell, with the cell's changes."""
    keys = {
        "rules": cell.rules,
        "features": list(features),
        "pieces_known": 2,
        "fitness": cell.fitness,
        **PUBLISHED["budgets"][budget],
    }
    # Another optimiser takes no settings from the swarm.
    return merged(
        {key: value for key, value in keys.items() if key != "optimiser" or key not in cell.changes}, cell.changes
    )


def extension(rules: str, budget: str) -> list[ThesisCell]:
    """Return the thesis's future work; with slides, only the part that shows the limits of its metrics."""
    extended, swarm = PUBLISHED["extended"], PUBLISHED["budgets"][budget]["optimiser"]
    fresh = {"optimiser": _equal("cma-es", swarm), "games": {"fresh": True}}
    found = [
        ThesisCell(rules, group, "mean", "optimisers", "cma-es fresh games", changes=fresh)
        for group in extended["groups"]
    ]
    wide = feature_list(extended["wide"])
    found.append(ThesisCell(rules, "wide", "mean", "optimisers", "cma-es fresh games", wide, fresh))
    if rules == DROP:
        found += [*_optimisers(rules, swarm), *_record_weights(rules), *_particles(rules, swarm)]
    return found


def _optimisers(rules: str, swarm: dict[str, Any]) -> Iterator[ThesisCell]:
    extended = PUBLISHED["extended"]
    hidden = {"hidden": extended["hidden"]}
    network = f"network of {extended['hidden'][0]} neurons"
    for group in extended["groups"]:
        for fitness in extended["fitness"]:
            for optimiser in extended["optimisers"]:
                yield ThesisCell(
                    rules, group, fitness, "optimisers", optimiser, changes={"optimiser": _equal(optimiser, swarm)}
                )
            yield ThesisCell(rules, group, fitness, "optimisers", f"{network} by pso", changes=hidden)
            genetic = {**hidden, "optimiser": _equal("genetic", swarm)}
            yield ThesisCell(rules, group, fitness, "optimisers", f"{network} by genetic", changes=genetic)


def _record_weights(rules: str) -> Iterator[ThesisCell]:
    for group in PUBLISHED["extended"]["groups"]:
        for weight in PUBLISHED["extended"]["record_weights"]:
            changes = {"record_weight": weight, "mean_weight": round(1 - weight, 3)}
            yield ThesisCell(rules, group, "weighted", "record weight", f"record weight {weight:g}", changes=changes)


def _particles(rules: str, swarm: dict[str, Any]) -> Iterator[ThesisCell]:
    for group in PUBLISHED["extended"]["groups"]:
        for times in PUBLISHED["extended"]["more_particles"]:
            yield _swarm_of(rules, group, swarm, times * swarm["particles"], "more particles")
    for group in GROUPS:
        metrics = len(features_of(group, "mean"))
        yield _swarm_of(rules, group, swarm, PUBLISHED["extended"]["particles_per_metric"] * metrics, "by metrics")


def _swarm_of(rules: str, group: str, swarm: dict[str, Any], particles: int, part: str) -> ThesisCell:
    changes = {"optimiser": {**swarm, "particles": particles}}
    note = f"{particles} particles" if part == "more particles" else f"{particles} particles for its metrics"
    return ThesisCell(rules, group, "mean", part, note, changes=changes)


def _equal(optimiser: str, swarm: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of an optimiser with as many candidates and iterations as the swarm."""
    chosen = {"name": optimiser, "population": swarm["particles"], "iterations": swarm["iterations"]}
    if optimiser == "cross-entropy":
        chosen["noise_iterations"] = swarm["iterations"]
    return chosen


def readings() -> list[ThesisCell]:
    """Return group 4 with other definitions of its metrics, and with other random numbers."""
    found = []
    for said in PUBLISHED["readings"]:
        swap = {find_feature(old).name: find_feature(new).name for old, new in said["swap"].items()}
        features = tuple(swap.get(name, name) for name in features_of("soster-4", said["fitness"]))
        found.append(ThesisCell(DROP, "soster-4", said["fitness"], "readings", said["name"], features))
    again = PUBLISHED["repeated"]
    for group in again["groups"]:
        for seed in again["seeds"]:
            found.append(ThesisCell(DROP, group, again["fitness"], "repeated", f"seed {seed}", changes={"seed": seed}))
    return found


def fours() -> list[ThesisCell]:
    """Return every possible group 5 of the thesis: four of its group 4 that fit its text."""
    found = []
    for fitness in FITNESS:
        named = {find_feature(name).name for name in PUBLISHED["ranks"][fitness]["largest"]}
        # The text speaks of group 3's weights under one kind of fitness only.
        sure = named if PUBLISHED["ranks"][fitness]["group"] == "soster-3" else set()
        for four in combinations(features_of("soster-4", fitness), 4):
            if sure <= set(four) and set(four) != set(features_of("soster-5", fitness)):
                names = " ".join(abbreviation(name) for name in four)
                found.append(ThesisCell(DROP, "soster-5", fitness, "fours", names, four))
    return found


def abbreviation(feature: str) -> str:
    """Return the thesis's abbreviation of a feature, or its name if it has none."""
    aliases = [alias for alias in find_feature(feature).aliases if alias.isupper() and alias.isalpha()]
    return aliases[0] if aliases else feature
