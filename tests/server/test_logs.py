"""Logs that strangers cannot abuse."""

import asyncio
import errno
import logging
import subprocess
import sys
import threading

import pytest

from blockfall.server.logs import Aside, CalmHandler, Throttle, calm_loop


def written(message: str, error: Exception | None = None) -> str:
    lines: list[str] = []
    handler = CalmHandler(Throttle(), lines.append)
    trace = None
    if error:
        try:
            raise error
        except Exception:
            trace = sys.exc_info()
    handler.handle(logging.LogRecord("nicegui", logging.ERROR, "", 0, message, (), trace))
    return "".join(lines)


def test_control_characters_are_shown_as_such() -> None:
    said = written("\x1b[2J\x1b]0;title\x07\r\x9b31mred")
    assert said == "error: nicegui: \\x1b[2J\\x1b]0;title\\x07\\r\\x9b31mred\n"


def test_a_message_cannot_forge_log_lines() -> None:
    false = "x\nblockfall: serving at http://evil.example"
    assert len(written(false).splitlines()) == 1
    lines = written("failed", ValueError(false)).splitlines()
    assert lines[0] == "error: nicegui: failed"
    assert all(line.startswith("  | ") for line in lines[1:])
    assert any("serving at" in line for line in lines[1:])


def test_messages_are_cut() -> None:
    assert len(written("x" * 1_000_000)) < 600
    assert len(written("x", ValueError("y" * 1_000_000))) < 10_000


def test_messages_are_throttled_and_counted() -> None:
    now, lines = [0.0], list[str]()
    handler = CalmHandler(Throttle(burst=3, per_second=1, clock=lambda: now[0]), lines.append)
    for _ in range(1000):
        handler.handle(logging.LogRecord("app", logging.WARNING, "", 0, "flood", (), None))
    assert lines == ["warning: app: flood\n"] * 3
    now[0] = 1.0
    handler.handle(logging.LogRecord("app", logging.WARNING, "", 0, "after", (), None))
    assert lines[-1] == "997 messages were left out\nwarning: app: after\n"


def test_a_stalled_reader_blocks_nobody() -> None:
    written, writes, reads = [], threading.Event(), threading.Event()

    def write(text: str) -> None:
        writes.set()
        reads.wait()
        written.append(text)

    aside = Aside(write, most_waiting=3)
    aside("0")
    assert writes.wait(30)
    for number in range(1, 9):
        aside(f"{number}")
    aside.finish(0.1)
    assert written == []
    reads.set()
    aside.finish(30)
    assert written == ["0", "1", "2", "3"]


def test_libraries_do_not_write_past_the_throttle() -> None:
    """Engine.IO, which NiceGUI brings, used to write a traceback for each bad message by a handler of its own."""
    pytest.importorskip("nicegui", reason="the extra `app`")
    program = (
        "import logging, nicegui\n"
        "from blockfall.server.logs import calm_logs\n"
        "assert logging.getLogger('engineio.server').handlers\n"
        "calm_logs()\n"
        "for _ in range(1000):\n"
        "    logging.getLogger('engineio.server').error('message async handler error')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert set(lines) == {"error: engineio.server: message async handler error"}
    assert len(lines) < 30


def test_out_of_descriptors_is_one_line(caplog: pytest.LogCaptureFixture) -> None:
    loop = asyncio.new_event_loop()
    try:
        calm_loop(loop)
        for _ in range(500):
            loop.call_exception_handler(
                {"message": "socket.accept() out of system resource", "exception": OSError(errno.EMFILE, "Too many")}
            )
        assert [record.getMessage() for record in caplog.records] == [
            "cannot accept more connections: Too many; open ones continue"
        ]
        loop.call_exception_handler({"message": "another fault", "exception": ValueError("x")})
        assert "another fault" in caplog.text
    finally:
        loop.close()
