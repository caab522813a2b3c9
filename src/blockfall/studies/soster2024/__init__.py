"""The no-rotation study: 5 groups of metrics, each trained for 3 kinds of fitness by a particle swarm (soster2024).

The thesis does not say whether a piece may slide under others, so both readings are run: with `nes-no-rotation-drop` a
piece falls straight down, with `nes-no-rotation` it may also move while it falls.
"""

from typing import Literal

from pydantic import Field

from blockfall.agents import agent
from blockfall.experiments.run import AGENT_FILE
from blockfall.studies.base import Findings, Study, StudySettings, Work
from blockfall.studies.soster2024.plan import DROP, RULES, ThesisCell, extension, fours, readings, tables
from blockfall.studies.soster2024.report import report, rows, statistics
from blockfall.studies.soster2024.speed import LIMITED, SHIPPED, timed
from blockfall.studies.soster2024.trainings import features_of_agents, trainings

RulesChoice = Literal["both", "nes-no-rotation-drop", "nes-no-rotation"]


class Soster2024Settings(StudySettings):
    """The study's settings."""

    budget: Literal["taste", "quick", "full"] = Field(
        default="quick",
        description="taste (one training), quick (all, but small) or full (as in the thesis)",
    )
    rules: RulesChoice = Field(default="both", description="both, nes-no-rotation-drop or nes-no-rotation")
    extended: bool = Field(
        default=False, description="add the thesis's future work, and other readings of its groups 4 and 5"
    )


def run(settings: Soster2024Settings, work: Work) -> Findings:
    """Train every group of metrics for every kind of fitness."""
    cells = cells_of(settings)
    work = work.prepared_for(features_of_agents(cells) | set(agent(SHIPPED).weights))
    trained = trainings(cells, settings.budget, settings.seed, work)
    played = timed(trained, settings.budget, settings.seed, work) if settings.budget != "taste" else []
    best = max(trained, key=lambda one: one.mean)
    return Findings(
        rows(trained),
        report(trained, played, settings.budget, settings.seed),
        sheets=tuple(statistics(one) for one in trained) if settings.budget == "taste" else (),
        hints=(("Watch it play", f"watch --rules {best.rules} --agent {best.folder / AGENT_FILE}"),),
    )


def cells_of(settings: Soster2024Settings) -> list[ThesisCell]:
    """Return all trainings of the study with these settings, in order."""
    names = RULES if settings.rules == "both" else (settings.rules,)
    cells = [cell for name in names for cell in tables(name, settings.budget)]
    if settings.extended and settings.budget != "taste":
        cells += [cell for name in names for cell in extension(name, settings.budget)]
        if DROP in names:
            cells += [*readings(), *fours()]
    return cells


STUDY = Study(
    name="soster2024",
    title="NES Tetris without rotation: 17 metrics, weights found by particle swarms",
    source="Soster 2024, UFSC",
    settings_type=Soster2024Settings,
    run=run,
    quick_takes="about a minute",
    plays=tuple((name, "soster-3") for name in (*RULES, LIMITED)),
    trainings=(("nes-no-rotation", "pso"),),
)
