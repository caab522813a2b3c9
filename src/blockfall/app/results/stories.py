"""A study's story: its question, the findings that hold or fail, and its figures with plain names."""

import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from blockfall import studies
from blockfall.experiments.statistics import Verdict
from blockfall.reports.model import Sheet, SheetCell

_FAILS = (Verdict.WORSE, Verdict.DIFFERS)
_WORDS = {
    Verdict.AGREES: "agree",
    Verdict.BETTER: "are better here",
    Verdict.WORSE: "are worse here",
    Verdict.DIFFERS: "differ",
    Verdict.INCONCLUSIVE: "are inconclusive",
    Verdict.NOT_COMPARABLE: "are not comparable",
}

MEANT = {
    Verdict.AGREES: "They differ by no more than chance explains, and the data would have shown a large difference.",
    Verdict.BETTER: "Ours is better, by more than chance explains.",
    Verdict.WORSE: "Ours is worse, by more than chance explains.",
    Verdict.DIFFERS: "The counts differ. Neither more nor less is better.",
    Verdict.INCONCLUSIVE: "Chance explains the difference, but would explain a large one as well.",
    Verdict.NOT_COMPARABLE: "The two figures measure different things.",
}
"""The verdicts in plain words."""


@dataclass(frozen=True)
class StoryFigure:
    """One of our figures beside the published one, if any."""

    part: str
    name: str
    ours: float | None
    error: float | None
    published: float | None
    published_error: float | None
    verdict: Verdict | None
    note: str

    @property
    def ours_shown(self) -> str:
        """Our figure with its standard error."""
        return _shown(self.ours, self.error)

    @property
    def published_shown(self) -> str:
        """The published figure with its standard error."""
        return _shown(self.published, self.published_error)


@dataclass(frozen=True)
class StoryFindings:
    """Sentences about the parts of a study."""

    hold: list[str]
    fail: list[str]
    open: list[str]


@dataclass(frozen=True)
class Story:
    """A study's question and its figures."""

    question: str
    unit: str
    errors: str
    """The origin of the published figures' errors."""
    figures: tuple[StoryFigure, ...]

    @property
    def compared(self) -> tuple[StoryFigure, ...]:
        """The figures with a published counterpart."""
        return tuple(one for one in self.figures if one.ours is not None and one.published is not None)

    def findings(self) -> "StoryFindings":
        """Sort the parts of the study into those that hold, those that fail and those that are open.

        A part holds if no figure is worse or differs and more than half agree. It fails if more than half are worse or
        differ. The rest is mixed or open: a figure that is better here does not confirm the published one either.
        """
        found = StoryFindings([], [], [])
        for part in dict.fromkeys(one.part for one in self.compared):
            verdicts = Counter(one.verdict for one in self.compared if one.part == part and one.verdict)
            good, bad = verdicts[Verdict.AGREES], sum(verdicts[one] for one in _FAILS)
            half = verdicts.total() / 2
            place = found.fail if bad > half else found.hold if good > half and not bad else found.open
            place.append(f"{part}: {_counted(verdicts)}.")
        return found

    def sheet(self) -> Sheet:
        """Return the figures as a table, with their errors and verdicts."""
        columns = ("figure", f"ours, {self.unit}", "published", "verdict", "note")
        rows: list[tuple[SheetCell, ...]] = [
            (
                f"{one.part}: {one.name}",
                one.ours_shown,
                one.published_shown or None,
                str(one.verdict) if one.verdict else None,
                one.note or None,
            )
            for one in self.figures
        ]
        judged = any(one.error or one.published_error for one in self.compared)
        note = f"{_EXPLAINED if judged else ''} {self.errors}".strip()
        return Sheet("Ours beside the published figures", columns, tuple(rows), note)


_EXPLAINED = (
    "± is a standard error, of ours or of the published figure. Two figures agree if they differ by at most two "
    "standard errors of their difference, which combine both. If these exceed a quarter of the published figure, the "
    "data could not have shown a difference: inconclusive."
)


def story(study: str, beside: Sheet) -> Story:
    """Return the story of a study, from its first sheet."""
    told = _story(study)
    columns = {name: beside.column(name) for name in beside.columns}
    figures = []
    for at, name in enumerate(columns["what"]):
        part, english = row_name(study, str(name))
        verdict, note = columns["verdict"][at], columns["note"][at]
        figures.append(
            StoryFigure(
                part,
                english,
                ours=_number(columns["ours"][at]),
                error=_number(columns["error"][at]),
                published=_number(columns["published"][at]),
                published_error=_number(columns["published error"][at]),
                verdict=Verdict(str(verdict)) if verdict is not None else None,
                note=str(note or ""),
            )
        )
    return Story(told["question"], told["unit"], told["errors"], tuple(figures))


def question(study: str) -> str:
    """Return the study's question."""
    return str(_story(study)["question"])


def row_name(study: str, name: str) -> tuple[str, str]:
    """Return a row's part of the study and its plain English name there. A name without a rule stays.

    >>> row_name("data2021", "published/data-4")
    ("The thesis's own weights, played here", 'Set of 4 heuristics')
    """
    for pattern, part, english in _story(study)["rows"]:
        if found := re.fullmatch(pattern, name):
            return found.expand(part), found.expand(english)
    return "", name


@cache
def _story(study: str) -> dict[str, Any]:
    """Return the content of `story.toml` in the study's folder."""
    return tomllib.loads((Path(studies.__file__).parent / study / "story.toml").read_text(encoding="utf-8"))


def _counted(verdicts: Counter[Verdict]) -> str:
    """
    >>> _counted(Counter({Verdict.AGREES: 3})), _counted(Counter({Verdict.AGREES: 3, Verdict.WORSE: 1}))
    ('all 3 figures agree', '3 of 4 figures agree, 1 is worse here')
    """
    ordered = [verdict for verdict in Verdict if verdicts[verdict]]
    if len(ordered) == 1:
        count = verdicts[ordered[0]]
        return f"all {count} figures {_WORDS[ordered[0]]}" if count > 1 else f"its figure {_singular(ordered[0])}"
    first, *rest = ordered
    parts = [f"{verdicts[first]} of {verdicts.total()} figures {_said(first, verdicts[first])}"]
    return ", ".join([*parts, *(f"{verdicts[one]} {_said(one, verdicts[one])}" for one in rest)])


def _said(verdict: Verdict, count: int) -> str:
    return _WORDS[verdict] if count > 1 else _singular(verdict)


def _singular(verdict: Verdict) -> str:
    words = _WORDS[verdict]
    return words.replace("are ", "is ", 1) if words.startswith("are ") else f"{words}s"


def _shown(value: float | None, error: float | None) -> str:
    """
    >>> _shown(486.3227, 9.3032), _shown(2, None), _shown(None, None)
    ('486.32 ± 9.30', '2', '')
    """
    if value is None:
        return ""
    text = f"{value:,.0f}" if value == int(value) and not error else f"{value:,.2f}"
    return f"{text} ± {error:,.2f}" if error else text


def _number(cell: SheetCell) -> float | None:
    return float(cell) if isinstance(cell, int | float) else None
