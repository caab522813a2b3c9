"""Access to the app: a real server, addressed as browsers and attackers would."""

import http.client
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from tests.app.conftest import App, running_app
from tests.program import PROGRAM, run_program

SOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
TOKEN = "a-token-of-the-test"


def ask(app: App, path: str = "/", method: str = "GET", **headers: str) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(urlsplit(app.url).netloc, timeout=20)
    connection.request(method, path, headers=headers)
    return connection.getresponse()


def opens_socket(app: App, **headers: str) -> bool:
    origin = Origin(headers.pop("Origin")) if "Origin" in headers else None
    try:
        with connect(f"ws://{urlsplit(app.url).netloc}{SOCKET}", origin=origin, additional_headers=headers):
            return True
    except InvalidStatus:
        return False


def test_own_pages_may(app: App) -> None:
    own = app.url.rstrip("/")
    assert ask(app, Origin=own).status == 200
    assert opens_socket(app, Origin=own)
    assert opens_socket(app)  # not a browser


@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:1", "https://localhost", "null", ""])
def test_pages_of_others_may_not(app: App, origin: str) -> None:
    refused = ask(app, Origin=origin)
    assert refused.status == 403
    assert b"may not use this app" in refused.read()
    assert ask(app, "/_nicegui_ws/socket.io/?EIO=4&transport=polling", "POST", Origin=origin).status == 403
    assert not opens_socket(app, Origin=origin)


def test_a_foreign_name_of_this_address_is_refused(app: App) -> None:
    """An attacker's name server may resolve evil.example to 127.0.0.1."""
    refused = ask(app, Host="evil.example", Origin="http://evil.example")
    assert refused.status == 403
    assert b"has another address" in refused.read()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_names_of_this_machine_are_answered(app: App, host: str) -> None:
    assert ask(app, Host=f"{host}:{urlsplit(app.url).port}").status == 200


@pytest.mark.parametrize("host", ["", "[", "127.0.0.1.evil.example", "@127.0.0.1"])
def test_a_malformed_host_is_refused(app: App, host: str) -> None:
    assert ask(app, Host=host).status in (400, 403)


@pytest.fixture(scope="module")
def open_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    with running_app(tmp_path_factory.mktemp("open"), "--host", "0.0.0.0", "--token", TOKEN) as started:
        yield started


def test_another_address_needs_the_token(open_app: App) -> None:
    refused = ask(open_app)
    assert refused.status == 403
    assert b"needs its token" in refused.read()
    assert ask(open_app, "/?token=wrong").status == 403
    assert ask(open_app, Cookie="blockfall-token=wrong").status == 403
    assert not opens_socket(open_app)
    assert not opens_socket(open_app, Cookie="blockfall-token=wrong")
    assert ask(open_app, Cookie='=;;"blockfall-token').status == 403


