"""Stops code of a user's own that does not look at the clock.

A thread looks on while the code runs. Where a limit is met, it has an exception raised in the code's own thread, which
may be any: Python raises it at the next step of the interpreter. So a call that waits outside Python, such as
`time.sleep`, is left first, and code that catches every exception in an endless loop is not stopped: only a process of
its own can be, as `blockfall grade` has one for each submission.
"""

import ctypes
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

_LOOK_S = 0.05


class Stopped(BaseException):
    """A limit. No algorithm should catch it, so it is no Exception."""


class Watch:
    """Looks on from its making until `end`. `limit` tells whether a limit is met, and is asked some times a second."""

    def __init__(self, limit: Callable[[], bool]) -> None:
        self._limit = limit
        self._thread = threading.get_ident()
        self._inside = False
        self._turn = threading.Lock()
        self._ended = threading.Event()
        threading.Thread(target=self._look_on, name="watch", daemon=True).start()

    def call(self, function: Callable[..., T], *args: Any) -> T:
        """Calls the function, or raises Stopped in it once a limit is met."""
        if self._limit():
            raise Stopped
        try:
            self._inside = True
            return function(*args)
        finally:
            self._inside = False
            with self._turn:  # or the exception is about to be sent; one that was sent and not raised yet is taken back
                _raise_in(self._thread, None)

    def end(self) -> None:
        """Looks no longer."""
        self._ended.set()

    def _look_on(self) -> None:
        while not self._ended.wait(_LOOK_S):
            with self._turn:
                if self._inside and self._limit():
                    _raise_in(self._thread, Stopped)


def _raise_in(thread: int, kind: type[BaseException] | None) -> None:
    sent = None if kind is None else ctypes.py_object(kind)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), sent)
