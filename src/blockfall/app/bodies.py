"""A limit on request bodies.

An upload goes to a temporary file before a page sees it, so an endless one would fill the disk.
"""

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

MOST_BYTES = 2_000_000
"""The largest body. Pages only accept replays of at most a million characters."""


class SmallBodies:
    """A wrapper of an application that refuses requests with a body that is too long or of unknown length."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (refusal := _refusal(Headers(scope=scope))):
            await refusal(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _refusal(headers: Headers) -> PlainTextResponse | None:
    if "transfer-encoding" in headers:  # browsers always give the length
        return PlainTextResponse("a request must give its length\n", 411, {"Connection": "close"})
    if int(headers.get("content-length", "0")) > MOST_BYTES:
        return PlainTextResponse(f"at most {MOST_BYTES:,} bytes may be sent\n", 413, {"Connection": "close"})
    return None
