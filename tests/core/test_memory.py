"""Long games and large batches need no more memory than short ones."""

import json
import subprocess
import sys

import pytest

MEASURE = """
import json, resource, sys
from pathlib import Path
from blockfall import agent, rules
from blockfall.compute import Request, summarise

name, player, games, pieces = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
summary = summarise(Request(rules(name), agent(player), games, 2, max_pieces=pieces or None))
print(json.dumps([summary.games, summary.pieces, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))
"""


def peak(name: str, agent: str, games: int, pieces: int) -> tuple[int, int, int]:
    """Return the games, the pieces, and the process's peak memory in KiB."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, name, agent, str(games), str(pieces)],
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    played, placed, kib = json.loads(done.stdout)
    return played, placed, kib


def test_a_game_of_ten_million_pieces() -> None:
    _, few, short = peak("standard", "bcts", 1, 10_000)
    _, many, long = peak("standard", "bcts", 1, 10_000_000)
    assert (few, many) == (10_000, 10_000_000)
    assert long < short + 4 * 1024


def test_a_million_short_games(tmp_path: pytest.TempPathFactory) -> None:
    tiny = f"{tmp_path}/tiny.toml"
    with open(tiny, "w") as file:  # noqa: PTH123
        file.write('extends = "standard"\n[board]\ncolumns = 4\nrows = 6\n[spawn]\ncolumn = 0\n')
    played, _, short = peak(tiny, "lee", 70_000, 12)
    assert played == 70_000
    played, _, long = peak(tiny, "lee", 1_000_000, 12)
    assert played == 1_000_000
    assert long < short + 8 * 1024
