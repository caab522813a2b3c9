"""Fill the tables of the pages from measurements: `python tools/make_tables.py`.

A table lies between `<!-- its name -->` and `<!-- end -->`; everything else on a page is written by hand. A study's
table is named `STUDY: its title` and comes from the results that the package ships (src/blockfall/studies/results);
`STUDY: provenance` is the sentence that names the command and version that made them. `python tools/make_tables.py
FOLDER ...` first copies both from the folders that `blockfall study STUDY --out FOLDER` wrote, one per study, with the
pictures of the figures that are numbered in the document.
"""

import json
import math
import re
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from blockfall import agent
from blockfall.experiments.benchmark import BUDGETS, Task, tasks
from blockfall.experiments.statistics import Verdict, judge
from blockfall.features import Player, players
from blockfall.reports.page import sheet_texts
from blockfall.search import algorithms
from blockfall.studies.results import BESIDE, RESULTS, shipped_provenance, shipped_sheets
from registered import games, optimisers, rule_sets, studies, table, value_kinds

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = (
    ROOT / "README.md",
    *(DOCS / f"{name}.md" for name in ("agents", "experiments", "games", "leaderboard", "players", "rules", "search")),
    *sorted((DOCS / "studies").glob("*.md")),
)
MEASURED: dict[str, list[dict[str, Any]]] = json.loads((DOCS / "data" / "agents.json").read_text())
KNOWN: list[dict[str, Any]] = tomllib.loads((DOCS / "data" / "known.toml").read_text())["result"]


