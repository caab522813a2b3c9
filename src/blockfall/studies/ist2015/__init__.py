"""Tetris as a search problem: depth-first, A* and the report's own best search, one to five pieces (ist2015)."""

from typing import Literal

from pydantic import Field

from blockfall.search import SearchSettings
from blockfall.studies.base import Findings, Study, StudySettings, Work
from blockfall.studies.ist2015.measure import ALGORITHMS, BOARDS, PIECES, proved, searches
from blockfall.studies.ist2015.report import optima, report, rows

_MORE_PIECES = "s"  # a sixth piece for the proofs


class Settings(StudySettings):
    """The study's settings."""

    budget: Literal["quick", "full"] = Field(
        default="quick", description="quick: up to four pieces; full: five, as published, and six for the optimum"
    )
    heuristic: str | None = Field(default=None, description="of table 4.1.2, in place of qualidade")


def run(settings: Settings, work: Work) -> Findings:
    """Searches as the report does, then proves the optimum."""
    full = settings.budget == "full"
    limits = SearchSettings(seed=settings.seed)
    found = searches(len(PIECES) if full else 4, settings.heuristic, limits, work)
    proofs = proved(PIECES + _MORE_PIECES if full else PIECES, limits, work)
    return Findings(
        rows(found),
        report(found, proofs, BOARDS["filled"]),
        sheets=(optima(proofs),),
        hints=(("See a solution", f"solve --game ist-tetris --pieces {PIECES} --algorithm best --show"),),
    )


STUDY = Study(
    name="ist2015",
    title="Tetris as a search problem: depth-first, A* and a best search",
    source="Duarte, Almeida and Fialho 2015, IST",
    settings_type=Settings,
    run=run,
    searches=tuple(("ist-tetris", name) for name in ALGORITHMS),
)
