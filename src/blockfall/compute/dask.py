"""Games and searches on an existing Dask cluster; docs/cluster.md explains how to start one.

A request is cut into parts of about a second or more. Each part plays on one thread of a worker; if the worker dies,
Dask gives the part to another. Every game is identified by its seed and its number, and its result has its own place,
so the result does not depend on the number of workers, their order or their deaths.
"""

import importlib.util
import math
import queue
import time
import uuid
import warnings
from collections.abc import Callable, Generator
from concurrent.futures import CancelledError
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from blockfall.compute.cutting import Cutter, GameBlock, Joined, TaskPace
from blockfall.compute.dask_worker import (
    Identity,
    identity,
    play_part,
    refuse_another,
    run_search,
    stop_search,
    summarise_part,
)
from blockfall.compute.evaluation import Evaluation, PlayProgress
from blockfall.compute.local import all_cores
from blockfall.compute.request import Request
from blockfall.compute.search import Search
from blockfall.compute.summary import Summary
from blockfall.errors import BlockfallError, ConnectionLostError, SettingError

TASK_SECONDS = 1.0
"""The least time that a task should last, if there are enough games."""
LONGEST_TASK_SECONDS = 10.0
"""The most time that a task should last, unless a single game lasts longer."""

_CONNECT_SECONDS = 5.0
_TICK_SECONDS = 0.25  # between two checks for interrupts
_COUNT_SECONDS = 2.0  # between two counts of the workers
_STOP_SECONDS = 10.0  # for a stopped search to return its best solution
_PROBES = 4  # tasks at once until the time of a game is known
_PROBE_SECONDS = 1.0  # after this the games are taken to be long

DaskTask = Callable[[Request, Identity], Any]
"""The work that a worker does on a part."""
Results = Generator[tuple[GameBlock, Any], None, None]
"""Parts with the workers' results."""


