"""Why the network fails as the thesis describes it: one change at a time, each trained several times."""

from dataclasses import dataclass

import numpy as np

from blockfall.experiments.ranks import mann_whitney
from blockfall.experiments.statistics import describe
from blockfall.reports import Dots, Section, Sheet
from blockfall.studies.data2021.trainings import PUBLISHED, TrainedBots

_BASE = "as-described"
_CELLS = PUBLISHED["ablation"]["cells"]
_CHANCE = 0.05 / (len(_CELLS) - 1)
"""Bonferroni: the level of one comparison of so many."""


@dataclass(frozen=True)
class Change:
    """A variant of the network's learning, and how it compares with the method as described."""

    label: str
    trained: TrainedBots
    p_value: float | None
    """By Mann and Whitney's test over trainings, because scores span four powers of ten; None for the method itself."""
    better: bool
    """Whether the test shows that it is better."""

    @property
    def median(self) -> float:
        """The median over the trainings."""
        return float(np.median(self.trained.means))

    @property
    def verdict(self) -> str:
        """What the comparison shows."""
        if self.p_value is None:
            return ""
        return "better" if self.better else "worse" if self.p_value < _CHANCE else "no difference shown"


def changes(trained: dict[str, TrainedBots]) -> dict[str, Change]:
    """Every variant by its name; empty where one was not trained."""
    found: dict[str, Change] = {}
    for cell in _CELLS:
        one = trained.get(f"ablation/{cell['value']}")
        if one is None:
            return {}
        p_value = None
        base = trained[f"ablation/{_BASE}"]
        if cell["value"] != _BASE:
            p_value = mann_whitney(one.means, base.means)
        better = p_value is not None and p_value < _CHANCE and np.median(one.means) > np.median(base.means)
        found[cell["value"]] = Change(cell["label"], one, p_value, bool(better))
    return found


def ablation_sheet(found: dict[str, Change]) -> Sheet:
    """Every variant with its interval and its verdict."""
    rows = []
    for change in found.values():
        means = change.trained.means
        said = describe(means)
        several = said.n > 1
        rows.append(
            (
                change.label,
                said.n,
                said.mean,
                max(0.0, said.low) if several else None,
                said.high if several else None,
                change.median,
                said.min,
                said.max,
                change.p_value,
                change.verdict,
            )
        )
    columns = ("network", "trainings", "score", "95 % from", "to", "median", "least", "most", "p-value", "verdict")
    note = (
        "Millions of points per game; a training is the mean of its bot's validation games. + is the method as "
        "described with this change alone, - is n-step without it. The interval is of the mean, by Student's t; "
        "the p-value is Mann and Whitney's, over trainings, against the method as described; the verdict counts "
        f"that there are {len(_CELLS) - 1} comparisons (p below {_CHANCE:.4f})."
    )
    return Sheet("Why the network fails: one change at a time", columns, tuple(rows), note, "Why the network fails")


def ablation_words(found: dict[str, Change]) -> str:
    """What the table shows, in a paragraph."""

    def score(name: str) -> str:
        change = found[name]
        return f"{change.trained.mean:,.1f} (median {change.median:,.1f})"

    single = [name for name in found if name not in (_BASE, "both") and not name.startswith("n-step")]
    alone = [found[name].label.removeprefix("+ ") for name in single if found[name].better]
    words = (
        f"As the thesis describes it the network scores {score(_BASE)}. The value of a move leaves out the lines that "
        f"it clears. Counting a state's own reward alone gives {score('own-reward')}, the cleared lines as an input "
        f"alone {score('sees-lines')}, both together {score('both')}. n-step has both and scores {score('n-step')}; "
        f"without its own reward {score('n-step-no-own-reward')}, without the input {score('n-step-sees-no-lines')}, "
        f"without both {score('n-step-neither')}. "
    )
    if alone:
        return words + f"Of the changes made alone, better than the method as described: {', '.join(alone)}."
    return words + f"Of the {len(single)} changes made alone, none is shown to be better than the method as described."


def ablation_section(found: dict[str, Change]) -> Section:
    """The ablation: words, table and every training."""
    picture = Dots(
        "Why the network fails: every training",
        "million points per game",
        "",
        "Each dot is a training: the mean of its bot's validation games.",
        labels=tuple(change.label for change in found.values()),
        samples=tuple([max(0.01, mean) for mean in change.trained.means] for change in found.values()),
        dot_label="a training",
        log_x=True,
        tab="Why it fails, every training",
    )
    return Section("Why the network fails", (ablation_words(found),), (ablation_sheet(found), picture))
