"""The start of the app: open a socket, put the gate in front of the pages, open the browser."""

import asyncio
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from nicegui import ui
from nicegui.storage import Storage

from blockfall.app import frame
from blockfall.app.bodies import SmallBodies
from blockfall.app.connection import MOST_BYTES, CalmHttp, CalmWebSocket
from blockfall.app.gate import LOOPBACK, Gate
from blockfall.app.policy import Policy, sign_scripts
from blockfall.errors import SettingError, shortened
from blockfall.files import write_atomically
from blockfall.server.logs import calm_logs, calm_loop
from blockfall.store import store_path

_FAVICON = Path(__file__).parent / "favicon.svg"
_KEPT_MESSAGES = 100  # resent to a browser that lost the connection for a moment
_EVERYWHERE = frozenset({"0.0.0.0", "::"})
_RECONNECT_S = 20.0  # how long a visitor's game survives a busy machine or a bad network


def serve(host: str, port: int, token: str | None, ready: Callable[[str], None], browser: bool, most_open: int) -> None:
    """Serve the app until it is interrupted. `ready` gets the address once the app answers."""
    listening = _listen(host, port)
    address = _own_address(listening.family) if host in _EVERYWHERE else host
    url = f"http://{f'[{address}]' if ':' in address else address}:{listening.getsockname()[1]}/"
    if token:
        url += f"?token={token}"
    calm_logs()
    configuration = uvicorn.Config(
        _application(token, most_open),
        http=CalmHttp,
        ws=CalmWebSocket,
        ws_max_size=MOST_BYTES,
        log_config=None,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=2,
    )
    server = _Server(configuration)
    server.when_started = lambda: _announce(url, ready, browser)
    server.run(sockets=[listening])


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach the host."""
    return host in LOOPBACK


class _Server(uvicorn.Server):
    when_started: Callable[[], None]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        calm_loop(asyncio.get_running_loop())
        await super().startup(sockets)
        if self.started:
            self.when_started()


def _announce(url: str, ready: Callable[[str], None], browser: bool) -> None:
    ready(url)
    if browser:
        threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()


def _application(token: str | None, most_open: int) -> Policy:
    home = store_path().parent / "app"
    Storage.path = home / "visitors"
    frame.add_pages(most_open)
    sign_scripts()
    application = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    ui.run_with(
        application,
        title="Blockfall",
        favicon=_FAVICON,
        dark=None,
        language="en-US",
        storage_secret=_secret(home / "secret"),
        session_middleware_kwargs={"same_site": "lax"},
        message_history_length=_KEPT_MESSAGES,
        reconnect_timeout=_RECONNECT_S,
        show_welcome_message=False,
    )
    application.add_middleware(SmallBodies)
    application.add_middleware(Gate, token=token)
    return Policy(application)


def _secret(path: Path) -> str:
    """Return the key that signs visitors' cookies. It is kept so that their settings survive a restart."""
    if not path.exists():
        write_atomically(path, secrets.token_urlsafe(32))
        path.chmod(0o600)
    return path.read_text(encoding="utf-8")


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except (TypeError, UnicodeError):  # Python's errors for impossible host names
        listening.close()
        raise SettingError(f"cannot listen on {shortened(host)}: not a valid host name") from None
    except OSError as error:
        listening.close()
        reason = error.strerror or error
        raise SettingError(f"cannot listen on {host}, port {port}: {reason}; choose another with --port") from None
    listening.set_inheritable(True)
    return listening


def _own_address(family: int) -> str:
    """Return the address at which others can reach this machine. Nothing is sent to find it."""
    somewhere, alone = ("2001:db8::1", "::1") if family == socket.AF_INET6 else ("192.0.2.1", "127.0.0.1")
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((somewhere, 9))
        except OSError:
            return alone
        return str(probe.getsockname()[0])
