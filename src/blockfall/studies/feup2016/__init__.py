"""Hopeless solved by search: eight algorithms on thousands of random boards (feup2016)."""

from typing import Literal

from pydantic import Field

from blockfall.games.hopeless import parse_size
from blockfall.studies.base import Findings, Study, StudySettings, Work
from blockfall.studies.feup2016.measure import (
    ALGORITHMS,
    PUBLISHED,
    chosen_algorithms,
    distinct_boards,
    margins,
    measure,
)
from blockfall.studies.feup2016.report import conclusions, margin_sheet, report, rows

_PLAIN_BOARDS = 250  # of the quick budget, also searched without a table


class Feup2016Settings(StudySettings):
    """The study's settings."""

    budget: Literal["quick", "full"] = Field(
        default="quick",
        description="quick (the report's table) or full (also all boards without a table, and best on 20x10 boards)",
    )
    boards: int = Field(
        default=PUBLISHED["boards"], ge=2, le=1_000_000, description="the number of distinct boards, 2 to 1000000"
    )
    size: str = Field(default=PUBLISHED["size"], description="columns x rows, such as 5x5")
    colours: int = Field(default=PUBLISHED["colours"], ge=1, le=9, description="the number of colours, 1 to 9")
    algorithms: str | None = Field(
        default=None,
        description="some of the eight and your own (mine.py:name), separated by commas; by default the eight",
    )
    node_limit: int | None = Field(
        default=None, ge=1, description="the most nodes of a search; one that stops there is left out of the means"
    )
    large_boards: int = Field(
        default=10, ge=2, le=1000, description="with full: the number of 20x10 boards per number of colours"
    )
    time_limit: float = Field(default=10.0, gt=0, description="with full: the seconds of best per 20x10 board")
    workbook: str = Field(
        default="statistics.xlsx", pattern=r"^[^/\\]+\.xlsx$", description="the name of the workbook, with .xlsx"
    )


def run(settings: Feup2016Settings, work: Work) -> Findings:
    """Solve every board with every algorithm; the full budget adds large boards."""
    columns, board_rows = parse_size(settings.size)
    algorithms = chosen_algorithms(settings.algorithms)
    boards = list(distinct_boards(settings.boards, columns, board_rows, settings.colours, settings.seed))
    full = settings.budget == "full"
    found = measure(boards, algorithms, len(boards) if full else _PLAIN_BOARDS, settings.node_limit, work)
    comparable = (settings.size, settings.colours) == (PUBLISHED["size"], PUBLISHED["colours"])
    large = []
    if full:
        large = margins(settings.large_boards, settings.time_limit, settings.seed, work)
    return Findings(
        rows(found, comparable),
        report(found, boards, large, settings.size, settings.colours, comparable),
        sheets=(*conclusions(found), *([margin_sheet(large)] if large else [])),
        hints=(("Make a board", "board --size 20x10 --colours 4 --out board.txt"),),
        workbook=settings.workbook,
    )


STUDY = Study(
    name="feup2016",
    title="Hopeless solved by search: eight algorithms on random boards",
    source="Carneiro, Silva and Castro 2016, FEUP",
    settings_type=Feup2016Settings,
    run=run,
    quick_takes="about 40 seconds",
    searches=tuple(("hopeless", name) for name in (*ALGORITHMS, "best")),
)
