"""Measure agents for docs/agents.md and docs/players.md: `python tools/measure_agents.py PART...`.

Each part replaces its rows in docs/data/agents.json. A row holds the request beside the result, so a later
run may ask for more games of one part without touching the others. `small`, `own-rules`, `two-pieces`, `look-ahead`,
`own-feature` and `estimates` take minutes; `large`, whole games of strong players on 10x20, half an hour on an H200,
which plays them where there is one, and days on the cores.
"""

import json
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import blockfall
from blockfall import Agent, BoardView, CudaBackend, SettingError, WeightedFeatures, agent, agent_names, evaluate
from blockfall.features import custom

DATA = Path(__file__).parents[1] / "docs" / "data" / "agents.json"
Row = dict[str, object]

LARGE_GAMES = {
    "twenty": 1000,
    "dt-20": 1000,
    "bcts": 1000,
    "dt-10": 1000,
    "ce-dellacherie": 1000,
    "cma-es-dellacherie": 1000,
    "dellacherie": 1000,
    "wang-2018": 100,
    "lee": 2000,
}
ESTIMATES, TRIES = 100, 2000
ESTIMATED = ("ten", *LARGE_GAMES)
ESTIMATED_ON_10X10 = ("twenty", "ten", "dt-20", "dt-10", "bcts", "dellacherie")
LOOK_AHEAD_AGENTS = ("birken-6", "dt-10")  # the best two of the part `two-pieces`


def measure(
    rules: str,
    name: str,
    games: int,
    pieces_known: int = 1,
    look_ahead: int = 0,
    tries: int | None = None,
    gpu: CudaBackend | None = None,
) -> Row:
    player = agent(name).knowing(pieces_known)
    player = player.looking_ahead(look_ahead) if look_ahead else player
    started = time.process_time()  # of all threads
    summary = evaluate(rules, player, games, seed=1, tries=tries, backend=gpu or "local").summary()
    cpu_seconds = time.process_time() - started
    print(f"{rules} {name} {look_ahead}: {summary.mean:,.2f} ± {summary.sem:,.2f}, {cpu_seconds:.1f} s", flush=True)
    row: Row = {
        "rules": rules,
        "agent": name,
        "pieces_known": pieces_known,
        "look_ahead": look_ahead,
        "games": games,
        "seed": 1,
        "mean": summary.mean,
        "sem": summary.sem,
        "max": summary.max,
    }
    if tries:
        row["tries"] = tries
    return row if gpu else row | {"cpu_seconds_per_game": cpu_seconds / games}


def names() -> list[str]:
    """The agents that play boards of any size, with any number of pieces known."""
    return [name for name in agent_names() if "plies" not in agent(name).value.options]


def small() -> list[Row]:
    known = ("dellacherie", "bcts", "dt-10", "dt-20", "el-tetris", "lee")
    return [measure("standard-10x10", name, 4000 if name in known else 2000) for name in names()]


def own_rules() -> list[Row]:
    """Agents on the rules that they were made for, or for which results are known."""
    tetrisbot = [measure("tetrisbot", f"data-{size}", 1000) for size in (4, 5, 6, 7, 8, 10, 14)]
    birken = [measure(rules, "birken-6", 20_000, 2) for rules in ("nes-no-rotation", "nes-no-rotation-drop")]
    return [*birken, *tetrisbot, measure("aveiro", "aveiro", 200)]


def two_pieces() -> list[Row]:
    return [measure("nes-no-rotation", name, 4000, 2) for name in names()]


def look_ahead() -> list[Row]:
    return [
        measure("nes-no-rotation", name, 10_000, 2, best)
        for name in LOOK_AHEAD_AGENTS
        for best in (0, 2, 4, 8, 16, 32, 64)
    ]


def large() -> list[Row]:
    try:
        gpu = CudaBackend()
    except SettingError:
        gpu = None
    return [measure("standard", name, games, gpu=gpu) for name, games in LARGE_GAMES.items()]


def estimates() -> list[Row]:
    """Estimates for the agents whose games `large` and `small` play."""
    asked = [("standard", name) for name in ESTIMATED] + [("standard-10x10", name) for name in ESTIMATED_ON_10X10]
    return [measure(rules, name, ESTIMATES, tries=TRIES) for rules, name in asked]


def own_feature() -> list[Row]:
    """Holes counted cell by cell by a user's function, compiled and in Python, beside the built-in feature."""

    def my_holes(board: BoardView) -> int:
        count = 0
        for x in range(board.columns):
            for y in range(board.heights[x]):
                if not board.cell(x, y):
                    count += 1
        return count

    def boards_per_second(feature: str, games: int) -> Row:
        player = Agent("holes", WeightedFeatures({feature: -4.0, "row-transitions": -1.0}))
        evaluate("nes-no-rotation", player, 1, backend="local:1")  # compiles
        started = time.process_time()
        played = evaluate("nes-no-rotation", player, games, seed=1, backend="local:1")
        speed = int(played.placements.sum()) / (time.process_time() - started)
        return {"rules": "nes-no-rotation", "feature": feature, "games": games, "boards_per_second": speed}

    rows = [boards_per_second("holes", 20_000)]
    blockfall.feature("compiled")(my_holes)
    rows.append(boards_per_second("compiled", 10_000))
    blockfall.feature("in-python")(my_holes)
    with patch.object(custom, "numba_is_there", return_value=False), warnings.catch_warnings(action="ignore"):
        rows.append(boards_per_second("in-python", 50))
    return rows


PARTS: dict[str, Callable[[], list[Row]]] = {
    "small": small,
    "own-rules": own_rules,
    "two-pieces": two_pieces,
    "look-ahead": look_ahead,
    "own-feature": own_feature,
    "estimates": estimates,
    "large": large,
}


def main(parts: list[str]) -> None:
    for part in parts:
        rows = PARTS[part]()
        data = json.loads(DATA.read_text()) if DATA.exists() else {}
        DATA.parent.mkdir(exist_ok=True)
        DATA.write_text(json.dumps(data | {part: rows}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:] or list(PARTS))
