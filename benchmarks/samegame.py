"""Solve boards of SameGame with `best` and print the points of each, their total and mean.

    python benchmarks/samegame.py standard --time-limit 60 --out docs/data/samegame-60.json
    python benchmarks/samegame.py random --boards 101-132 --time-limit 5 --processes 8 --set hot=3 --set sequences=4

`standard` means boards 1 to 10 of the standard set. `random` means boards of 15x15 and 5 colours by their seeds, for
tuning numbers. `--set` changes a number of the searches' tuning.toml (those of [annealing] and [hopeless.annealing]).
With `--algorithm annealing --node-limit N` other work on the machine does not matter. docs/search.md shows the file of
`--out`.
"""

import argparse
import json
import math
import shlex
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.metadata import version
from pathlib import Path

from blockfall.files import write_atomically
from blockfall.games import HopelessBoard, scoring
from blockfall.search import HopelessProblem, SearchSettings, solve, tuning

STANDARD = Path(__file__).parent.parent / "tests" / "data" / "samegame_boards.json"


def board(kind: str, number: int) -> HopelessBoard:
    if kind == "random":
        return HopelessBoard.random(columns=15, rows=15, colours=5, seed=number)
    return HopelessBoard.from_text("\n".join(json.loads(STANDARD.read_text())["boards"][number - 1]))


def play(number: int, arguments: argparse.Namespace) -> tuple[float, float]:
    numbers = tuning._numbers()
    for name, value in (setting.split("=") for setting in arguments.set):
        group = numbers["annealing"] if name in numbers["annealing"] else numbers["hopeless"]["annealing"]
        group[name] = type(group[name])(value)
    limits = SearchSettings(time_limit_s=arguments.time_limit, node_limit=arguments.node_limit, seed=arguments.seed)
    started = time.process_time()
    problem = HopelessProblem(board(arguments.boards_of, number), scoring("samegame"))
    found = solve(problem, arguments.algorithm, limits, backend=f"local:{arguments.threads}")
    assert found.points is not None
    return found.points, time.process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("boards_of", choices=["standard", "random"])
    parser.add_argument("--boards", default="1-10", help="FIRST-LAST")
    parser.add_argument("--algorithm", default="best")
    parser.add_argument("--time-limit", type=float)
    parser.add_argument("--node-limit", type=int)
    parser.add_argument("--threads", type=int, default=2, help="threads of each search")
    parser.add_argument("--processes", type=int, default=1, help="boards at a time")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="a JSON file for the points and this command line")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    arguments = parser.parse_args()
    first, last = (int(end) for end in arguments.boards.split("-"))
    numbers = range(first, last + 1)
    points: list[float] = []
    rows: list[dict[str, float]] = []
    with ProcessPoolExecutor(arguments.processes) as pool:
        for number, (earned, seconds) in zip(
            numbers, pool.map(partial(play, arguments=arguments), numbers), strict=True
        ):
            points.append(earned)
            rows.append({"board": number, "points": earned, "cpu_seconds": seconds})
            print(f"{number:6} {earned:8,.0f} points {seconds:8.1f} CPU s", flush=True)
    error = statistics.stdev(points) / math.sqrt(len(points)) if len(points) > 1 else math.nan
    if arguments.out:
        command = shlex.join(["python", "benchmarks/samegame.py", *sys.argv[1:]])
        found = {"command": command, "version": version("blockfall"), "seed": arguments.seed, "boards": rows}
        write_atomically(arguments.out, json.dumps(found, indent=1) + "\n")
    print(f"{sum(points):,.0f} points on {len(points)} boards; mean {statistics.mean(points):,.0f} +- {error:,.0f}")


if __name__ == "__main__":
    main()
