"""Plays 1,000 games of the strongest players on 10x20 to their end, on a GPU, in slices that can be resumed.

    python benchmarks/long_games.py --out build/long_games --seconds 540
    python benchmarks/long_games.py --out build/long_games --seconds 540   # goes on, until all games are over

All agents play at once, a warp of the GPU for each game. The games are kept in a file for each agent, now and then and
at the end: whoever is killed loses some seconds. With `--seconds` it ends after so long. Games that are not over then
would spoil the mean, because they are the long ones. So there is an estimate beside it that uses all games: a player
that meets the same boards again and again loses with the same chance in every line, so the mean is the lines of all
games by the number of lost games. It is exact where games have no memory; the column `memory` checks that: it is the
standard deviation by the mean of the games that are over, which is 1 without memory once all games are over.
"""

import argparse
import io
import json
import math
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event

import numpy as np

from blockfall.agents import agent
from blockfall.compute import Evaluation, Request
from blockfall.compute.cuda import Device, find_device
from blockfall.compute.cuda.seating import WARP, Seating, State
from blockfall.errors import BlockfallError, FileError
from blockfall.experiments.statistics import describe
from blockfall.files import make_folder, write_atomically
from blockfall.games.tetris import Termination
from blockfall.rulesets import rules

AGENTS = ("dt-20", "bcts", "dt-10", "cma-es-dellacherie", "ce-dellacherie", "dellacherie")
KEEP_S = 10.0
"""The games are kept so often."""


@dataclass(frozen=True)
class Standing:
    """How far the games of an agent are."""

    agent: str
    games: int
    over: int
    lines: int
    """Of all games, also of those that are not over."""
    pieces: int
    seconds: float
    """That this call of the program has played."""
    pieces_per_second: float
    mean: float | None
    """Lines of the games that are over. As long as some are not, it is too low."""
    sem: float | None
    estimate: float | None
    """Lines of a game, where games have no memory, with its 95 % interval."""
    low: float
    high: float | None
    memory: float | None
    """The standard deviation by the mean of the games that are over; 1 where games have no memory."""


def memoryless(lines: int, lost: int) -> tuple[float | None, float, float | None]:
    """The mean lines of games that lose with the same chance in every line, and its 95 % interval.

    `lines` were played in all games, and `lost` games are over. 2 * lines / mean is then distributed as chi-squared
    with 2 * lost degrees of freedom; of games that were stopped, between that and 2 * lost + 2.
    """
    low = 2 * lines / _chi_squared(2 * lost + 2, 1.96)
    return (lines / lost, low, 2 * lines / _chi_squared(2 * lost, -1.96)) if lost else (None, low, None)


def _chi_squared(freedom: int, z: float) -> float:
    """The quantile of this normal quantile (Wilson & Hilferty 1931): right to 1 % from 10 degrees of freedom on."""
    part = 2 / (9 * freedom)
    return float(freedom * max(1 - part + z * math.sqrt(part), 1e-3) ** 3)


def standing(name: str, played: Evaluation, pieces_before: int) -> Standing:
    """What the games have come to."""
    over = played.termination != Termination.RUNNING.value
    lines, pieces = int(played.lines.sum()), int(played.pieces.sum())
    ended = describe(played.lines[over]) if over.sum() > 1 else None
    estimate, low, high = memoryless(lines, int(over.sum()))
    return Standing(
        *(name, played.lines.size, int(over.sum()), lines, pieces, played.seconds),
        (pieces - pieces_before) / max(played.seconds, 1e-9),
        *((ended.mean, ended.sem) if ended else (None, None)),
        *(estimate, low, high),
        ended.std / ended.mean if ended and ended.mean else None,
    )


def load(path: Path) -> State | None:
    """The games that were kept; None where there are none."""
    if not path.exists():
        return None
    try:
        with np.load(path, allow_pickle=False) as file:
            return dict(file.items())
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise FileError(f"{path}: not games that were kept ({error})") from None


def keep(path: Path, state: State) -> None:
    """Writes the games, whole or not at all."""
    data = io.BytesIO()
    np.savez(data, **state)  # type: ignore[arg-type]
    write_atomically(path, data.getvalue())


