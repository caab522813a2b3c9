"""The reasons why the network fails as the thesis describes it: one change at a time, each trained several times."""

from dataclasses import dataclass

import numpy as np

from blockfall.experiments.ranks import mann_whitney
from blockfall.reports import Dots, Section, Sheet
from blockfall.studies.data2021.tables import interval
from blockfall.studies.data2021.trainings import PUBLISHED, TrainedBots

_BASE = "as-described"
_CELLS = PUBLISHED["ablation"]["cells"]
_CHANCE = 0.05 / (len(_CELLS) - 1)
"""The level of one comparison, by Bonferroni."""


@dataclass(frozen=True)
class Change:
    """A variant of the network's learning, and how it compares with the method as described."""

    label: str
    trained: TrainedBots
    p_value: float | None
    """The result of Mann and Whitney's test, because scores span four powers of ten; None for the method itself."""
    better: bool
    """True if the test shows that the change is better."""

    @property
    def median(self) -> float:
        """The median over the trainings."""
        return float(np.median(self.trained.means))

    @property
    def verdict(self) -> str:
        """The result of the comparison."""
        if self.p_value is None:
            return ""
        return "better" if self.better else "worse" if self.p_value < _CHANCE else "no difference shown"


def changes(trained: dict[str, TrainedBots]) -> dict[str, Change]:
    """Return every variant by name; none if one was not trained."""
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
    """Return every variant with its interval and its verdict."""
    return Sheet.of(
        "Why the network fails: one change at a time",
        found.values(),
        ("network", lambda one: one.label),
        ("trainings", lambda one: len(one.trained.means)),
        ("score", lambda one: one.trained.mean),
        ("95 % from", lambda one: interval(one.trained.means)[0]),
        ("to", lambda one: interval(one.trained.means)[1]),
        ("median", lambda one: one.median),
        ("least", lambda one: min(one.trained.means)),
        ("most", lambda one: max(one.trained.means)),
        ("p-value", lambda one: one.p_value),
        ("verdict", lambda one: one.verdict),
        note="Millions of points per game; a training is the mean of its bot's validation games. + is the method as "
        "described with only this change, - is n-step without it. The interval is the mean's, by Student's t; the "
        "p-value is Mann and Whitney's, over trainings, against the method as described; the verdict allows for "
        f"{len(_CELLS) - 1} comparisons (p below {_CHANCE:.4f}).",
        tab="Why the network fails",
    )


def ablation_words(found: dict[str, Change]) -> str:
    """Return the table's findings in a paragraph."""

    def score(name: str) -> str:
        change = found[name]
        return f"{change.trained.mean:,.1f} (median {change.median:,.1f})"

    single = [name for name in found if name not in (_BASE, "both") and not name.startswith("n-step")]
    alone = [found[name].label.removeprefix("+ ") for name in single if found[name].better]
    words = (
        f"As the thesis describes it, the network scores {score(_BASE)}. The value of a move ignores the lines that "
        f"it clears. Counting only a state's own reward gives {score('own-reward')}, only the cleared lines as input "
        f"{score('sees-lines')}, both together {score('both')}. n-step has both and scores {score('n-step')}; "
        f"without its own reward {score('n-step-no-own-reward')}, without the input {score('n-step-sees-no-lines')}, "
        f"without both {score('n-step-neither')}. "
    )
    if alone:
        return words + f"Single changes that beat the method as described: {', '.join(alone)}."
    return words + f"None of the {len(single)} single changes is shown to be better than the method as described."


def ablation_section(found: dict[str, Change]) -> Section:
    """Return the ablation in words, as a table and as a picture of every training."""
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
