"""A browser's websocket that cannot hold up the others: one that sends too many messages or pings is closed.

Pings are answered below the app, and the answers wait until the other side reads them. So one connection that sends
tiny pings and never reads would keep everybody waiting and fill the memory. The course server has the same danger and
a remedy of its own (`blockfall.server.connection`).
"""

from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame

from blockfall.server.connection import PINGS, PINGS_PER_SECOND, READ_BYTES
from blockfall.server.logs import Throttle

MOST_BYTES = 1_000_000
"""The longest message that NiceGUI takes; what is longer is refused before it is read. Files come another way."""
_MESSAGES = 1000
"""Messages that a browser may send at once. A player's keys are some ten a second."""
_MESSAGES_PER_SECOND = 200.0


class CalmWebSocket(WebSocketsSansIOProtocol):
    """A websocket connection of the app."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._pings = Throttle(PINGS, PINGS_PER_SECOND)
        self._messages = Throttle(_MESSAGES, _MESSAGES_PER_SECOND)

    def data_received(self, data: bytes) -> None:
        """Takes what came a little at a time, and nothing more once the connection is closed."""
        for start in range(0, len(data), READ_BYTES):
            if self.transport.is_closing():
                return
            super().data_received(data[start : start + READ_BYTES])

    def handle_ping(self) -> None:
        """Answers a ping."""
        if self._allows(self._pings):
            super().handle_ping()

    def handle_pong(self, event: Frame) -> None:
        """Takes the answer to a ping of ours, or one that nobody asked for."""
        if self._allows(self._pings):
            super().handle_pong(event)

    def send_receive_event_to_app(self) -> None:
        """Hands a message to the app."""
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
