"""Visitors without browsers, which open a page, keep its websocket and count the pictures that arrive."""

import asyncio
import re
import time
import urllib.request
import uuid
from http.cookiejar import CookieJar
from urllib.parse import urlencode

from websockets.asyncio.client import ClientConnection, connect


async def count_pictures(url: str, watchers: int, warm_up_s: float, seconds: float) -> list[list[float]]:
    """Return when each watcher's pictures came, in seconds since counting began."""
    sockets = [await join(url) for _ in range(watchers)]
    try:
        began = time.monotonic() + warm_up_s
        return list(await asyncio.gather(*(_listen(socket, began, began + seconds) for socket in sockets)))
    finally:
        await asyncio.gather(*(socket.close() for socket in sockets))


async def join(url: str) -> ClientConnection:
    """Open a page and return its websocket."""
    cookies = CookieJar()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(cookies))
    page = (await asyncio.to_thread(opener.open, url)).read().decode()
    client = re.search(r"client_id['\"]*: *['\"]([0-9a-f-]{36})", page)
    assert client, "the page must name a client"
    said = {"client_id": client[1], "tab_id": str(uuid.uuid4()), "document_id": str(uuid.uuid4()), "next_message_id": 0}
    query = urlencode({"EIO": 4, "transport": "websocket", "implicit_handshake": "true", **said})
    host = url.split("/")[2]
    socket = await connect(
        f"ws://{host}/_nicegui_ws/socket.io/?{query}",
        origin=f"http://{host}",  # type: ignore[arg-type]
        additional_headers={"Cookie": "; ".join(f"{one.name}={one.value}" for one in cookies)},
        compression=None,
        max_queue=None,
    )
    await socket.recv()  # Engine.IO's greeting
    await socket.send("40")
    return socket


async def _listen(socket: ClientConnection, begin: float, end: float) -> list[float]:
    came = []
    while (now := time.monotonic()) < end:
        try:
            message = await asyncio.wait_for(socket.recv(), end - now)
        except TimeoutError:
            break
        if message == "2":  # a ping
            await socket.send("3")
        elif isinstance(message, str) and "runMethod" in message and time.monotonic() >= begin:
            came.append(time.monotonic() - begin)
    return came
