"""Limits on open pages: on all pages in browsers, and on pages that still wait for their browser.

A page takes about half a megabyte until its browser connects, usually within a second, and up to 4 MB while a game is
watched. NiceGUI forgets a page without a browser after a minute; in that time a flood could ask for thousands.
"""

from nicegui import Client

MOST_WAITING = 60
"""Pages that wait for their browser. Beyond these the oldest are forgotten; a late browser loads its page anew."""

_waiting: dict[str, Client] = {}
"""Pages to which no browser has connected yet, the oldest first."""


def make_room(page: Client) -> None:
    """Register a new page, and forget the oldest ones that still wait for their browser."""
    key = page.id
    _waiting[key] = page
    page.on_connect(lambda: _waiting.pop(key, None))
    page.on_delete(lambda: _waiting.pop(key, None))
    while len(_waiting) > MOST_WAITING:
        _waiting.pop(next(iter(_waiting))).delete()


def is_full(most: int) -> bool:
    """Return whether the most pages allowed are open in browsers."""
    return sum(page.has_socket_connection for page in Client.instances.values()) >= most
