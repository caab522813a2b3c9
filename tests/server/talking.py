"""Helpers that start a course server and send it good and bad messages."""

import asyncio
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from blockfall.server.messages import MOST_NAME
from tests.program import next_line, start_program

JOIN = json.dumps({"cmd": "join", "name": "ann"})
VIEW = json.dumps({"cmd": "join"})
HELLO = (
    b"GET /player HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
"""The handshake of a WebSocket made by hand."""
BAD: list[str | bytes] = [
    b"\xff\xfe",
    "",
    "not JSON",
    "[1, 2]",
    "3",
    "null",
    '"join"',
    '{"cmd": "join"',
    '{"cmd": "fly"}',
    '{"cmd": 7}',
    '{"cmd": ["join"]}',
    '{"cmd": null}',
    '{"cmd": "join"}',
    '{"cmd": "join", "name": ""}',
    '{"cmd": "join", "name": "   "}',
    '{"cmd": "join", "name": 3}',
    '{"cmd": "join", "name": {"a": 1}}',
    json.dumps({"cmd": "join", "name": "x" * (MOST_NAME + 1)}),
    json.dumps({"cmd": "join", "name": "\x1b[2J"}),
    '{"cmd": "key"}',
    '{"cmd": "key", "key": "w"}',
    '{"cmd": "key", "key": 1}',
    '{"cmd": "key", "key": null}',
    "[" * 2000,
    '{"a":' * 700,
    "9" * 4000,
]


class Scores:
    def __init__(self) -> None:
        self.rows: list[tuple[str, int]] = []

    def add(self, name: str, score: int) -> None:
        self.rows = sorted([*self.rows, (name, score)], key=lambda row: -row[1])

    def best(self) -> Sequence[tuple[str, int]]:
        return self.rows[:10]


def key(letter: str) -> str:
    return json.dumps({"cmd": "key", "key": letter})


async def receive(connection: ClientConnection) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(await asyncio.wait_for(connection.recv(), 30))
    return said


async def until_closed(connection: ClientConnection) -> tuple[list[dict[str, Any]], int | None]:
    """The remaining messages, and the code of the close."""
    said = []
    try:
        while True:
            said.append(await receive(connection))
    except ConnectionClosed:
        return said, connection.close_code


def start_server(home: Path, *options: str) -> tuple[subprocess.Popen[str], str]:
    serve = ("serve", "--port", "0", "--seed", "3")
    process = start_program(*serve, *options, home=home, env={"PYTHONUNBUFFERED": "1"})
    assert process.stdout
    line = next_line(process.stdout)
    found = re.search(r"ws://[\d.]+:\d+", line)
    assert found, line
    return process, found[0]


@contextmanager
def running_server(home: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `blockfall serve` as a separate process, and yield it and its address. At the end, it is killed."""
    process, url = start_server(home, *options)
    try:
        yield process, url
    finally:
        process.kill()
        process.communicate(timeout=10)


def stopped(process: subprocess.Popen[str]) -> tuple[int, int]:
    """Stop a server. Return the number of its frames, and of those that were late."""
    process.send_signal(signal.SIGTERM)
    out, errors = process.communicate(timeout=30)
    assert process.returncode == 0, errors
    found = re.search(r"([\d,]+) frames, ([\d,]+) late.*", out)
    assert found, out
    print(found[0], file=sys.stderr)
    frames, late = (int(found[place].replace(",", "")) for place in (1, 2))
    return frames, late
