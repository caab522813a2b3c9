"""The thesis's conclusions beside our figures, and the figures of others that it cites.

A difference between two trainings is shown if it exceeds two of its standard errors, which include the spread of a
training. Everything here is computed from the trainings.
"""

import math
from itertools import combinations

from blockfall.reports import Section, Sheet
from blockfall.studies.base import Row
from blockfall.studies.soster2024.beyond import by_restarts, plain
from blockfall.studies.soster2024.plan import FITNESS, GROUPS, PUBLISHED, SHORT, abbreviation
from blockfall.studies.soster2024.trainings import TrainedAgent

_TOP = 5  # the number of weights in 5.1.3
_NAMED = ("ATF", "CMV", "PP")


def reference_points(trained: list[TrainedAgent]) -> Section:
    """Return our best games beside those of people and earlier agents."""
    title = "Reference points of the thesis"
    found: list[tuple[str | int | float | None, ...]] = [
        (said["who"], said["source"], said.get("lines"), None) for said in PUBLISHED["reference"]
    ]
    for rules in dict.fromkeys(t.rules for t in trained):
        mine = [t for t in trained if t.rules == rules]
        record = max(mine, key=lambda t: max(t.lines))
        best = max(mine, key=lambda t: t.mean)
        where = f"{record.group}, fitness {record.fitness}, {len(record.lines):,} test games"
        found.append((f"ours, {rules}: best game", where, max(record.lines), None))
        found.append((f"ours, {rules}: best mean", f"{best.group}, fitness {best.fitness}", None, best.mean))
    note = "People's records are the best of very many games; ours are the best of the number in the source column."
    return Section(
        title, (), (Sheet(title, ("whose", "source", "lines of one game", "mean lines"), tuple(found), note),)
    )


def published_means(rows: tuple[Row, ...]) -> Section:
    """Return the means that the thesis also has, and how many of them agree."""
    beside = []
    counted: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row.published is not None:
            rules, group, fitness = row.name.split("/")
            figures = (row.ours, row.sem, row.published, row.published_sem)
            beside.append((rules, group, fitness, *figures, str(row.verdict)))
            counted.setdefault((rules, str(row.verdict)), []).append(f"{group} {fitness}")
    found = tuple((rules, verdict, len(names), ", ".join(names)) for (rules, verdict), names in sorted(counted.items()))
    columns = ("rules", "group", "fitness", "ours", "error", "thesis", "thesis's error", "verdict")
    note = "Errors are standard errors that include the spread of a training. Group 5 is inferred from the text."
    return Section(
        "The thesis's means",
        (),
        (
            Sheet(
                "The thesis's means by verdict", ("rules", "verdict", "means", "which"), found, tab="Means by verdict"
            ),
            Sheet("The thesis's means beside ours", columns, tuple(beside), note, "Means beside ours"),
        ),
    )


def conclusions(trained: list[TrainedAgent]) -> list[Section]:
    """Return the thesis's conclusions with our evidence and verdicts, for each rule set with all its tables."""
    sections = []
    for rules in dict.fromkeys(t.rules for t in trained):
        mine = [t for t in trained if t.rules == rules]
        if {t.cell.fitness for t in mine if not t.cell.part} != set(FITNESS):
            continue
        title = f"{rules}: the thesis's conclusions"
        found = (
            _fitness(mine, rules),
            _fewer(mine, rules),
            _stable(mine, rules),
            *(_best(mine, rules, fitness) for fitness in FITNESS),
            _informative(mine, rules),
            *_swarms(mine, rules),
        )
        note = "A difference is shown if it exceeds two of its standard errors, which include the spread of a training."
        columns = ("the thesis says", "here", "verdict", "note")
        sections.append(Section(title, (), (Sheet(title, columns, found, note, f"{SHORT[rules]}, conclusions"),)))
    return sections


Conclusion = tuple[str, str, str, str | None]
"""The thesis's statement, our evidence, the verdict, and a note."""


def _apart(one: TrainedAgent, other: TrainedAgent) -> tuple[float, float]:
    """Return the difference of the means and its standard error."""
    return one.mean - other.mean, math.hypot(one.error, other.error)


def _shown(difference: float, error: float) -> bool:
    return abs(difference) > 2 * error


def _between(trained: list[TrainedAgent], rules: str, group: str) -> list[tuple[float, float]]:
    """Return the difference between each two kinds of fitness, with its error."""
    cells = [plain(trained, rules, group, fitness) for fitness in FITNESS]
    found = [_apart(one, other) for one, other in combinations(cells, 2)]
    return [(abs(difference), error) for difference, error in found]


