"""Play the benchmark's tasks with the board networks: `python tools/measure_networks.py [AGENT ...]`.

It writes docs/data/benchmark; `python tools/make_tables.py` puts the rows into docs/leaderboard.md. On two quiet
cores a network takes two to seven minutes.
"""

import json
import sys
from pathlib import Path

import blockfall

FOLDER = Path(__file__).parents[1] / "docs" / "data" / "benchmark"
TASKS = {
    "noro-small": ["no-rotation", "no-rotation-timed"],
    "noro-large": ["no-rotation", "no-rotation-timed"],
    "sz": ["sz"],
}


if __name__ == "__main__":
    for name in sys.argv[1:] or TASKS:
        found = blockfall.benchmark(name, TASKS[name], backend="local:2")
        (FOLDER / f"{name}.json").write_text(json.dumps(found.as_json(), indent=2) + "\n")
