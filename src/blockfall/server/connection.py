"""A connection that cannot hold up the others: it reads little at a time, and closes if too many pings come.

The server counts messages, but pings are answered below it. The websockets library handles all frames in the socket at
once, and keeps the answers until the other side reads them. One connection that sends tiny pings and never reads could
therefore stop all games for a second, and fill the memory.
"""

from asyncio import BaseTransport
from typing import Any, cast

from websockets.asyncio.server import ServerConnection
from websockets.frames import CloseCode, Frame, Opcode
from websockets.protocol import Event

from blockfall.server.logs import Throttle

READ_BYTES = 4096
"""The most bytes read from the socket at once: at most some hundred frames. asyncio's default is 256 KiB."""
PINGS = 50
"""Pings and pongs that a connection may send at once."""
PINGS_PER_SECOND = 5.0


class CalmConnection(ServerConnection):
    """A websocket connection of the course server."""

    def connection_made(self, transport: BaseTransport) -> None:
        """Start to read, a little at a time."""
        cast(Any, transport).max_size = READ_BYTES
        self._pings = Throttle(PINGS, PINGS_PER_SECOND)
        super().connection_made(transport)

    def process_event(self, event: Event) -> None:
        """Take a frame. Close the connection if it is one ping too many."""
        super().process_event(event)
        if isinstance(event, Frame) and event.opcode in (Opcode.PING, Opcode.PONG) and not self._pings.allows():
            self.protocol.fail(CloseCode.POLICY_VIOLATION, "too many pings")
            self.send_data()
            self.transport.close()