def mean_lines(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Return the mean lines of each row with their standard error, with the decimals that the column needs.

    Millions have three significant digits.
    """
    digits = decimals(rows)

    def text(row: dict[str, Any]) -> str:
        place = digits if row["mean"] < 1e5 else 2 - math.floor(math.log10(row["mean"]))
        return f"{round(row['mean'], place):,.{digits}f} ± {round(row['sem'], place):,.{digits}f}"

    return [text(row) for row in rows]


def decimals(rows: Iterable[dict[str, Any]]) -> int:
    """Return the decimals of a column of mean lines."""
    return 2 if max(row["mean"] for row in rows) < 100 else 0


def speed(per_second: float) -> str:
    """Return a speed with three significant digits."""
    return f"{float(f'{per_second:.3g}'):,.0f}"


def beside_known(row: dict[str, Any], digits: int = 0) -> tuple[str, str]:
    """Return the known result and its source, and the verdict on ours beside it."""
    for known in KNOWN:
        if (known["rules"], known["agent"]) == (row["rules"], row["agent"]):
            error = known["mean"] / math.sqrt(known["games"]) if "games" in known else 0.0
            verdict = judge(row["mean"], row["sem"], known["mean"], error)
            apart = abs(row["mean"] - known["mean"]) / math.hypot(row["sem"], error)
            by = f" by {apart:.1f} standard errors" if verdict in (Verdict.BETTER, Verdict.WORSE) else ""
            return f"{known['mean']:,.{digits}f} ({known['source']})", f"{verdict}{by}"
    return "", ""


def small(of: Callable[[float], bool]) -> str:
    """Return the agents on the small board whose mean lines are as asked."""
    ranked = sorted((row for row in MEASURED["small"] if of(row["mean"])), key=lambda row: -float(row["mean"]))
    columns = ("agent", "features", "games", "lines per game", "reference", "verdict")
    return table(
        columns,
        (
            (
                f"`{row['agent']}`",
                len(agent(row["agent"]).weights),
                f"{row['games']:,}",
                lines,
                *beside_known(row, decimals(ranked)),
            )
            for row, lines in zip(ranked, mean_lines(ranked), strict=True)
        ),
    )


def measured(part: str, rules: str = "") -> str:
    """Return one part of the measurements of tools/measure_agents.py, or its rows with rules that begin so."""
    rows = [row for row in MEASURED[part] if row["rules"].startswith(tuple(rules.split()) or "")]
    columns = ("agent", "rules", "pieces known", "games", "lines per game", "most", "reference", "verdict")
    return table(
        columns,
        (
            (
                f"`{row['agent']}`",
                f"`{row['rules']}`",
                row["pieces_known"],
                f"{row['games']:,}",
                lines,
                f"{row['max']:,}",
                *beside_known(row, decimals(rows)),
            )
            for row, lines in zip(rows, mean_lines(rows), strict=True)
        ),
    )


def estimates() -> str:
    """Return estimates beside whole games."""
    whole = {(row["rules"], row["agent"]): row for part in ("large", "small") for row in MEASURED[part]}

    def beside(row: Any) -> tuple[str, str, str]:
        played = whole.get((row["rules"], row["agent"]))
        if not played:
            return "", "", ""
        apart = (row["mean"] - played["mean"]) / math.hypot(row["sem"], played["sem"])
        return f"{played['games']:,}", mean_lines([played])[0], f"{apart:+.1f}"

    rows = MEASURED["estimates"]
    return table(
        ("agent", "rules", "estimated lines per game", "CPU seconds", "whole games", "their lines", "apart"),
        (
            (
                f"`{row['agent']}`",
                f"`{row['rules']}`",
                lines,
                f"{row['cpu_seconds_per_game'] * row['games']:,.0f}",
                *beside(row),
            )
            for row, lines in zip(rows, mean_lines(rows), strict=True)
        ),
    )


def look_ahead() -> str:
    """Return the gain and cost of look-ahead."""
    rows = MEASURED["look-ahead"]
    plain = {row["agent"]: row for row in rows if row["look_ahead"] == 0}
    columns = ("agent", "K", "lines per game", "gain", "CPU ms per game", "cost")
    return table(
        columns,
        (
            (
                f"`{row['agent']}`",
                row["look_ahead"] or "none",
                lines,
                f"{row['mean'] / plain[row['agent']]['mean'] - 1:+.0%}" if row["look_ahead"] else "",
                f"{1000 * row['cpu_seconds_per_game']:.2f}",
                f"{row['cpu_seconds_per_game'] / plain[row['agent']]['cpu_seconds_per_game']:.1f} x",
            )
            for row, lines in zip(rows, mean_lines(rows), strict=True)
        ),
    )


def own_feature() -> str:
    """Return the speed of your own features."""
    how = {"holes": "built in", "compiled": "your own, with Numba", "in-python": "your own, without Numba"}
    speeds = {row["feature"]: row["boards_per_second"] for row in MEASURED["own-feature"]}
    return table(
        ("holes", "boards per second", "times Python's"),
        ((how[name], speed(found), f"{found / speeds['in-python']:,.0f}") for name, found in speeds.items()),
    )


def literature() -> str:
    """Return the players of the literature."""
    rows = {row["agent"]: row for row in MEASURED["large"]}

    def ours(player: Player) -> str:
        found = [f"`{name}` {mean_lines([rows[name]])[0]}" for name in player.agents if name in rows]
        return "<br>".join(found)

    columns = ("player", "year", "algorithm", "board", "lines", "features", "ours on 10x20")
    return table(
        columns,
        (
            (
                player.author,
                player.year,
                player.algorithm,
                player.board,
                player.score,
                f"group `{player.name}` ({len(player.features)})" if player.features else "none stated",
                ours(player),
            )
            for player in sorted(players(), key=lambda player: player.year)
        ),
    )


def python_problems() -> str:
    """Return searches of a problem in Python beside a plain loop."""
    measured = json.loads((DOCS / "data" / "python_problems.json").read_text(encoding="utf-8"))
    base = {row["algorithm"]: row["loop"] for row in reversed(measured)}  # the unchanged example
    rows = (
        (
            f"`{row['algorithm']}`",
            row["problem"],
            speed(row["loop"]),
            speed(row["ours"]),
            f"{row['ours'] / row['loop']:.2f}",
            f"{row['ours'] / base[row['algorithm']]:.2f}",
        )
        for row in measured
    )
    columns = ("algorithm", "8-puzzle", "loop", "ours", "ours / loop", "ours / loop over the example")
    return table(columns, rows)


def search_algorithms() -> str:
    """Return the search algorithms."""
    rows = ((f"`{a.name}`", a.title, a.promise, a.source, a.skip_seen) for a in algorithms().values())
    return table(("algorithm", "what it does", "what it promises", "source", "skips seen states"), rows)


def search_speed() -> str:
    """Return the speed of searches."""
    rows = json.loads((DOCS / "data" / "search.json").read_text())["speed"]
    return table(("what", "per CPU second"), ((row["what"], speed(row["per_cpu_second"])) for row in rows))


def samegame() -> str:
    """Return our scores and the published ones on the same boards."""
    scores: dict[str, list[int]] = json.loads((DOCS / "data" / "samegame_published.json").read_text())["scores"]
    for seconds in (60, 300):
        ours = json.loads((DOCS / "data" / f"samegame-{seconds}.json").read_text())["boards"]
        scores[f"`best`, {seconds} s, 2 threads"] = [row["points"] for row in ours]
    ranked = sorted(scores.items(), key=lambda item: -sum(item[1]))
    columns = ("program", *map(str, range(1, 11)), "total")
    return table(columns, ((name, *(f"{n:,}" for n in found), f"{sum(found):,}") for name, found in ranked))


_LONG_TASKS = ("ten", "twenty", "bot", "course", "samegame")  # hundreds of lines or points and more: no decimals


def leaderboard() -> str:
    """Return the results of every task, a table each, with the best published result."""
    results = [json.loads(path.read_text()) for path in sorted((DOCS / "data" / "benchmark").glob("*.json"))]
    return "\n".join(f"### {task.name}\n\n{task_results(task, results)}" for task in tasks()) + "\n"


def task_results(task: Task, results: Iterable[dict[str, Any]]) -> str:
    """Return the results of one task, best first."""
    digits = 0 if task.name in _LONG_TASKS else 2
    rows: list[tuple[float, tuple[object, ...]]] = [
        (
            row["mean"],
            (
                f"`{result['agent']}`",
                f"{row['games']:,}",
                f"{'at least ' if row['capped'] else ''}{row['mean']:,.{digits}f}",
                "" if row["capped"] else f"{row['low']:,.{digits}f} to {row['high']:,.{digits}f}",
                f"{row['microseconds_per_decision']:,.1f}",
            ),
        )
        for result in results
        for row in result["tasks"]
        if row["name"] == task.name
    ]
    if best := task.best_published:
        rows.append((best["mean"], (f"{best['who']} ({best['source']})", "", f"{best['mean']:,.{digits}f}", "", "")))
    ranked = (row for _, row in sorted(rows, key=lambda entry: -entry[0]))
    return table(("who", "games", f"{task.unit} per game", "95 % interval", "microseconds per decision"), ranked)


def benchmark_tasks() -> str:
    """Return the tasks of the benchmark."""
    return table(
        ("task", "what it is", "rules or game", "quick", "full"),
        (
            (f"`{task.name}`", task.title, f"`{task.rules}`", *(words(task.budgets[name]) for name in BUDGETS))
            for task in tasks()
        ),
    )


def words(limits: dict[str, Any]) -> str:
    """Return the limits of a task in words."""
    text = f"{limits['games']:,} games"
    if "max_pieces" in limits:
        text += f" of at most {limits['max_pieces']:,} pieces"
    return text + (f", {limits['time_limit_s']:g} s each" if "time_limit_s" in limits else "")


TABLES: dict[str, Callable[[], str]] = {
    "search-speed": search_speed,
    "samegame": samegame,
    "algorithms": search_algorithms,
    "python-problems": python_problems,
    "small": lambda: small(lambda lines: lines >= 100),
    "small, weak": lambda: small(lambda lines: lines < 100),
    "own-rules": lambda: measured("own-rules", "nes"),
    "own-rules, long": lambda: measured("own-rules", "tetrisbot aveiro"),
    "large": lambda: measured("large"),
    "estimates": estimates,
    "look-ahead": look_ahead,
    "own-feature": own_feature,
    "leaderboard": leaderboard,
    "benchmark-tasks": benchmark_tasks,
    "literature": literature,
    "value-kinds": value_kinds,
    "rule-sets": rule_sets,
    "games": games,
    "optimisers": optimisers,
    "studies": studies,
}


def filled(page: str) -> str:
    """Return the page with new tables."""
    return re.sub(
        r"(<!-- (.+?) -->\n).*?(<!-- end -->)",
        lambda found: found[1] + named(found[2]) + found[3],
        page,
        flags=re.DOTALL,
    )


def named(name: str) -> str:
    """Return the table of this name."""
    if name in TABLES:
        return TABLES[name]()
    study, title = name.split(": ", 1)
    if title == "provenance":
        return f"{shipped_provenance(study)}\n"
    found = shipped_sheets(study)[title].without_empty_columns()
    return table(found.columns, zip(*sheet_texts(found.columns, list(zip(*found.rows, strict=True))), strict=True))


def keep(folders: list[Path]) -> None:
    """Copy the sheets of finished studies, by title, and their provenance into the package."""
    for folder in folders:
        report = json.loads((folder / "report.json").read_text())
        first, *others = (table for section in report["sections"] for table in section["tables"])
        tables = {BESIDE: first} | {table["title"]: table for table in others}
        shipped = {"provenance": report["provenance"], "tables": tables}
        study = report["title"].split(":")[0]
        (RESULTS / f"{study}.json").write_text(json.dumps(shipped, indent=1) + "\n")
        pictures = DOCS / "images" / study
        pictures.mkdir(exist_ok=True)
        for picture in (folder / "figures").glob("*-figure-*.png"):  # those that have a number in the document
            if numbered := re.match(r"\d+-(figure-\d+)-", picture.name):
                shutil.copyfile(picture, pictures / f"{numbered[1]}.png")


if __name__ == "__main__":
    if sys.argv[1:]:
        keep([Path(name) for name in sys.argv[1:]])
    for path in PAGES:
        path.write_text(filled(path.read_text()))
