"""The backend that plays on this machine's threads."""

import os
import time
from dataclasses import dataclass
from math import prod
from typing import Any

from blockfall import _core
from blockfall.compute import outside
from blockfall.compute.evaluation import Evaluation, InterruptedPlay, PlayProgress
from blockfall.compute.fastest import fastest_simd
from blockfall.compute.request import Request
from blockfall.errors import SettingError, shortened, whole
from blockfall.simd import check_simd

MOST_THREADS = _core.MAX_THREADS
MOST_GAMES = 10**8
"""The most games whose counts are held at once, in some gigabytes."""


def all_cores() -> int:
    """Return the number of cores that this process may use or, if the system does not say, the machine has."""
    if hasattr(os, "process_cpu_count"):  # Python 3.13
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):  # Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True, init=False)
class LocalBackend:
    """A backend that plays on this machine's threads. Threads and instruction sets change the speed, never the games.

    >>> LocalBackend(threads=2)
    LocalBackend(threads=2, simd=None)
    """

    threads: int
    simd: str | None

    def __init__(self, threads: int | None = None, simd: str | None = None) -> None:
        """Use all cores by default, and the instruction set that is measured to be faster."""
        chosen = all_cores() if threads is None else whole(threads, "threads")
        if not 1 <= chosen <= MOST_THREADS:
            raise SettingError(f"{chosen} threads; use 1 to {MOST_THREADS}")
        object.__setattr__(self, "threads", chosen)
        object.__setattr__(self, "simd", None if simd is None else check_simd(simd))

    @classmethod
    def from_text(cls, text: str) -> "LocalBackend":
        """Return the backend of the text after `local:` on the command line: a number of threads, or nothing."""
        if not text:
            return cls()
        if not (text.isascii() and text.isdigit() and len(text) <= 9):
            raise SettingError(f"backend {shortened(f'local:{text}')}; write local, or local:THREADS such as local:2")
        return cls(int(text))

    @property
    def one_thread(self) -> "LocalBackend":
        """The same backend with a single thread."""
        return LocalBackend(1, self.simd)

    def play(self, request: Request, progress: PlayProgress | None = None) -> Evaluation:
        """Play the games. `progress` is called now and then with the games and pieces done so far."""
        agent, population = request.agent, request.population
        if agent.is_outside:
            return outside.play(request, self.threads, progress)
        if (games := prod(request.shape)) > MOST_GAMES:
            raise SettingError(f"{games:,} games at once; at most {MOST_GAMES:,} are held; `summarise` plays more")

        def report(done: int, pieces: int) -> None:
            agent.raise_if_failed()
            if progress:
                progress(done, pieces)

        started = time.perf_counter()
        asked: dict[str, Any] = {
            "rules": request.rules.core,
            "agent": agent.core,
            "seed": request.seed,
            "first_game": request.first_game,
            "games": request.games,
            "max_pieces": request.max_pieces or 0,
            "threads": self.threads,
            "purpose": _core.Purpose(request.purpose),
            "progress": report,
            "simd": self.simd or fastest_simd(request),
        }
        if population is None and (request.hold or request.rules.file.attack):
            arrays = _core.play_versus(**asked, **_versus(request))
        else:
            weights = population.parameters if population else None
            arrays = _core.play_games(**asked, weights=weights, tries=request.tries or 0)
        interrupted = arrays.pop("interrupted")
        agent.raise_if_failed()
        seconds = time.perf_counter() - started
        shaped = {name: array.reshape(*request.shape, *array.shape[1:]) for name, array in arrays.items()}
        if not request.rules.file.attack:
            shaped.pop("attack", None)
        played = Evaluation(**shaped, seconds=seconds, tries=request.tries)
        if interrupted:
            raise InterruptedPlay(played.summary_of_ended())
        return played


def _versus(request: Request) -> dict[str, Any]:
    """Return the core's settings for a hold queue and attack lines."""
    table = request.rules.file.attack
    numbers = table and [*table.lines, *table.mini, *table.spin, table.back_to_back, table.perfect_clear]
    return {
        "hold": request.hold,
        "pieces_shown": request.pieces_shown if request.hold else request.agent.pieces_known,
        "attack": numbers or None,
        "combo": list(table.combo) if table else [],
    }
