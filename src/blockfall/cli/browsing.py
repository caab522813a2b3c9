"""`blockfall app`: the web app."""

import importlib.util
import re
import secrets
from typing import Annotated

import typer

from blockfall.cli.options import PluginOption
from blockfall.cli.output import say
from blockfall.errors import SettingError

PORT = 8080
_SHORTEST_TOKEN = 8
_TOKEN = re.compile("[A-Za-z0-9_-]+")


app = typer.Typer()


@app.command("app", epilog="Examples: blockfall app; blockfall app --port 9000 --no-browser")
def app_command(
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 admits other machines.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 takes a free one.")] = PORT,
    token: Annotated[
        str | None,
        typer.Option(help="The token that visitors from other machines need; random by default."),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the app in the browser.")] = True,
    pages: Annotated[int, typer.Option(help="The maximum number of open pages.")] = 200,
    _plugins: PluginOption = None,
) -> None:
    """Play, watch, analyse, train and compare in the browser."""
    if importlib.util.find_spec("nicegui") is None:
        raise SettingError("the app is an extra; install it with: pip install 'blockfall[app]'")
    if not 0 <= port < 2**16:
        raise SettingError(f"port {port}; a port is a number from 0 to 65535")
    if token is not None and len(token) < _SHORTEST_TOKEN:
        raise SettingError(f"a token of {len(token)} characters; it must have at least {_SHORTEST_TOKEN}")
    if token is not None and not _TOKEN.fullmatch(token):
        raise SettingError("a token has letters from A to Z, digits, - and _ only: it is part of an address")
    if pages < 1:
        raise SettingError(f"{pages} open pages; it must be at least 1")
    from blockfall.app.serving import is_loopback, serve

    if token is None and not is_loopback(host):
        token = secrets.token_urlsafe(16)
    serve(host, port, token, lambda url: say(f"Blockfall is at {url}  Stop it with Ctrl-C."), browser, pages)
