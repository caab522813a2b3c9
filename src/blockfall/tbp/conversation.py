"""A conversation with a bot in another program, as the protocol's frontend.

The bot may hang, lie, flood or die. Every answer has a time limit. A bot that exceeds it is killed, with all programs
that it started, and a `BotError` says what went wrong.
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
"""The time limit for a bot to introduce itself and report that it is ready."""
_MOST_WAITING = 1000  # messages received but not yet handled
_QUIT_SECONDS = 1.0


class Conversation:
    """A bot's process and the state of the conversation. Use it from one thread only."""

    def __init__(self, command: str, time_limit_s: float, randomizer: str = "unknown") -> None:
        """Start the program and wait until it is ready."""
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
            raise BotError(f"cannot read the command {visible(command)!r}: {error}") from None
        except OSError as error:
            raise BotError(f"cannot start the bot {visible(command)!r}: {error.strerror or error}") from None
        assert self._process.stdin
        assert self._process.stdout
        self._received: queue.Queue[bytes | None] = queue.Queue(_MOST_WAITING)
        self._to_send: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=_read, args=(self._process.stdout, self._received), daemon=True)
        self._reader.start()
        threading.Thread(target=_write, args=(self._process.stdin, self._to_send), daemon=True).start()
        try:
            self._greet(randomizer)
        except BotError:
            self.close()
            raise

    def suggest(self, position: BotPosition) -> list[Move]:
        """Return the moves that the bot suggests here, the best first.

        If one of its last suggestions led to this position, the bot is sent that move and the new pieces. Otherwise it
        is sent a new start.
        """
        try:
            if not self._continue_to(position):
                self._send(written("stop") if self._expected else "")
                self._send(write_start(position))
            self._expected = position
            self._send(written("suggest"))
            self._suggested = read_suggestion(self._receive("suggestion", time.monotonic() + self.time_limit_s))
        except BotMessageError as error:
            self.close()
            raise BotError(f"{self._who} broke the protocol: {error}") from None
        except BotError:
            self.close()
            raise
        return self._suggested

    def close(self) -> None:
        """End the program and those that it started."""
        self._send(written("quit"))
        self._to_send.put(None)
        with contextlib.suppress(subprocess.TimeoutExpired):
            if self._process.poll() is None and self._suggested:  # it has behaved so far, so let it quit by itself
                self._process.wait(_QUIT_SECONDS)
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        until = time.monotonic() + _QUIT_SECONDS
        while self._reader.is_alive() and time.monotonic() < until:  # it may be waiting for room in the queue
            with contextlib.suppress(queue.Empty):
                self._received.get(timeout=0.01)

    @property
    def closed(self) -> bool:
        """True if the program has ended."""
        return self._process.poll() is not None

    @property
    def _who(self) -> str:
        return f"the bot {visible(self.command, 80)!r}"

    def _greet(self, randomizer: str) -> None:
        until = time.monotonic() + START_SECONDS
        name = self._receive("info", until).get("name")
        self.name = visible(name, 80) if isinstance(name, str) else ""
        self._send(written("rules", randomizer=randomizer))
        answer = self._receive("ready", until)
        if answer["type"] == "error":
            reason = visible(str(answer.get("reason")), 80)
            raise BotError(f"{self._who} does not play these rules: {reason}")

    def _continue_to(self, position: BotPosition) -> bool:
        """Send the bot the suggestion that led here from the last position, and return whether there was one."""
        if self._expected is None:
            return False
        for move in self._suggested:
            try:
                after = self._expected.after(move)
            except BlockfallError:
                continue
            if (after.board, after.hold) == (position.board, position.hold) and position.queue.startswith(after.queue):
                self._send(written("play", move=move.as_json()))
                for piece in position.queue[len(after.queue) :]:
                    self._send(written("new_piece", piece=piece))
                return True
        return False

    def _send(self, text: str) -> None:
        if text:
            self._to_send.put(text.encode())

    def _receive(self, kind: str, until: float) -> dict[str, Any]:
        """Return the next message of this type, or the bot's refusal of the rules. Others are ignored."""
        while True:
            try:
                line = self._received.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise BotError(f"{self._who} sent no {kind!r} in time") from None
            if line is None:
                raise BotError(f"{self._who} ended before it sent {kind!r}")
            try:
                message = parsed(line)
            except BotMessageError:
                continue
            if message["type"] == kind or (kind == "ready" and message["type"] == "error"):
                return message
            if time.monotonic() > until:
                raise BotError(f"{self._who} sent no {kind!r} in time")


def _read(stream: IO[bytes], received: "queue.Queue[bytes | None]") -> None:
    """Put each line from the bot into the queue, then None. An overlong line ends the stream."""
    try:
        while (line := stream.readline(MOST_BYTES + 1)) and len(line) <= MOST_BYTES:
            received.put(line)
    except (OSError, ValueError):  # the stream was closed
        pass
    received.put(None)


def _write(stream: IO[bytes], to_send: "queue.SimpleQueue[bytes | None]") -> None:
    """Send what is in the queue, in a thread of its own: a bot that does not read must not block this side."""
    try:
        while (text := to_send.get()) is not None:
            stream.write(text)
            stream.flush()
        stream.close()
    except (OSError, ValueError):  # the bot has ended
        pass
