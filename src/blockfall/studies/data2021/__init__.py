"""TetrisBot: evolution, swarm and Q-learning compared (data2021), with the tables that the thesis left empty.

A training is a single random draw, and 100 games of its bot say little about it, because their standard deviation is as
large as their mean. So every training is repeated, and the comparisons are between means over the resulting bots.
"""

from typing import Literal

from pydantic import Field

from blockfall.experiments.run import AGENT_FILE
from blockfall.studies.base import Findings, Study, StudySettings, Work
from blockfall.studies.data2021.crossed import measure_crossed
from blockfall.studies.data2021.floods import measure_floods
from blockfall.studies.data2021.published_bots import SETS, measure_published, measure_slips, measure_suspect
from blockfall.studies.data2021.report import Data2021Results, ranked, report, rows, short_ranking
from blockfall.studies.data2021.trainings import PUBLISHED, trainings


class Data2021Settings(StudySettings):
    """The study's settings."""

    budget: Literal["quick", "full"] = Field(
        default="quick", description="quick (small experiments) or full (the thesis's sizes)"
    )
    part: Literal[
        "all",
        "published",
        "games",
        "scenario",
        "generator",
        "heuristics",
        "limit",
        "selection",
        "population",
        "mutation",
        "ranked",
        "self-adaptive",
        "swarm",
        "network",
        "ablation",
        "linear",
        "floods",
        "agents",
    ] = Field(default="all", description="one experiment, the published bots, or the comparison of the agents")


def run(settings: Data2021Settings, work: Work) -> Findings:
    """Play the thesis's bots, train ours, and compare them."""
    budget, seed, part = settings.budget, settings.seed, settings.part
    own = part in ("all", "published")
    published = measure_published(budget, seed, work) if own else ()
    suspect = measure_suspect(budget, seed, work) if own else ()
    slips = measure_slips(budget, seed, work) if own else ()
    floods = measure_floods(budget, seed, work) if part in ("all", "floods") else ()
    trained = trainings(part, budget, seed, work)
    crossed = measure_crossed(trained, budget, seed, work) if part in ("all", "generator") else ()
    hints = []
    here = [one for one in trained.values() if one.experiment != "generator"]  # the others score by other rules
    if here:
        best = max(here, key=lambda one: one.mean)
        hints.append(("Watch it play", f"watch --rules tetrisbot --agent {best.folder / AGENT_FILE}"))
    return Findings(
        rows(published, trained, crossed),
        report(Data2021Results(published, suspect, slips, floods, crossed, trained), budget, seed),
        sheets=(short_ranking(trained),) if ranked(trained) else (),
        hints=tuple(hints),
    )


STUDY = Study(
    name="data2021",
    title="TetrisBot: evolution, swarm and Q-learning compared",
    source="Data 2021, Jagiellonian University",
    settings_type=Data2021Settings,
    run=run,
    quick_takes="about two minutes",
    plays=tuple((rules, name) for rules in PUBLISHED["crossed"]["generators"] for name in SETS),
    trainings=tuple(("tetrisbot", name) for name in ("genetic", "pso", "data2021", "n-step", "table", "lstd", "td")),
)
