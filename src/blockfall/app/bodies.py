"""What a request may bring: a little, and it says how much.

An upload goes to a temporary file before a page sees it; an endless one would fill the disk.
"""

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

MOST_BYTES = 2_000_000
"""The only files that a page takes are replays, of at most a million characters."""


class SmallBodies:
    """Wraps an application. A request whose body is too long, or of a length that nobody knows, is refused."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and (refusal := _refusal(Headers(scope=scope))):
            await refusal(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _refusal(headers: Headers) -> PlainTextResponse | None:
    if "transfer-encoding" in headers:  # browsers always say the length
        return PlainTextResponse("a request must say its length\n", 411, {"Connection": "close"})
    if int(headers.get("content-length", "0")) > MOST_BYTES:
        return PlainTextResponse(f"at most {MOST_BYTES:,} bytes may be sent\n", 413, {"Connection": "close"})
    return None
