"""Who plays a request. To add a backend, write a class with two members and name it in `BACKENDS`.

>>> backend("local:2")
LocalBackend(threads=2, simd=None)
"""

from collections.abc import Callable, Collection
from typing import Any, Protocol, runtime_checkable

from blockfall.compute.cuda import CudaBackend
from blockfall.compute.dask import DaskBackend
from blockfall.compute.evaluation import Evaluation, PlayProgress
from blockfall.compute.local import LocalBackend
from blockfall.compute.request import Request
from blockfall.compute.search import Search
from blockfall.compute.summary import Summary
from blockfall.errors import SettingError, UnknownNameError, shortened


@runtime_checkable
class Backend(Protocol):
    """Plays requests. Equal requests give the same games on every backend.

    Any object with these two members is a backend. This one counts the games:

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
        """Plays the games to their end. `progress` is called now and then with the games and the pieces done."""
        ...


@runtime_checkable
class Summarising(Backend, Protocol):
    """A backend that cuts long requests itself, where only their figures are wanted: it knows what it can hold."""

    def summarise(self, request: Request, progress: PlayProgress | None = None) -> Summary:
        """Plays the games to their end and gives only their figures."""
        ...


@runtime_checkable
class Shared(Backend, Protocol):
    """A backend that is faster when several threads of this process play by it at once."""

    @property
    def requests_at_once(self) -> int:
        """How many threads, where each asks for some thousand games at a time."""
        ...

    def prepared_for(self, features: Collection[str]) -> "Shared":
        """The same backend for agents that look at some of these features: it prepares once for all of them."""
        ...


@runtime_checkable
class Cluster(Summarising, Protocol):
    """A backend of other machines. Only little should travel, so it also runs searches there."""

    def search(self, search: Search, progress: Callable[[], None] | None = None) -> dict[str, Any]:
        """Runs a search on another machine and brings back what the core found. `progress` is called now and then."""
        ...


BACKENDS: dict[str, Callable[[str], Backend]] = {
    "local": LocalBackend.from_text,
    "dask": DaskBackend.from_text,
    "cuda": CudaBackend.from_text,
}
"""By the word before the colon, what makes a backend of the text after it."""


def backend(name: str | Backend | None = None) -> Backend:
    """The backend of this text: `local`, `local:THREADS`, `cuda` or `dask:ADDRESS`. None gives this machine's cores.

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
    return BACKENDS[kind](rest)