def _fitness(trained: list[TrainedAgent], rules: str) -> Conclusion:
    # The largest difference may also have a large error, so the clearest one decides.
    found = {group: max(_between(trained, rules, group), key=lambda one: one[0] - 2 * one[1]) for group in GROUPS}
    against = [group for group, pair in found.items() if _shown(*pair)]
    verdict = ("does not hold", f"for {', '.join(against)}") if against else ("not contradicted", None)
    says = "the kind of fitness does not affect the agent significantly"
    return (says, f"clearest difference between two kinds: {_listed(found)}", *verdict)


def _listed(found: dict[str, tuple[float, float]]) -> str:
    return ", ".join(f"{group} {difference:.2f} ± {error:.2f}" for group, (difference, error) in found.items())


def _fewer(trained: list[TrainedAgent], rules: str) -> Conclusion:
    found = {f: _apart(plain(trained, rules, "soster-4", f), plain(trained, rules, "soster-3", f)) for f in FITNESS}
    said = ", ".join(f"{fitness} {difference:+.2f} ± {error:.2f}" for fitness, (difference, error) in found.items())
    better = [fitness for fitness, value in found.items() if _shown(*value) and value[0] > 0]
    return (
        "fewer metrics hardly improve the agent",
        f"group 4 minus group 3: {said}",
        "does not hold" if better else "holds",
        f"for {', '.join(better)}" if better else "no gain shown",
    )


def _stable(trained: list[TrainedAgent], rules: str) -> Conclusion:
    found = {group: max(_between(trained, rules, group)) for group in ("soster-3", "soster-4", "soster-5")}
    steady, its_error = found["soster-3"]
    said_of, less = ("soster-4", "soster-5"), []
    for group in said_of:
        difference, error = found[group]
        if difference - steady > 2 * math.hypot(error, its_error):
            less.append(group)
    return (
        "groups 4 and 5 are less stable than group 3 over the kinds of fitness",
        f"largest difference between two kinds: {_listed(found)}",
        "holds" if len(less) == len(said_of) else "holds in part" if less else "not shown",
        f"for {less[0]}" if len(less) == 1 else None,
    )


def _best(trained: list[TrainedAgent], rules: str, fitness: str) -> Conclusion:
    ranked = sorted((plain(trained, rules, group, fitness) for group in GROUPS), key=lambda t: -t.mean)
    theirs = PUBLISHED["best"][fitness]
    first, second = ranked[0], ranked[1]
    difference, error = _apart(first, second)
    said = (
        f"{first.group} {first.mean:.2f}, then {second.group} {second.mean:.2f} ({difference:.2f} ± {error:.2f} less)"
    )
    if first.group == theirs:
        verdict = (
            ("holds", None) if _shown(difference, error) else ("not shown", "the same group, but its lead is not shown")
        )
    else:
        behind, error = _apart(first, plain(trained, rules, theirs, fitness))
        note = f"it is {behind:.2f} ± {error:.2f} behind"
        verdict = ("does not hold" if _shown(behind, error) else "not shown", note)
    return (f"{theirs} is the best group under {fitness} fitness", said, *verdict)


def _informative(trained: list[TrainedAgent], rules: str) -> Conclusion:
    tops = []
    for fitness, group in PUBLISHED["best"].items():
        tops.append([abbreviation(name) for name in list(plain(trained, rules, group, fitness).weights)[:_TOP]])
    counts = {name: sum(name in top for top in tops) for name in _NAMED}
    said = ", ".join(f"{name} in {count} of {len(tops)}" for name, count in counts.items())
    return (
        "ATF, CMV and PP are informative: among the five largest weights in more than one of its three best groups",
        f"in the same groups of ours: {said}",
        "holds" if all(count > 1 for count in counts.values()) else "does not hold",
        None,
    )


def _swarms(trained: list[TrainedAgent], rules: str) -> list[Conclusion]:
    """Return the thesis's expectations of larger swarms, if they were run."""
    found = []
    for part, says in (
        ("more particles", "many more particles could escape local optima"),
        ("by metrics", "a number of particles that follows the metrics would search better"),
    ):
        mine = [t for t in trained if t.cell.part == part]
        if part == "more particles":
            largest = max((t.cell.changes["optimiser"]["particles"] for t in mine), default=0)
            mine = [t for t in mine if t.cell.changes["optimiser"]["particles"] == largest]
        if not mine:
            continue
        compared = {f"{t.group} {t.cell.variant}": by_restarts(t, plain(trained, rules, t.group, "mean")) for t in mine}
        said = ", ".join(f"{name} {c.difference:+.2f} ({c.low:+.2f} to {c.high:+.2f})" for name, c in compared.items())
        gains = [name for name, c in compared.items() if c.low > 0]
        gained = f"gain of the mean of the restarts over 30 particles: {said}"
        found.append((says, gained, "shown" if gains else "not shown", f"for {', '.join(gains)}" if gains else None))
    return found
