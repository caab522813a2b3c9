"""A connection that cannot hold up the others: it reads little at a time, and closes where too many pings come.

Messages are counted by the server. Pings are answered below it: the websockets library reads all frames of what came
from the socket at once, and keeps the answers until the other side reads them. So one connection that sends tiny pings
and never reads could stop all games for a second, and fill the memory.
"""

from asyncio import BaseTransport
from typing import Any, cast

from websockets.asyncio.server import ServerConnection
from websockets.frames import CloseCode, Frame, Opcode
from websockets.protocol import Event

from blockfall.server.logs import Throttle

READ_BYTES = 4096
"""What is read from the socket at once: some hundred frames at most. asyncio's own measure is 256 KiB."""
PINGS = 50
"""Pings and pongs that a connection may send at once."""
PINGS_PER_SECOND = 5.0


class CalmConnection(ServerConnection):
    """A websocket connection of the course server."""

    def connection_made(self, transport: BaseTransport) -> None:
        """Begins to read, a little at a time."""
        cast(Any, transport).max_size = READ_BYTES
        self._pings = Throttle(PINGS, PINGS_PER_SECOND)
        super().connection_made(transport)

    def process_event(self, event: Event) -> None:
        """Takes a frame; closes the connection where it is one ping too many."""
        super().process_event(event)
        if isinstance(event, Frame) and event.opcode in (Opcode.PING, Opcode.PONG) and not self._pings.allows():
            self.protocol.fail(CloseCode.POLICY_VIOLATION, "too many pings")
            self.send_data()
            self.transport.close()
