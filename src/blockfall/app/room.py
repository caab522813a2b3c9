"""Room for visitors: so many pages may be open, and those that no browser has connected to are forgotten early.

A page takes about half a megabyte until its browser connects, usually within a second, and up to 4 MB while a game is
watched. NiceGUI forgets a page without a browser after a minute; in that time a flood could ask for thousands.
"""

import ctypes
import gc
from contextlib import suppress

from nicegui import Client, app

MOST_WAITING = 60
"""Pages that wait for their browser. The oldest of more are forgotten; a late browser loads its page anew."""
_TIDY_S = 30.0
_MANY = 20  # pages whose memory is worth a look at everything

_most = 0
"""The most pages there were since memory was given back."""


def make_room() -> None:
    """Forgets the oldest pages that wait for their browser, where there are too many."""
    global _most
    _most = max(_most, len(Client.instances))
    waiting = [page for page in Client.instances.values() if not page.has_socket_connection and not page._delete_tasks]
    waiting.sort(key=lambda page: page.created)
    for page in waiting[: max(0, len(waiting) - MOST_WAITING)]:
        page.delete()


def is_full(most: int) -> bool:
    """Whether so many pages are open in browsers."""
    return sum(page.has_socket_connection for page in Client.instances.values()) >= most


def give_back_memory() -> None:
    """From now on, gives the memory of pages that are gone back to the system, now and then."""
    app.timer(_TIDY_S, _give_back)


def _give_back() -> None:
    global _most
    if _most - len(Client.instances) < _MANY:
        return
    _most = len(Client.instances)
    gc.collect()
    with suppress(OSError, AttributeError):  # a C library that cannot
        ctypes.CDLL(None).malloc_trim(0)
