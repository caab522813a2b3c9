"""Limits on connections, so that no browser holds up the others. All limits per connection belong here.

uvicorn's settings cover only part of this: `limit_concurrency` refuses neither silent connections nor websockets,
`timeout_keep_alive` starts after an answer, and nothing limits pings, which are answered below the app. With uvicorn's
own classes, a connection that sent pings without reading the answers left a watcher with no pictures, and one that sent
messages left it with half of them. The course server has its own remedy (`blockfall.server.connection`).
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame

from blockfall.server.connection import PINGS, PINGS_PER_SECOND, READ_BYTES
from blockfall.server.logs import Throttle

MOST_BYTES = 1_000_000
"""The longest message that NiceGUI accepts. Longer ones are refused before they are read. Files come another way."""
_MESSAGES = 1000
"""Messages that a browser may send at once. A player's keys make about ten per second."""
_MESSAGES_PER_SECOND = 200.0
_CONNECTIONS = 1000
_PATIENCE_S = 30.0
"""The time until the first request. A browser sends it at once."""


class CalmHttp(H11Protocol):
    """A connection of the app, until it becomes a websocket.

    It uses h11: httptools, uvicorn's usual parser, reads headers without end (150 MB of them took 1.3 GB).
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection if there is room."""
        super().connection_made(transport)
        if len(self.connections) > _CONNECTIONS:
            transport.close()
        else:
            self.loop.call_later(_PATIENCE_S, self._close_unless_asked)

    def _close_unless_asked(self) -> None:
        if self.cycle is None and self.transport.get_protocol() is self:
            self.transport.close()


class CalmWebSocket(WebSocketsSansIOProtocol):
    """A websocket connection of the app."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._pings = Throttle(PINGS, PINGS_PER_SECOND)
        self._messages = Throttle(_MESSAGES, _MESSAGES_PER_SECOND)

    def data_received(self, data: bytes) -> None:
        """Read the data in small pieces, and nothing more once the connection is closed."""
        for start in range(0, len(data), READ_BYTES):
            if self.transport.is_closing():
                return
            super().data_received(data[start : start + READ_BYTES])

    def handle_ping(self) -> None:
        """Answer a ping, unless there are too many."""
        if self._allows(self._pings):
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        """Take a pong, asked for or not, unless there are too many."""
        if self._allows(self._pings):
            super().handle_pong(event)

    def send_receive_event_to_app(self) -> None:
        """Hand a message to the app, unless there are too many."""
        if self._allows(self._messages):
            super().send_receive_event_to_app()

    def _allows(self, throttle: Throttle) -> bool:
        if self.transport.is_closing():
            return False
        if throttle.allows():
            return True
        self.conn.fail(CloseCode.POLICY_VIOLATION, "too many messages")
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.transport.close()
        return False
