"""Headers that keep other sites from framing, reading or changing the app's pages.

NiceGUI evaluates code that its server sends and writes styles into the page, so the Content-Security-Policy must allow
`unsafe-eval`, and `unsafe-inline` for styles. Inline scripts run only with the page's nonce. NiceGUI's own scripts get
it here; an injected script has none.
"""

import re
import secrets

from jinja2 import BaseLoader, Environment
from nicegui import client
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_NONCE = "blockfall-nonce"
_HOST = re.compile(r"[\w.:\[\]-]+")
_HEADERS = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # `no-referrer` would make a browser hide the Origin that the gate asks for
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), bluetooth=()",
}


class Policy:
    """A wrapper of an application that adds the headers to every answer, including errors and refusals."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        nonce = scope[_NONCE] = secrets.token_urlsafe(16)
        headers = _HEADERS | {"Content-Security-Policy": _content_policy(nonce, Headers(scope=scope).get("host", ""))}

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(headers)
            await send(message)

        await self._app(scope, receive, send_with_headers)


def _content_policy(nonce: str, host: str) -> str:
    sockets = f" ws://{host} wss://{host}" if _HOST.fullmatch(host) else ""  # some browsers leave them out of 'self'
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' 'nonce-{nonce}' 'unsafe-eval'",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self'",
            f"connect-src 'self'{sockets}",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )


def sign_scripts() -> None:
    """Put the page's nonce on the scripts of NiceGUI's own template, but not on what pages add to it.

    NiceGUI has no setting for this; its template environment is the one place to do it.
    """
    environment = client.templates.env
    if environment.loader is not None and not isinstance(environment.loader, _Signing):
        environment.loader = _Signing(environment.loader)


class _Signing(BaseLoader):
    def __init__(self, loader: BaseLoader) -> None:
        self._loader = loader

    def get_source(self, environment: Environment, template: str):  # type: ignore[no-untyped-def]
        source, path, fresh = self._loader.get_source(environment, template)
        signed = f"<script nonce=\"{{{{ request.scope['{_NONCE}'] }}}}\""
        return re.sub(r"<script\b", signed, source), path, fresh
