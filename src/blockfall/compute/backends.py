"""Backends, which play requests. To add one, write a class with two members and name it in `BACKENDS`.

>>> backend("local:2")
LocalBackend(threads=2, simd=None)
"""

from collections.abc import Callable, Collection
from typing import Any, NamedTuple, Protocol, runtime_checkable

from blockfall.compute.cuda import CudaBackend, Device
from blockfall.compute.dask import DaskBackend
from blockfall.compute.evaluation import Evaluation, PlayProgress
from blockfall.compute.local import LocalBackend
from blockfall.compute.request import Request
from blockfall.compute.search import Search
from blockfall.compute.summary import Summary
from blockfall.errors import SettingError, UnknownNameError, shortened


@runtime_checkable
class Backend(Protocol):
    """A player of requests. Equal requests give the same games on every backend.

    Any object with these two members is a backend. One on a GPU also has `device`, on which board networks can
    learn. This one counts the games:

    >>> import blockfall
    >>> class Counting:
    ...     threads, games = 1, 0
    ...
    ...     def play(self, request, progress=None):
    ...         self.games += request.games
    ...         return blockfall.LocalBackend(self.threads).play(request, progress)
    >>> counting = Counting()
    >>> played = blockfall.evaluate(rules="nes-no-rotation", agent="birken-6", games=20, backend=counting)
    >>> played.lines.shape, counting.games
    ((20,), 20)
    """

    @property
    def threads(self) -> int:
        """The threads of this machine that other work, such as a search, may use."""
        ...

    def play(self, request: Request, progress: PlayProgress | None = None) -> Evaluation:
        """Play the games to their end. `progress` is called now and then with the games and pieces done so far."""
        ...


@runtime_checkable
class Summarising(Backend, Protocol):
    """A backend that cuts long requests by itself when only their figures are wanted: it knows what it can hold."""

    def summarise(self, request: Request, progress: PlayProgress | None = None) -> Summary:
        """Play the games to their end and return only their figures."""
        ...


@runtime_checkable
class Shared(Backend, Protocol):
    """A backend that is faster when several threads of this process use it at once."""

    @property
    def requests_at_once(self) -> int:
        """The number of threads that should use it at once, each asking for some thousand games at a time."""
        ...

    def prepared_for(self, features: Collection[str]) -> "Shared":
        """The same backend, prepared once for all agents that use some of these features."""
        ...


@runtime_checkable
class Divisible(Backend, Protocol):
    """A backend whose threads can each do other work."""

    @property
    def one_thread(self) -> Backend:
        """The same backend with a single thread."""
        ...


@runtime_checkable
class Cluster(Summarising, Protocol):
    """A backend on other machines. It also runs searches there, so that little has to travel."""

    def search(self, search: Search, progress: Callable[[], None] | None = None) -> dict[str, Any]:
        """Run a search on another machine and return what the core found. `progress` is called now and then."""
        ...


def device_of(backend: Backend | None) -> Device | None:
    """Return the GPU that a backend plays on: its `device`. None for a backend without one."""
    return getattr(backend, "device", None)


class BackendRow(NamedTuple):
    """A row of `BACKENDS`."""

    form: str
    """The form that users write."""
    from_text: Callable[[str], Backend]
    """The function that makes the backend from the text after the colon."""


BACKENDS = {
    "local": BackendRow("local[:THREADS]", LocalBackend.from_text),
    "dask": BackendRow("dask:ADDRESS", DaskBackend.from_text),
    "cuda": BackendRow("cuda", CudaBackend.from_text),
}
"""All backends, by the word before the colon."""


def backend(name: str | Backend | None = None) -> Backend:
    """Return the backend of `local`, `local:THREADS`, `cuda` or `dask:ADDRESS`. None is this machine's cores.

    >>> import blockfall
    >>> blockfall.backend("local:2")
    LocalBackend(threads=2, simd=None)
    """
    if name is None:
        return LocalBackend()
    if isinstance(name, Backend):
        return name
    if not isinstance(name, str):
        raise SettingError(f"backend {shortened(name)}; give a backend or its text, such as local:2")
    kind, _, rest = name.partition(":")
    if kind not in BACKENDS:
        raise UnknownNameError("backend", kind, list(BACKENDS))
    return BACKENDS[kind].from_text(rest)
