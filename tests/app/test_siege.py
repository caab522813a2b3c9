"""The app under siege, by many sockets and a flood of page requests: memory stays flat and watchers keep watching."""

import asyncio
import re
import socket
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import cast
from urllib.error import HTTPError

import pytest
import uvicorn
from nicegui import Client
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from websockets.asyncio.client import ClientConnection

from blockfall.app import connection, room
from blockfall.app.frame import HOME, PAGES
from tests.app.conftest import App, running_app
from tests.app.looking import awaited, comes_to
from tests.app.watchers import join
from tests.program import machine_is_busy

SOCKETS = 50
WARM_UP_S = 300
FORGOTTEN_S = 130
"""NiceGUI forgets a page without a browser after a minute, and looks for such pages now and then."""
WATCH = "/watch?speed=full"


def dialled(url: str) -> socket.socket:
    """Return a connection that has sent nothing yet."""
    host, port = url.split("/")[2].split(":")
    return socket.create_connection((host, int(port)), timeout=30)


def greeted(app: App) -> socket.socket:
    """Return a websocket that belongs to no page."""
    one = dialled(app.url)
    host, port = one.getpeername()
    one.sendall(
        f"GET /_nicegui_ws/socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: {host}:{port}\r\n"
        f"Origin: http://{host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    assert b" 101 " in one.recv(1000)
    return one


PING, TEXT = b"\x89\xfd\0\0\0\0" + bytes(125), b"\x81\x81\0\0\0\x003"


@pytest.mark.parametrize("frame", [PING, TEXT], ids=["pings", "messages"])
def test_a_flood_on_a_websocket_is_cut_off(app: App, frame: bytes) -> None:
    """Pings are answered below the app, so a visitor who never reads could fill the memory and block everybody."""
    before = resident_mib(app)
    with greeted(app) as one, pytest.raises((ConnectionResetError, BrokenPipeError)):
        one.sendall(frame * (50_000_000 // len(frame)))
    assert resident_mib(app) < before + 30


def test_a_message_that_is_too_long_is_not_read(app: App) -> None:
    with greeted(app) as one, pytest.raises((ConnectionResetError, BrokenPipeError)):
        one.sendall(b"\x81\xff" + (15_000_000).to_bytes(8, "big") + bytes(4) + b"4" * 15_000_000)


def test_headers_without_end_are_not_read(app: App) -> None:
    before = resident_mib(app)
    with dialled(app.url) as one, pytest.raises((ConnectionResetError, BrokenPipeError)):
        one.sendall(b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 5_000_000)
    assert resident_mib(app) < before + 30


@pytest.fixture
def little_room(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Run a server with room for two connections, which must send a request within a second."""

    async def greet(scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse("hello")(scope, receive, send)

    monkeypatch.setattr(connection, "_CONNECTIONS", 2)
    monkeypatch.setattr(connection, "_PATIENCE_S", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(greet, http=connection.CalmHttp, lifespan="off", log_config=None))
        serving = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        serving.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        server.should_exit = True
        serving.join(30)


def test_silent_connections_are_closed(little_room: str) -> None:
    with dialled(little_room) as silent, dialled(little_room) as slow:
        slow.sendall(b"GET / HT")
        with dialled(little_room) as third:
            assert third.recv(1) == b"", "the server must be full"
        assert silent.recv(1) == slow.recv(1) == b""
    with urllib.request.urlopen(little_room, timeout=30) as answer:
        assert answer.read() == b"hello"


def test_a_connection_that_sent_a_request_stays_open(little_room: str) -> None:
    with dialled(little_room) as one:
        for _ in range(2):
            one.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            said = b""
            while not said.endswith(b"hello") and (part := one.recv(1000)):
                said += part
            assert b"200 OK" in said
            time.sleep(1.2)


def test_a_full_app_says_so(tmp_path: Path) -> None:
    def answer() -> str:
        try:
            with urllib.request.urlopen(app.url, timeout=30) as page:
                return f"{page.status}"
        except HTTPError as error:
            return f"{error.code}: {error.read().decode()}"

    async def come_and_go() -> None:
        visitors = [await join(app.url + path) for path in ("play", "watch")]
        comes_to(answer, "503: all 2 pages of this app are in use; come back later\n")
        await visitors[0].close()
        comes_to(answer, "200")
        await visitors[1].close()

    with running_app(tmp_path, "--pages", "2") as app:
        awaited(come_and_go())


class FakePage:
    def __init__(self, number: int) -> None:
        self.id = str(number)
        self.deleted = False
        self.connects: list[Callable[[], object]] = []

    def on_connect(self, heard: Callable[[], object]) -> None:
        self.connects.append(heard)

    def on_delete(self, heard: Callable[[], object]) -> None: ...

    def delete(self) -> None:
        self.deleted = True


def test_the_oldest_pages_without_a_browser_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_waiting", {})
    pages = [FakePage(number) for number in range(room.MOST_WAITING + 4)]
    for page in pages:
        room.make_room(cast(Client, page))
        if page is pages[0]:
            page.connects[0]()  # its browser may go and come back
    assert [page.id for page in pages if page.deleted] == ["1", "2", "3"]


def resident_mib(app: App) -> float:
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{app.process.pid}/status").read_text())
    assert found
    return int(found[1]) / 1024


def flood(url: str, until: float, answers: list[int], least: int = 0) -> None:
    """Request one page after another until this time, and until there are at least that many answers."""
    for page in cycle((HOME, *PAGES)):
        if time.monotonic() > until and len(answers) >= least:
            return
        try:
            with urllib.request.urlopen(url.rstrip("/") + page.path, timeout=30) as answer:
                answers.append(answer.status)
        except OSError:
            answers.append(0)


async def follow(one: ClientConnection, pictures: list[float]) -> None:
    """Watch, answer pings, and note when each picture came."""
    async for message in one:
        if message == "2":
            await one.send("3")
        elif isinstance(message, str) and "runMethod" in message:
            pictures.append(time.monotonic())


async def fill_histories(app: App) -> None:
    """Wait until memory stays flat: a watched game keeps its last 5,000 positions, about 4 MB."""
    before = 0.0
    for _ in range(WARM_UP_S // 10):
        await asyncio.sleep(10)
        grown, before = resident_mib(app) / (before or 1), resident_mib(app)
        if grown < 1.005:
            return


async def besiege(app: App, seconds: float, answers: list[int]) -> tuple[list[int], float]:
    """Return each watcher's pictures during the flood, and the memory at its end relative to that after a third."""
    pictures: list[list[float]] = [[] for _ in range(SOCKETS)]
    sockets, following = [], []
    for came in pictures:
        sockets.append(await join(app.url.rstrip("/") + WATCH))
        following.append(asyncio.create_task(follow(sockets[-1], came)))
    await fill_histories(app)
    began = time.monotonic()
    floods = asyncio.gather(*(asyncio.to_thread(flood, app.url, began + seconds, answers) for _ in range(4)))
    await asyncio.sleep(seconds / 3)  # by then the limit on waiting pages is reached
    settled = resident_mib(app)
    await floods
    grown = resident_mib(app) / settled
    await asyncio.gather(*(one.close() for one in sockets))
    await asyncio.gather(*following)
    return [sum(one > began for one in came) for came in pictures], grown


@pytest.mark.long
@pytest.mark.parametrize("seconds", [90.0, 1800.0])
def test_a_siege(tmp_path: Path, seconds: float) -> None:
    busy = machine_is_busy()
    answers: list[int] = []
    with running_app(tmp_path) as app:
        pictures, grown = awaited(besiege(app, seconds, answers))
    print(f"{len(answers)} pages, {sum(pictures)} pictures for {SOCKETS} sockets; memory times {grown:.3f}")
    assert set(answers) == {200}
    assert grown < 1.05
    if busy:
        pytest.skip("the machine is too busy to tell whether pictures are late")
    assert min(pictures) > seconds / 10, "a watcher waited too long"


def flood_by_four(app: App, seconds: float, least: int) -> int:
    """Return the number of answers."""
    answers: list[int] = []
    until = time.monotonic() + seconds
    floods = [threading.Thread(target=flood, args=(app.url, until, answers, least)) for _ in range(4)]
    for one in floods:
        one.start()
    for one in floods:
        one.join(600)
    assert set(answers) == {200}
    return len(answers)


@pytest.mark.long
def test_a_second_flood_takes_no_more_memory(tmp_path: Path) -> None:
    """The first flood makes the allocator keep memory, which the next one uses again."""
    with running_app(tmp_path) as app:
        flood_by_four(app, 0, least=2 * room.MOST_WAITING)
        time.sleep(FORGOTTEN_S)
        quiet = resident_mib(app)
        answers = flood_by_four(app, 60, least=300)
        most = resident_mib(app)
        time.sleep(FORGOTTEN_S)
        left = resident_mib(app)
    print(f"{answers} pages; {quiet:.0f} MiB before, {most:.0f} at the end, {left:.0f} afterwards")
    assert answers >= 300
    assert most < quiet + 100
    assert left < quiet * 1.05
