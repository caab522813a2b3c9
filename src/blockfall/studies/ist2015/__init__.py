"""Tetris as a search problem: depth-first, A* and the report's own best search, one to five pieces (ist2015)."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from blockfall.search import SearchSettings
from blockfall.studies.base import Findings, Study, StudySettings, Work
from blockfall.studies.ist2015.measure import ALGORITHMS, FILLED, PIECES, SearchPlan, exact, proved, searches
from blockfall.studies.ist2015.report import conclusions, optima, report, rows
from blockfall.validation import read_text

_MORE_PIECES = "s"  # a sixth piece for the proofs


class Ist2015Settings(StudySettings):
    """The study's settings."""

    budget: Literal["quick", "full"] = Field(
        default="quick", description="quick (up to five pieces, as published) or full (also six, for the optimum)"
    )
    board: Path | None = Field(default=None, description="a file with a board, instead of the partly filled one")
    pieces: str = Field(default=PIECES, min_length=1, max_length=12, description="other pieces, such as szot")
    heuristic: str | None = Field(
        default=None, description="for table 4.1.2, instead of qualidade: a name, or an agent's file"
    )
    algorithm: str | None = Field(
        default=None, description="an algorithm to add a table of: a name, or mine.py:name for your own"
    )
    weights: str | None = Field(
        default=None, description="five weights, for h1 to h5, of a best search to add, such as 30,5,10,25,-0.6"
    )


def run(settings: Ist2015Settings, work: Work) -> Findings:
    """Run the report's searches, then prove the optimum."""
    full = settings.budget == "full"
    limits = SearchSettings(seed=settings.seed)
    board = FILLED if settings.board is None else read_text(settings.board)
    plan = SearchPlan.of(board, settings.pieces, settings.heuristic, settings.weights, settings.algorithm)
    found = searches(plan, limits, work)
    more = plan.pieces + (_MORE_PIECES if full else "")
    proofs = proved(plan, more, limits, work)
    by_a_star = exact(plan, more, limits, work) if full else []
    return Findings(
        rows(found),
        report(found, proofs, by_a_star, plan.board),
        sheets=(conclusions(found, proofs), optima(proofs)),
        hints=(("See a solution", f"solve --game ist-tetris --pieces {plan.pieces} --algorithm best --show"),),
    )


STUDY = Study(
    name="ist2015",
    title="Tetris as a search problem: depth-first, A* and a best search",
    source="Duarte, Almeida and Fialho 2015, IST",
    settings_type=Ist2015Settings,
    run=run,
    quick_takes="about ten seconds",
    searches=tuple(("ist-tetris", name) for name in ALGORITHMS),
)
