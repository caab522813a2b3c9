"""A talk with a bot in another program: this side is the frontend of the protocol.

The bot may hang, lie, flood or die. Every answer has a time limit, and a bot that breaks it is ended, with all programs
that it started. `BotError` says what it did.
"""

import contextlib
import os
import queue
import shlex
import signal
import subprocess
import threading
import time
from typing import IO, Any

from blockfall.errors import BlockfallError, BotError
from blockfall.tbp.messages import (
    MOST_BYTES,
    BotMessageError,
    parsed,
    read_suggestion,
    write_start,
    written,
)
from blockfall.tbp.moves import Move
from blockfall.tbp.positions import BotPosition
from blockfall.validation import visible

START_SECONDS = 20.0
"""The most seconds that a bot may take to say who it is and that it is ready."""
_MOST_WAITING = 1000  # messages that were read and not looked at yet
_QUIT_SECONDS = 1.0


class Conversation:
    """A bot's process, and what it was told so far. Use it in one thread."""

    def __init__(self, command: str, time_limit_s: float, randomizer: str = "unknown") -> None:
        """Starts the program and waits until it is ready."""
        self.command, self.time_limit_s = command, time_limit_s
        self.name = ""
        self._expected: BotPosition | None = None
        self._suggested: list[Move] = []
        try:
            words = shlex.split(command)
            if not words:
                raise BotError("tbp: names no program; write tbp:COMMAND, such as tbp:cold-clear")
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except ValueError as error:
            raise BotError(f"the command {visible(command)!r} cannot be read: {error}") from None
        except OSError as error:
            raise BotError(f"the bot {visible(command)!r} does not start: {error.strerror or error}") from None
        assert self._process.stdin
        assert self._process.stdout
        self._said: queue.Queue[bytes | None] = queue.Queue(_MOST_WAITING)
        self._to_say: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=_read, args=(self._process.stdout, self._said), daemon=True)
        self._reader.start()
        threading.Thread(target=_write, args=(self._process.stdin, self._to_say), daemon=True).start()
        try:
            self._greet(randomizer)
        except BotError:
            self.close()
            raise

    def suggest(self, position: BotPosition) -> list[Move]:
        """The moves that the bot suggests here, the best first.

        Where the position follows from the last one by a suggested move, the bot is told that move and the new pieces.
        Otherwise it is told to begin anew.
        """
        try:
            if not self._goes_on(position):
                self._say(written("stop") if self._expected else "")
                self._say(write_start(position))
            self._expected = position
            self._say(written("suggest"))
            self._suggested = read_suggestion(self._hear("suggestion", time.monotonic() + self.time_limit_s))
        except BotMessageError as error:
            self.close()
            raise BotError(f"{self._who} broke the protocol: {error}") from None
        except BotError:
            self.close()
            raise
        return self._suggested

    def close(self) -> None:
        """Ends the program, and those that it started."""
        self._say(written("quit"))
        self._to_say.put(None)
        with contextlib.suppress(subprocess.TimeoutExpired):
            if self._process.poll() is None and self._suggested:  # it has behaved so far: it may leave by itself
                self._process.wait(_QUIT_SECONDS)
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        until = time.monotonic() + _QUIT_SECONDS
        while self._reader.is_alive() and time.monotonic() < until:  # it may wait for room in the queue
            with contextlib.suppress(queue.Empty):
                self._said.get(timeout=0.01)

    @property
    def closed(self) -> bool:
        """Whether the program has ended."""
        return self._process.poll() is not None

    @property
    def _who(self) -> str:
        return f"the bot {visible(self.command, 80)!r}"

    def _greet(self, randomizer: str) -> None:
        until = time.monotonic() + START_SECONDS
        name = self._hear("info", until).get("name")
        self.name = visible(name, 80) if isinstance(name, str) else ""
        self._say(written("rules", randomizer=randomizer))
        answer = self._hear("ready", until)
        if answer["type"] == "error":
            reason = visible(str(answer.get("reason")), 80)
            raise BotError(f"{self._who} does not play these rules: {reason}")

    def _goes_on(self, position: BotPosition) -> bool:
        """Tells the bot the move that led here from the last position, if one of its suggestions did."""
        if self._expected is None:
            return False
        for move in self._suggested:
            try:
                after = self._expected.after(move)
            except BlockfallError:
                continue
            if (after.board, after.hold) == (position.board, position.hold) and position.queue.startswith(after.queue):
                self._say(written("play", move=move.as_json()))
                for piece in position.queue[len(after.queue) :]:
                    self._say(written("new_piece", piece=piece))
                return True
        return False

    def _say(self, text: str) -> None:
        if text:
            self._to_say.put(text.encode())

    def _hear(self, kind: str, until: float) -> dict[str, Any]:
        """The next message of this type, or an error of the bot's. Others are ignored."""
        while True:
            try:
                row = self._said.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise BotError(f"{self._who} sent no {kind!r} in time") from None
            if row is None:
                raise BotError(f"{self._who} ended before it sent {kind!r}")
            try:
                message = parsed(row)
            except BotMessageError:
                continue
            if message["type"] == kind or (kind == "ready" and message["type"] == "error"):
                return message
            if time.monotonic() > until:
                raise BotError(f"{self._who} sent no {kind!r} in time")


def _read(stream: IO[bytes], said: "queue.Queue[bytes | None]") -> None:
    """Puts each row that the bot says into the queue, and None at its end. A row that is too long ends it."""
    try:
        while (row := stream.readline(MOST_BYTES + 1)) and len(row) <= MOST_BYTES:
            said.put(row)
    except (OSError, ValueError):  # closed meanwhile
        pass
    said.put(None)


def _write(stream: IO[bytes], to_say: "queue.SimpleQueue[bytes | None]") -> None:
    """Tells the bot what is in the queue, in a thread: a bot that does not read must not hold up this side."""
    try:
        while (text := to_say.get()) is not None:
            stream.write(text)
            stream.flush()
        stream.close()
    except (OSError, ValueError):  # it has ended
        pass