@dataclass(frozen=True)
class DaskBackend:
    """A backend that plays on the workers of a Dask cluster. It connects on first use, or by `connect`.

    >>> import blockfall
    >>> from distributed import LocalCluster
    >>> with LocalCluster(n_workers=2, processes=False, dashboard_address=None) as cluster:
    ...     with blockfall.DaskBackend(cluster.scheduler_address) as backend:
    ...         there = blockfall.evaluate(rules="nes-no-rotation", agent="birken-6", games=50, seed=1, backend=backend)
    >>> there == blockfall.evaluate(rules="nes-no-rotation", agent="birken-6", games=50, seed=1)
    True
    """

    address: str
    """The scheduler's address, such as `tcp://10.0.0.5:8786`."""
    task_seconds: float = TASK_SECONDS
    """The least time that a task should last."""

    @classmethod
    def from_text(cls, text: str) -> "DaskBackend":
        """Connect to the scheduler whose address follows `dask:` on the command line, and return the backend."""
        if not text:
            raise SettingError("backend 'dask:'; write dask:ADDRESS such as dask:tcp://127.0.0.1:8786")
        return cls(text).connect()

    @property
    def threads(self) -> int:
        """The threads of this machine that other work may use: all cores, because the games are played elsewhere."""
        return all_cores()

    def connect(self) -> "DaskBackend":
        """Connect to the scheduler, check its workers, and return the backend itself."""
        _ = self._client
        return self

    def close(self) -> None:
        """Close the connection. The cluster keeps running, and the next use connects again."""
        client = self.__dict__.pop("_client", None)
        if client is not None:
            client.close()

    def __enter__(self) -> "DaskBackend":
        return self.connect()

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone: another process makes its own connection."""
        return {"address": self.address, "task_seconds": self.task_seconds}

    def play(self, request: Request, progress: PlayProgress | None = None) -> Evaluation:
        """Play the games. `progress` is called now and then with the games and pieces done so far."""
        started = time.perf_counter()
        joined = Joined(request)
        with closing(self._spread(request, play_part, progress)) as parts:
            for part, played in parts:
                joined.put(part, played)
        return joined.evaluation(time.perf_counter() - started)

    def summarise(self, request: Request, progress: PlayProgress | None = None) -> Summary:
        """Play the games and return only their figures, so that few bytes travel."""
        started = time.perf_counter()
        total: Summary | None = None
        with closing(self._spread(request, summarise_part, progress)) as parts:
            for _part, summary in parts:
                total = total + summary if total else summary
        assert total  # a request has at least one game
        return replace(total, seconds=time.perf_counter() - started)

    def search(self, search: Search, progress: Callable[[], None] | None = None) -> dict[str, Any]:
        """Run a search on all threads of one worker. An interrupt returns the best solution so far."""
        client, key = self._client, f"blockfall-search-{uuid.uuid4().hex}"
        try:
            future = client.submit(run_search, search, identity(), key, key=key, pure=False)
        except (TypeError, AttributeError) as error:  # what pickling raises
            raise SettingError(f"this search cannot be sent to a cluster ({error}); use --backend local") from None
        inbox = _Inbox(self)
        inbox.expect(future)
        try:
            try:
                while not future.done():
                    inbox.places()
                    inbox.arrived()
                    if progress:
                        progress()
            except KeyboardInterrupt:
                client.run(stop_search, key)
                inbox.arrived(_STOP_SECONDS)
                if not future.done():
                    raise
            return dict(self._results([future])[0])
        finally:
            _cancel(client, [future])

    @cached_property
    def _client(self) -> Any:
        if importlib.util.find_spec("distributed") is None:
            raise SettingError("the backend dask needs dask.distributed: pip install 'blockfall[dask]'")
        from distributed import Client
        from distributed.comm.addressing import parse_address
        from distributed.comm.registry import get_backend

        try:
            get_backend(parse_address(self.address)[0])  # a wrong scheme would make the client wait
            client = Client(self.address, timeout=_CONNECT_SECONDS, set_as_default=False, name="blockfall")
        except Exception as error:  # an address can be wrong in many ways
            why = " ".join(str(error).split()) or type(error).__name__
            raise SettingError(f"no Dask scheduler answers at {self.address} ({why[:120]})") from None
        try:
            found = client.run(identity, on_error="return")
            for worker, theirs in found.items():
                _check(worker, theirs)
        except BaseException:
            client.close()
            raise
        return client

    @cached_property
    def _paces(self) -> dict[object, TaskPace]:
        """The pace learned for each kind of game: a training asks for the same kind again and again."""
        return {}

    def _spread(self, request: Request, task: DaskTask, progress: PlayProgress | None) -> Results:
        """Send the parts of a request to the workers, and yield each with its result as it arrives."""
        client, cutter, inbox, expected = self._client, Cutter(request), _Inbox(self), identity()
        kind = (request.rules.name, request.agent.name, request.max_pieces, request.tries)
        pace = self._paces.setdefault(kind, TaskPace(self.task_seconds, max(self.task_seconds, LONGEST_TASK_SECONDS)))
        name, started, games, pieces = f"blockfall-{uuid.uuid4().hex}", time.monotonic(), 0, 0
        sent: dict[Any, GameBlock] = {}
        try:
            while True:
                places = inbox.places()
                probing = not pace.is_sure and time.monotonic() - started < _PROBE_SECONDS
                most = min(_PROBES, 2 * places) if probing else 2 * places
                while cutter.left and len(sent) < most:
                    part = cutter.cut(pace.games(cutter.left, places))
                    key = f"{name}-{part.candidates.start}-{part.games.start}"
                    future = client.submit(task, part.request(), expected, key=key, pure=False)
                    sent[future] = part
                    inbox.expect(future)
                done = inbox.arrived()
                for future, (result, placed, seconds) in zip(done, self._results(done), strict=True):
                    part = sent.pop(future)
                    pace.add(part.size, seconds)
                    games, pieces = games + part.size, pieces + placed
                    yield part, result
                if progress:
                    progress(games, pieces)
                if not (cutter.left or sent):
                    return
        finally:
            _cancel(client, list(sent))

    def _results(self, futures: list[Any]) -> list[Any]:
        """Return the results of finished futures. An error of a worker is raised here."""
        from distributed import KilledWorker

        try:
            return list(self._client.gather(futures)) if futures else []
        except BlockfallError:
            raise
        except KilledWorker as error:
            died = error.allowed_failures + 1
            raise ConnectionLostError(f"{died} workers died on the same task; their logs say why") from None
        except (CancelledError, OSError):
            raise self._gone() from None
        except ImportError as error:
            raise SettingError(f"a worker has a different version of Blockfall ({error})") from None

    def _gone(self) -> ConnectionLostError:
        return ConnectionLostError(f"the Dask scheduler at {self.address} has gone away, or the tasks were cancelled")


class _Inbox:
    """The finished tasks, in the order in which they finished, and the number of places where tasks run."""

    def __init__(self, backend: DaskBackend) -> None:
        self._backend = backend
        self._done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._counted = -math.inf
        self._places = 0
        self._warned = False

    def expect(self, future: Any) -> None:
        """Add a task to those that are expected."""
        future.add_done_callback(self._done.put)

    def arrived(self, seconds: float = _TICK_SECONDS) -> list[Any]:
        """Wait up to `seconds` for the next finished task, and return all that are finished."""
        try:
            found = [self._done.get(timeout=seconds)]
        except queue.Empty:
            return []
        while not self._done.empty():
            found.append(self._done.get())
        return found

    def places(self) -> int:
        """Return the number of threads of all workers, counted every few seconds. Warn once if there are none."""
        if time.monotonic() - self._counted >= _COUNT_SECONDS:
            try:
                self._places = sum(self._backend._client.nthreads().values())
            except OSError:
                raise self._backend._gone() from None
            self._counted = time.monotonic()
            if not self._places and not self._warned:
                warnings.warn(f"dask:{self._backend.address} has no workers now; waiting for some", stacklevel=2)
            self._warned = not self._places
        return self._places


def _cancel(client: Any, futures: list[Any]) -> None:
    """Cancel tasks. A scheduler that has gone away has none."""
    if futures:
        with suppress(Exception):
            client.cancel(futures, force=True)


def _check(worker: str, theirs: Identity | Exception) -> None:
    """Refuse a worker that differs from this process, or that cannot identify itself."""
    if isinstance(theirs, Exception):
        why = " ".join(str(theirs).split())
        raise SettingError(f"the worker {worker} cannot run Blockfall {identity().version} ({why})")
    refuse_another(worker, theirs, identity())
