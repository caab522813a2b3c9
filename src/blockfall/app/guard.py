"""Who may speak with the app: pages of its own, and, from other machines, those who hold the token.

A page of another site can make a visitor's browser send requests here. Browsers then say where the page came from
(`Origin`), and which host they believe they speak with (`Host`, which a name server of the attacker's cannot forge).
"""

import secrets
from collections.abc import Iterable
from http.cookies import SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
COOKIE = "blockfall-token"
_POLICY_VIOLATION = 1008  # the websocket's close code


class Guard:
    """Wraps an application. Without a token only `hosts` may be spoken to; with one any, by those who hold it."""

    def __init__(self, app: ASGIApp, token: str | None = None, hosts: Iterable[str] = LOOPBACK) -> None:
        self._app, self._token, self._hosts = app, token, frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
        else:
            await refusal(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        host, origin = headers.get("host", ""), headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return PlainTextResponse(f"{origin} may not speak with this app; open http://{host}/ itself\n", 403)
        if self._token is None:
            if urlsplit(f"//{host}").hostname in self._hosts:
                return None
            return PlainTextResponse(f"this app is not at {host}; open it at the address that it printed\n", 403)
        return self._without_token(scope, headers)

    def _without_token(self, scope: Scope, headers: dict[str, str]) -> Response | None:
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
        if cookie is not None and self._is_token(cookie.value):
            return None
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if scope["type"] == "http" and self._is_token(given):
            answer = RedirectResponse(scope["path"], 303)
            answer.set_cookie(COOKIE, given, httponly=True, samesite="strict")
            return answer
        return PlainTextResponse("this app needs its token: open the whole address that `blockfall app` printed\n", 403)

    def _is_token(self, given: str) -> bool:
        return self._token is not None and secrets.compare_digest(given.encode(), self._token.encode())
