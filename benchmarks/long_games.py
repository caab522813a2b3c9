"""Play 1,000 games of the strongest players on 10x20 to their end, on a GPU.

    python benchmarks/long_games.py --out build/long_games

A game of these players has tens of millions of lines. Games are played in parts (src/blockfall/compute/cuda/relay.py),
one player after another. They are saved in a file for each player after every round of parts, so the program can be
stopped and started again. `--seconds` stops it after a time.
"""

import argparse
import io
import json
import math
import sys
import time
import zipfile
from pathlib import Path

import numpy as np

from blockfall.agents import agent
from blockfall.compute import Request
from blockfall.compute.cuda import Device, find_device
from blockfall.compute.cuda.relay import Relay, State
from blockfall.errors import BlockfallError, FileError
from blockfall.files import make_folder, write_atomically
from blockfall.games.tetris import Termination
from blockfall.rulesets import rules

AGENTS = ("twenty", "dt-20", "bcts", "dt-10", "ce-dellacherie", "cma-es-dellacherie", "dellacherie")


def load(path: Path) -> State | None:
    """The saved games; None if there are none."""
    if not path.exists():
        return None
    try:
        with np.load(path, allow_pickle=False) as file:
            return dict(file.items())
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise FileError(f"{path}: not a file of saved games ({error})") from None


def keep(path: Path, state: State) -> None:
    """Write the games, completely or not at all."""
    data = io.BytesIO()
    np.savez(data, **state)  # type: ignore[arg-type]
    write_atomically(path, data.getvalue())


def play(device: Device, request: Request, folder: Path, until: float) -> None:
    """Play until all games or the time are over, and print the progress after every round."""
    name = request.agent.name
    kept, figures = folder / f"{name}.npz", folder / f"{name}.json"
    relay = Relay(device, request)
    if (state := load(kept)) is not None:
        relay.go_on(state)
    started, kept_rounds = time.monotonic(), 0
    for over, pieces in relay.rounds():
        seconds = time.monotonic() - started
        if relay.rounds_played > kept_rounds:
            keep(kept, relay.state())
            print(f"{name:20} {over:6,} of {request.games:,} over, {seconds:.0f} s, {pieces:,} pieces", flush=True)
            kept_rounds = relay.rounds_played
        if time.monotonic() >= until:
            break
    played = relay.outcomes(time.monotonic() - started)
    if (played.termination == Termination.RUNNING.value).any():
        return  # the games still running are the long ones, so a mean of the others says little
    summary = played.summary()
    write_atomically(
        figures,
        json.dumps(
            {
                "rules": request.rules.name,
                "agent": name,
                "games": request.games,
                "seed": request.seed,
                "mean": summary.mean,
                "sem": summary.sem,
                "std": summary.std,
                "max": summary.max,
                "pieces": int(played.pieces.sum()),
                "seconds": played.seconds,
            },
            indent=1,
        )
        + "\n",
    )
    print(f"{name:20} {summary.mean:,.0f} +- {summary.sem:,.0f} lines, the longest {summary.max:,}", flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Play the games asked for. The exit status is 0 even if the time is over before the games are."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="the folder of the saved games")
    parser.add_argument("--agents", nargs="+", default=list(AGENTS))
    parser.add_argument("--rules", default="standard")
    parser.add_argument("--games", type=int, default=1000, help="games of each agent")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=math.inf, help="stop after this time")
    asked = parser.parse_args(arguments)
    until = time.monotonic() + asked.seconds
    try:
        make_folder(asked.out)
        for name in asked.agents:
            request = Request(rules(asked.rules), agent(name), asked.games, asked.seed)
            play(find_device(), request, asked.out, until)
    except BlockfallError as error:
        print(f"long_games: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
