"""Logs that strangers cannot misuse.

Text from strangers may get into a log: a name, an address, the words of an error. It must not repaint the terminal,
look like one of our own messages, or fill the disk. So control characters are escaped, messages are cut, tracebacks are
indented, and the number of messages per second is limited; those left out are counted. A log that nobody reads blocks
nobody.
"""

import asyncio
import atexit
import errno
import logging
import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from blockfall.validation import visible

_MOST_CHARACTERS = 500
_MOST_TRACEBACK = 4000
_BURST = 20
_PER_SECOND = 1.0
_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class Throttle:
    """A limit that lets a burst of messages through, then about one a second, and counts those that it holds back."""

    def __init__(
        self, burst: int = _BURST, per_second: float = _PER_SECOND, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._burst, self._per_second, self._clock = burst, per_second, clock
        self._allowance, self._refilled = float(burst), clock()
        self._left_out = 0

    def allows(self) -> bool:
        """Return whether one more message may pass now."""
        now = self._clock()
        self._allowance = min(self._burst, self._allowance + (now - self._refilled) * self._per_second)
        self._refilled = now
        if self._allowance < 1:
            self._left_out += 1
            return False
        self._allowance -= 1
        return True

    def left_out(self) -> int:
        """Return the number of messages held back since the last call."""
        count, self._left_out = self._left_out, 0
        return count


class Aside:
    """A writer with its own thread, so that a stopped terminal or a pipe that nobody reads holds up nothing else.

    While nothing can be written, texts wait in a queue of limited length; any others are dropped.
    """

    def __init__(self, write: Callable[[str], None], most_waiting: int = 1000) -> None:
        self._write = write
        self._texts: queue.Queue[str] = queue.Queue(most_waiting)
        threading.Thread(target=self._work, daemon=True).start()

    def __call__(self, text: str) -> None:
        """Queue a text to be written."""
        with suppress(queue.Full):
            self._texts.put_nowait(text)

    def finish(self, seconds: float = 2.0) -> None:
        """Wait until all is written, but at most this long."""
        end = time.monotonic() + seconds
        while self._texts.unfinished_tasks and time.monotonic() < end:
            time.sleep(0.01)

    def _work(self) -> None:
        while True:
            text = self._texts.get()
            with suppress(OSError, ValueError):  # its reader is gone
                self._write(text)
            self._texts.task_done()


class CalmHandler(logging.Handler):
    """A handler that writes each message to stderr as one safe line; a traceback follows, indented."""

    def __init__(self, throttle: Throttle | None = None, write: Callable[[str], None] | None = None) -> None:
        super().__init__(logging.WARNING)
        self._throttle = throttle or Throttle()
        self._write = write or _to_stderr

    def emit(self, record: logging.LogRecord) -> None:
        """Write a message or hold it back."""
        try:
            if self._throttle.allows():
                self._write(self._text(record))
        except Exception:
            self.handleError(record)

    def _text(self, record: logging.LogRecord) -> str:
        left_out = self._throttle.left_out()
        said = f"{record.levelname.lower()}: {record.name}: {visible(record.getMessage(), _MOST_CHARACTERS)}\n"
        if left_out:
            said = f"{left_out:,} messages were left out\n{said}"
        if record.exc_info and record.exc_info[0]:
            trace = logging.Formatter().formatException(record.exc_info)[-_MOST_TRACEBACK:]
            said += "".join(f"  | {visible(line, _MOST_CHARACTERS)}\n" for line in trace.split("\n"))
        return said


def _to_stderr(text: str) -> None:
    """Write past Python's buffer, whose lock would abort a process that exits while nothing can be written."""
    os.write(sys.stderr.fileno(), text.encode(sys.stderr.encoding, "backslashreplace"))


def calm_logs() -> None:
    """Let all loggers of this process write through one `CalmHandler`.

    Call it once libraries are loaded: some, such as Engine.IO, give their loggers their own handlers.
    """
    root = logging.getLogger()
    if not any(isinstance(handler, CalmHandler) for handler in root.handlers):
        aside = Aside(_to_stderr)
        atexit.register(aside.finish)
        root.handlers[:] = [CalmHandler(write=aside)]
    for name in list(root.manager.loggerDict):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True


def calm_loop(loop: asyncio.AbstractEventLoop, every_seconds: float = 10.0) -> None:
    """Let a loop report in one line that it lacks the descriptors or memory to accept connections.

    By itself, asyncio writes a traceback for each attempt, hundreds a second.
    """
    said = -every_seconds

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        nonlocal said
        error = context.get("exception")
        if not (isinstance(error, OSError) and error.errno in _EXHAUSTED):
            loop.default_exception_handler(context)
            return
        if time.monotonic() - said >= every_seconds:
            said = time.monotonic()
            logging.getLogger("blockfall").warning(
                "cannot accept more connections: %s; open ones continue", error.strerror
            )

    loop.set_exception_handler(handle)
