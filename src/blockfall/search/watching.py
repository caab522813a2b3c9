"""A watchdog that stops a user's code at a limit.

A second thread watches the code. When a limit is reached, it raises an exception in the code's thread, at the
interpreter's next step. So a call that waits outside Python, such as `time.sleep`, must return first. Code that catches
every exception in an endless loop is not stopped: that takes a separate process, as in `blockfall grade`.
"""

import ctypes
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

_LOOK_S = 0.05


class Stopped(BaseException):
    """A limit was reached. Not an Exception, as no algorithm should catch it."""


class Watchdog:
    """A thread that asks `limit` several times a second, until `end`, whether a limit is reached."""

    def __init__(self, limit: Callable[[], bool]) -> None:
        self._limit = limit
        self._thread = threading.get_ident()
        self._inside = False
        self._turn = threading.Lock()
        self._ended = threading.Event()
        threading.Thread(target=self._watch, name="watchdog", daemon=True).start()

    def call(self, function: Callable[..., T], *args: Any) -> T:
        """Call the function; raise Stopped in it once a limit is reached."""
        if self._limit():
            raise Stopped
        try:
            self._inside = True
            return function(*args)
        finally:
            self._inside = False
            with self._turn:  # no exception is being sent now; one sent but not yet raised is withdrawn
                _raise_in(self._thread, None)

    def end(self) -> None:
        """Stop watching."""
        self._ended.set()

    def _watch(self) -> None:
        while not self._ended.wait(_LOOK_S):
            with self._turn:
                if self._inside and self._limit():
                    _raise_in(self._thread, Stopped)


def _raise_in(thread: int, kind: type[BaseException] | None) -> None:
    sent = None if kind is None else ctypes.py_object(kind)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), sent)
