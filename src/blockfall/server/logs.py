"""Logs that strangers cannot misuse.

What a stranger sends may come into a log: a name, an address, the words of an error. Such text must not repaint the
terminal, must not look like a message of our own, and must not fill the disk. So control characters are shown as
escapes, messages are cut, tracebacks are indented, and only so many messages come in a second. What was left out is
counted. And where nobody reads what is written, nobody else waits.
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
    """Lets a burst of messages through, then about one in a second, and counts those that it keeps back."""

    def __init__(
        self, burst: int = _BURST, per_second: float = _PER_SECOND, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._burst, self._per_second, self._clock = burst, per_second, clock
        self._allowance, self._refilled = float(burst), clock()
        self._left_out = 0

    def allows(self) -> bool:
        """Whether one more message may come now."""
        now = self._clock()
        self._allowance = min(self._burst, self._allowance + (now - self._refilled) * self._per_second)
        self._refilled = now
        if self._allowance < 1:
            self._left_out += 1
            return False
        self._allowance -= 1
        return True

    def left_out(self) -> int:
        """How many messages were kept back since the last call."""
        count, self._left_out = self._left_out, 0
        return count


class Aside:
    """Writes in a thread of its own: a terminal that was stopped, or a pipe that nobody reads, holds up nobody else.

    While nothing can be written, so many texts wait; others are left out.
    """

    def __init__(self, write: Callable[[str], None], most_waiting: int = 1000) -> None:
        self._write = write
        self._texts: queue.Queue[str] = queue.Queue(most_waiting)
        threading.Thread(target=self._work, daemon=True).start()

    def __call__(self, text: str) -> None:
        """Has a text written soon."""
        with suppress(queue.Full):
            self._texts.put_nowait(text)

    def finish(self, seconds: float = 2.0) -> None:
        """Waits until all is written, for so long at most."""
        end = time.monotonic() + seconds
        while self._texts.unfinished_tasks and time.monotonic() < end:
            time.sleep(0.01)

    def _work(self) -> None:
        while True:
            text = self._texts.get()
            with suppress(OSError, ValueError):  # whoever read it is gone
                self._write(text)
            self._texts.task_done()


class CalmHandler(logging.Handler):
    """Writes messages to stderr, one line each, with their text made safe. A traceback follows its line, indented."""

    def __init__(self, throttle: Throttle | None = None, write: Callable[[str], None] | None = None) -> None:
        super().__init__(logging.WARNING)
        self._throttle = throttle or Throttle()
        self._write = write or _to_stderr

    def emit(self, record: logging.LogRecord) -> None:
        """Writes a message, or keeps it back."""
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
    """Past Python's buffer, whose lock would end a process that exits while nothing can be written."""
    os.write(sys.stderr.fileno(), text.encode(sys.stderr.encoding, "backslashreplace"))


def calm_logs() -> None:
    """Lets all loggers of this process write through one `CalmHandler`.

    Call it once libraries are loaded: some, such as Engine.IO, give their loggers handlers of their own.
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
    """Lets a loop that cannot take connections, because descriptors or memory ran out, say so in one line.

    asyncio itself writes a traceback for each attempt, hundreds in a second.
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
                "no more connections can be taken: %s; those that are open go on", error.strerror
            )

    loop.set_exception_handler(handle)
