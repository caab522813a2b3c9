"""Games on this machine's threads."""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall import _core
from blockfall.agents import Agent, agent
from blockfall.errors import SettingError
from blockfall.games.streams import Purpose
from blockfall.games.tetris import Termination, check_seed
from blockfall.rulesets import Rules, rules
from blockfall.simd import simd

Progress = Callable[[int, int], None]
"""Called now and then with the games and the pieces done."""

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Evaluation:
    """What an agent's games came to: one entry per game, in the order of their numbers."""

    lines: Counts
    pieces: Counts
    placements: Counts
    score: Counts
    clears: Counts
    """clears[game][n - 1]: how often n lines went at once."""
    termination: npt.NDArray[np.uint8]
    """Values of Termination."""
    seconds: float

    @property
    def capped(self) -> int:
        """Games ended by the piece limit: their counts are lower bounds."""
        return int((self.termination == Termination.PIECE_LIMIT.value).sum())


def default_threads() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def evaluate(
    rules_or_name: Rules | str,
    agent_or_name: Agent | str,
    games: int = 100,
    seed: int = 1,
    *,
    first_game: int = 0,
    max_pieces: int | None = None,
    threads: int | None = None,
    simd_level: str | None = None,
    purpose: Purpose = Purpose.TEST,
    progress: Progress | None = None,
) -> Evaluation:
    """Plays games to their end. The result does not depend on the threads or the instruction set.

    >>> evaluate("nes-no-rotation", "birken-6", games=5, seed=1).lines.shape
    (5,)
    """
    arrays, seconds = _play(
        rules_or_name, agent_or_name, games, seed, first_game, max_pieces, threads, simd_level, purpose, progress
    )
    return Evaluation(**arrays, seconds=seconds)


def evaluate_population(
    rules_or_name: Rules | str,
    agent_or_name: Agent | str,
    weights: npt.NDArray[np.float64],
    games: int,
    seed: int,
    *,
    first_game: int = 0,
    max_pieces: int | None = None,
    threads: int | None = None,
    simd_level: str | None = None,
    purpose: Purpose = Purpose.TRAINING,
    progress: Progress | None = None,
) -> Evaluation:
    """Plays the same games with every row of weights in place of the agent's, candidates and games over the threads.

    Every array of the result has the candidates as its first axis and their games as its second.

    >>> played = evaluate_population("nes-no-rotation", "birken-6", np.full((3, 6), -1.0), games=5, seed=1)
    >>> played.lines.shape
    (3, 5)
    """
    arrays, seconds = _play(
        rules_or_name,
        agent_or_name,
        games,
        seed,
        first_game,
        max_pieces,
        threads,
        simd_level,
        purpose,
        progress,
        weights,
    )
    shaped = {name: array.reshape(len(weights), games, *array.shape[1:]) for name, array in arrays.items()}
    return Evaluation(**shaped, seconds=seconds)


def _play(
    rules_or_name: Rules | str,
    agent_or_name: Agent | str,
    games: int,
    seed: int,
    first_game: int,
    max_pieces: int | None,
    threads: int | None,
    simd_level: str | None,
    purpose: Purpose,
    progress: Progress | None,
    weights: npt.NDArray[np.float64] | None = None,
) -> tuple[dict[str, npt.NDArray[Any]], float]:
    """The core's arrays, and the seconds that they took."""
    if games < 1:
        raise SettingError(f"{games} games; play at least 1")
    if max_pieces is not None and max_pieces < 1:
        raise SettingError(f"a limit of {max_pieces} pieces; it must be at least 1")
    threads = default_threads() if threads is None else threads
    if not 1 <= threads <= 1024:
        raise SettingError(f"{threads} threads; use 1 to 1024")
    player = agent(agent_or_name)

    def report(done: int, pieces: int) -> None:
        player.raise_if_failed()
        if progress:
            progress(done, pieces)

    started = time.perf_counter()
    arrays = _core.play_games(
        rules(rules_or_name).core,
        player.core,
        check_seed(seed),
        first_game,
        games,
        max_pieces or 0,
        threads,
        _core.Purpose(purpose),
        None if weights is None else np.ascontiguousarray(weights, dtype=np.float32),
        report,
        simd=simd_level or simd(),
    )
    player.raise_if_failed()
    return arrays, time.perf_counter() - started


def evaluate_in_slices(
    rules_or_name: Rules | str,
    agent_or_name: Agent | str,
    games: int,
    seed: int,
    *,
    slice_games: int = 1 << 16,
    max_pieces: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Evaluation]:
    """The same games a slice at a time, for batches too large to hold."""
    for first in range(0, max(games, 1), slice_games):

        def report(done: int, pieces: int, first: int = first) -> None:
            if progress:
                progress(first + done, pieces)

        yield evaluate(
            rules_or_name,
            agent_or_name,
            min(slice_games, games - first),
            seed,
            first_game=first,
            max_pieces=max_pieces,
            threads=threads,
            progress=report,
        )