class Play:
    """The games of one agent."""

    def __init__(self, device: Device, request: Request, folder: Path, threads_per_game: int) -> None:
        self.name = request.agent.name
        self.standing: Standing | None = None
        self._device, self._request, self._threads = device, request, threads_per_game
        self._state, self._figures = folder / f"{self.name}.npz", folder / f"{self.name}.json"

    def run(self, stop: Event) -> None:
        """Plays until all games are over, or until it is told to stop."""
        with self._device.beside():
            games = self._request.games
            seating = Seating(self._device, self._request, games, games, self._threads)
            if (state := load(self._state)) is None:
                seating.begin(self._request)
            else:
                seating.go_on(self._request, state)
            started = kept = time.monotonic()
            before = int(seating.outcomes().pieces.sum())
            for _ in seating.slices():
                if stop.is_set():
                    break
                if time.monotonic() - kept >= KEEP_S:
                    self._keep(seating, started, before)
                    kept = time.monotonic()
            self._keep(seating, started, before)

    def _keep(self, seating: Seating, started: float, before: int) -> None:
        keep(self._state, seating.state())
        self.standing = standing(self.name, seating.outcomes(time.monotonic() - started), before)
        about = {"rules": self._request.rules.name, "seed": self._request.seed}
        write_atomically(self._figures, json.dumps(about | asdict(self.standing), indent=1) + "\n")


def show(found: list[Standing]) -> None:
    """Prints a row for each agent."""
    print(f"{'agent':20}{'over':>12}{'lines so far':>18}{'M pieces/s':>12}{'mean of those over':>24}", end="")
    print(f"{'estimate of all (95 %)':>46}{'memory':>8}")
    for one in found:
        mean = "-" if one.mean is None else f"{one.mean:,.0f} +- {one.sem or 0:,.0f}"
        estimate = f"over {one.low:,.0f}"
        if one.estimate is not None and one.high is not None:
            estimate = f"{one.estimate:,.0f} ({one.low:,.0f} to {one.high:,.0f})"
        memory = "-" if one.memory is None else f"{one.memory:.2f}"
        print(f"{one.agent:20}{one.over:6,} of {one.games:,}{one.lines:18,}{one.pieces_per_second / 1e6:12.1f}", end="")
        print(f"{mean:>24}{estimate:>46}{memory:>8}", flush=True)


def play_all(plays: list[Play], seconds: float, every_s: float) -> None:
    """Plays all agents at once, and prints how far they are."""
    stop, until = Event(), time.monotonic() + seconds
    with ThreadPoolExecutor(len(plays)) as pool:
        running = [pool.submit(play.run, stop) for play in plays]
        shown = time.monotonic()
        try:
            while not all(one.done() for one in running) and time.monotonic() < until:
                time.sleep(0.2)
                if time.monotonic() - shown >= every_s:
                    show([play.standing for play in plays if play.standing])
                    shown = time.monotonic()
                if any(one.done() and one.exception() for one in running):
                    break
        finally:
            stop.set()
        for one in running:
            one.result()
    show([play.standing for play in plays if play.standing])


def main(arguments: list[str] | None = None) -> int:
    """Plays as it is asked to. The exit status is 0, also where time is over before the games are."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="the folder of the games that are kept")
    parser.add_argument("--agents", nargs="+", default=list(AGENTS))
    parser.add_argument("--rules", default="standard")
    parser.add_argument("--games", type=int, default=1000, help="of each agent")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=math.inf, help="ends after so long")
    parser.add_argument("--every", type=float, default=30.0, help="prints how far the games are so often, in seconds")
    parser.add_argument("--threads-per-game", type=int, default=WARP, choices=[1, WARP])
    asked = parser.parse_args(arguments)
    try:
        make_folder(asked.out)
        plays = [
            Play(
                find_device(),
                Request(rules(asked.rules), agent(name), asked.games, asked.seed),
                asked.out,
                asked.threads_per_game,
            )
            for name in asked.agents
        ]
        play_all(plays, asked.seconds, asked.every)
    except BlockfallError as error:
        print(f"long_games: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
