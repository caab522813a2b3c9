"""The work of a Dask worker: it plays parts of requests and runs searches.

The client names these functions; a worker compares identities and runs the functions of its own installation.
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

from blockfall.agents import agent
from blockfall.compute.cuda import CudaBackend
from blockfall.compute.cutting import narrowed
from blockfall.compute.evaluation import Evaluation
from blockfall.compute.local import LocalBackend
from blockfall.compute.request import Request
from blockfall.compute.search import Search
from blockfall.compute.summary import Summary
from blockfall.errors import SettingError
from blockfall.rulesets import rules

_stopped: set[str] = set()
"""The keys of the searches that should stop."""


class _CancelledHereError(Exception):
    """Nobody is waiting for this task any more."""


@dataclass(frozen=True)
class Identity:
    """The version of a Blockfall, and a digest of seeded games it has played. Equal identities play equal games."""

    version: str
    signature: str


@cache
def identity() -> Identity:
    """Return the identity of this process."""
    from blockfall import __version__

    checksum = 0
    for rules_name, agent_name in (
        ("nes-no-rotation", "birken-6"),
        ("standard", "dellacherie"),
        ("tetrisbot", "data-6"),
    ):
        request = Request(rules(rules_name), agent(agent_name), games=2, seed=2024, max_pieces=60)
        played = LocalBackend(threads=1).play(request)
        for counts in (played.lines, played.pieces, played.placements, played.score, played.termination):
            checksum = zlib.crc32(counts.tobytes(), checksum)
    return Identity(__version__, f"{checksum:08x}")


def refuse_another(worker: str, theirs: Identity, ours: Identity) -> None:
    """Refuse a worker that may play different games."""
    if theirs != ours:
        raise SettingError(
            f"the worker {worker} has Blockfall {theirs.version} with signature {theirs.signature}; here it is "
            f"{ours.version} with {ours.signature}. Install the same version on both"
        )


GPU_GAMES = 256
"""A part of fewer games is faster on a core than on a GPU."""


@cache
def _gpu() -> CudaBackend | None:
    """Return the worker's GPU; None if it has none, or no CuPy."""
    try:
        return CudaBackend()
    except SettingError:
        return None


def _player(request: Request) -> LocalBackend | CudaBackend:
    """Return the backend that plays a part on a worker: its GPU if that can, otherwise the task's one thread."""
    gpu = _gpu() if prod(request.shape) >= GPU_GAMES else None
    return gpu if gpu and gpu.can_play(request) else LocalBackend(threads=1)


def play_part(request: Request, expected: Identity) -> tuple[Evaluation, int, float]:
    """Play the games of a part. Return their results, the pieces placed and the seconds."""
    played = _played(request, expected)
    return narrowed(played), int(played.pieces.sum()), played.seconds


def summarise_part(request: Request, expected: Identity) -> tuple[Summary, int, float]:
    """Play the games of a part. Return their figures, the pieces placed and the seconds."""
    summary = _played(request, expected).summary()
    return summary, summary.pieces, summary.seconds


def _played(request: Request, expected: Identity) -> Evaluation:
    is_wanted = _begin(expected)

    def report(_games: int, _pieces: int) -> None:
        if not is_wanted():
            raise _CancelledHereError

    return _player(request).play(request, report)


def run_search(search: Search, expected: Identity, key: str) -> dict[str, Any]:
    """Run a search on all threads of this worker until it ends, is told to stop, or nobody waits for it."""
    from distributed import get_worker

    is_wanted = _begin(expected)

    def tick() -> None:
        if key in _stopped:
            raise KeyboardInterrupt  # ends the search with what it has found
        if not is_wanted():
            raise _CancelledHereError

    return search.run(get_worker().state.nthreads, tick)


def stop_search(key: str) -> None:
    """Tell the search with this key to return the best it has found. Other workers do not know the key."""
    _stopped.add(key)


def _begin(expected: Identity) -> Callable[[], bool]:
    """Refuse work from another Blockfall. Return a function that says whether anyone still waits for the task."""
    from distributed import get_worker

    worker = get_worker()
    refuse_another(worker.address, identity(), expected)
    key = worker.get_current_task()

    def is_wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state != "cancelled"

    return is_wanted
