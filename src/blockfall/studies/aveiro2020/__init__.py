"""The course's agent (aveiro2020): its four heuristics, its guard, look-ahead, and other agents instead.

Games are in lockstep, without a clock, so they measure how well an agent chooses, not how fast its machine is. The core
plays them placement by placement; the first one is also played frame by frame, as client and server play it.
"""

from typing import Literal

from pydantic import Field

from blockfall.server.course import RULES
from blockfall.studies.aveiro2020.plays import AGENTS, followed, played
from blockfall.studies.aveiro2020.report import report, rows
from blockfall.studies.base import Findings, Study, StudySettings, Work


class Aveiro2020Settings(StudySettings):
    """The study's settings."""

    budget: Literal["quick", "full"] = Field(default="quick", description="quick (few games per agent) or full (2,000)")


def run(settings: Aveiro2020Settings, work: Work) -> Findings:
    """Play the games of all agents, and some of them frame by frame."""
    games = played(settings.budget, settings.seed, work)
    frames = followed(settings.budget, settings.seed, work)
    return Findings(
        rows(games),
        report(games, frames, settings.budget, settings.seed),
        hints=(("Serve the game", "serve"), ("Play on it", "connect ws://127.0.0.1:8000 --agent aveiro --name me")),
    )


STUDY = Study(
    name="aveiro2020",
    title="An agent for the course's Tetris server: four heuristics, a guard against towers",
    source="Silva, Cardita, Guerra 2020, Universidade de Aveiro",
    settings_type=Aveiro2020Settings,
    run=run,
    quick_takes="about ten seconds",
    plays=tuple((RULES.name, name) for name in AGENTS),
)