def test_the_token_becomes_a_cookie(open_app: App) -> None:
    answer = ask(open_app, f"/watch?token={TOKEN}&run=1")
    assert answer.status == 303
    assert answer.headers["location"] == "/watch?run=1"
    assert ask(open_app, f"//evil.example/?token={TOKEN}").headers["location"] == "/evil.example/"
    cookie = SimpleCookie(answer.headers["set-cookie"])["blockfall-token"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "lax"
    held = f"blockfall-token={cookie.value}"
    assert ask(open_app, Cookie=held).status == 200
    assert opens_socket(open_app, Cookie=held)
    assert not opens_socket(open_app, Cookie=held, Origin="http://evil.example")


def test_a_browser_with_the_token_is_in(open_app: App, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(open_app.url)
    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome to Blockfall")
    assert TOKEN not in page.url
    page.get_by_role("link", name="Play").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Play")
    context.close()


def test_a_link_on_another_site_lets_in(open_app: App, browser: Browser) -> None:
    """A link in a mail or a chat: its host differs from the app's, so the cookie arrives from another site."""
    context = browser.new_context()
    page = context.new_page()
    page.route("http://chat.example/", lambda route: route.fulfill(body=f'<a href="{open_app.url}">join me</a>'))
    page.goto("http://chat.example/")
    page.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome to Blockfall")
    context.close()


def test_a_token_is_drawn_for_another_address(tmp_path: Path) -> None:
    with running_app(tmp_path, "--host", "0.0.0.0") as started:
        token = urlsplit(started.url).query.removeprefix("token=")
        assert len(token) >= 16
        assert ask(started).status == 403


def test_it_listens_on_this_machine_only(app: App) -> None:
    port = urlsplit(app.url).port
    own = {str(entry[4][0]) for entry in socket.getaddrinfo(socket.gethostname(), port, socket.AF_INET)} - {"127.0.0.1"}
    for address in own:
        with pytest.raises(OSError, match="refused"):
            socket.create_connection((address, port), timeout=5)
    table = Path("/proc/net/tcp").read_text().splitlines()[1:]
    listening = {line.split()[1].split(":")[0] for line in table if line.split()[1].endswith(f":{port:04X}")}
    assert listening == {"0100007F"}


def refuses(home: str | Path, *options: str) -> str:
    """Return what an app that cannot start says."""
    done = run_program("app", "--no-browser", *options, home=home)
    assert done.returncode == 2
    return done.stderr


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--port", "70000"], "a port is a number from 0 to 65535"),
        (["--host", "no.such.address.invalid"], "cannot listen"),
        (["--host", "0.0.0.0", "--token", ""], "it must have at least 8"),
        (["--host", "0.0.0.0", "--token", "a b&c=d#e"], "letters from A to Z, digits, - and _ only"),
    ],
)
def test_bad_options(options: list[str], reason: str, tmp_path: Path) -> None:
    said = refuses(tmp_path / "home", *options)
    assert reason in said
    assert len(said.splitlines()) == 1
    assert not (tmp_path / "home").exists()


def test_a_home_that_cannot_be_written() -> None:
    said = refuses("/proc/nowhere", "--port", "0")
    assert re.fullmatch(r"blockfall: /proc/nowhere\S*: No such file or directory\n", said)


def test_a_port_that_is_taken(app: App, tmp_path: Path) -> None:
    assert "choose another with --port" in refuses(tmp_path, "--port", str(urlsplit(app.url).port))


def test_without_its_extra() -> None:
    blocked = [PROGRAM[0], "-c", "import sys; sys.modules['nicegui'] = None; " + PROGRAM[2]]
    done = subprocess.run([*blocked, "app", "--no-browser"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "pip install 'blockfall[app]'" in done.stderr


def test_an_interrupt_ends_it(tmp_path: Path) -> None:
    with running_app(tmp_path) as started:
        started.process.send_signal(signal.SIGINT)
        assert started.process.wait(20) == 130


def upload(app: App, **headers: str) -> http.client.HTTPResponse:
    """Announce a file without sending any of it."""
    connection = http.client.HTTPConnection(urlsplit(app.url).netloc, timeout=20)
    connection.putrequest("POST", "/_nicegui/client/nobody/upload/1")
    for name, value in ({"Content-Type": "multipart/form-data; boundary=x"} | headers).items():
        connection.putheader(name, value)
    connection.endheaders()
    return connection.getresponse()


def test_endless_uploads_are_refused_before_they_come(app: App) -> None:
    """A large upload would fill the disk with a temporary file."""
    refused = upload(app, **{"Content-Length": str(2**40)})
    assert refused.status == 413
    assert refused.read() == b"at most 2,000,000 bytes may be sent\n"
    assert upload(app, **{"Transfer-Encoding": "chunked"}).status == 411
    for odd in ("-1", "9" * 5000, "\N{SUPERSCRIPT TWO}".encode().decode("latin-1")):
        assert upload(app, **{"Content-Length": odd}).status in (400, 413)
