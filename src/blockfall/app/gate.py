"""Access to the app: for its own pages and, from other machines, for those who hold the token.

A page of another site can make a visitor's browser send requests here. The browser then names the page's site
(`Origin`) and the host that it believes it talks to (`Host`, which an attacker's name server cannot forge).
"""

import re
import secrets
from collections.abc import Iterable
from urllib.parse import urlencode

from starlette.datastructures import Headers, QueryParams
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
COOKIE = "blockfall-token"
_HOST = re.compile(r"(?P<name>\[[0-9A-Fa-f:]+\]|[\w.-]+)(:\d+)?")
_POLICY_VIOLATION = 1008  # the websocket's close code


class Gate:
    """A wrapper of an application. With a token, only requests that carry it pass; without, only those to `hosts`."""

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
        headers = Headers(scope=scope)
        host, origin = headers.get("host", ""), headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return PlainTextResponse("pages of other sites may not use this app; open the app itself\n", 403)
        if self._token is None:
            named = _HOST.fullmatch(host)
            if named and named["name"].strip("[]") in self._hosts:
                return None
            return PlainTextResponse("this app has another address; open the one that it printed\n", 403)
        return self._without_token(scope, headers)

    def _without_token(self, scope: Scope, headers: Headers) -> Response | None:
        if self._is_token(cookie_parser(headers.get("cookie", "")).get(COOKIE, "")):
            return None
        query = QueryParams(scope["query_string"])
        if scope["type"] == "http" and self._is_token(query.get("token", "")):
            left = urlencode([(name, value) for name, value in query.multi_items() if name != "token"])
            answer = RedirectResponse("/" + scope["path"].lstrip("/\\") + ("?" + left if left else ""), 303)
            # With "strict", visitors who follow a link from a mail or a chat would be refused.
            answer.set_cookie(COOKIE, query["token"], httponly=True, samesite="lax")
            return answer
        return PlainTextResponse("this app needs its token: open the full address that `blockfall app` printed\n", 403)

    def _is_token(self, given: str) -> bool:
        return self._token is not None and secrets.compare_digest(given.encode(), self._token.encode())
