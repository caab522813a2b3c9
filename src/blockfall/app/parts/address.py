"""The page's address. It says what the page shows, so that a reload, Back or a shared link shows the same.

A page reads its address when it is built, and writes to it when a visitor chooses something:

    address = Address()
    rules = address.one_of("rules", "standard", known)
    address.choose(rules="nes")    # a step that Back undoes
    address.note(piece=42)         # no step: the same view, a little later

When Back or Forward leads to another address of the same page, the page is built again (`follow_history`).
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlencode

from nicegui import app, ui

from blockfall.app.parts import choices
from blockfall.errors import SettingError
from blockfall.games.human import HumanGame
from blockfall.games.tetris import Game

T = TypeVar("T", bound=str | None)

_LONGEST_VALUE = 2_000
_SAFE = "/,.:*"  # a board stays readable
_SCRIPT = Path(__file__).parent / "address.js"


def add_routes() -> None:
    """Add the script that every page loads."""
    app.add_static_file(local_file=_SCRIPT, url_path="/address.js")


def follow_history() -> None:
    """Build the page again when Back or Forward changes its address. The frame calls it on every page."""
    ui.add_head_html('<script src="/address.js"></script>')


def link(path: str, **values: object) -> str:
    """Return an address in the app, without values that are None or empty.

    >>> link("/watch", rules="nes", agent="bcts", seed=7, against=None)
    '/watch?rules=nes&agent=bcts&seed=7'
    """
    query = _query({name: text for name, value in values.items() if (text := _text(value))})
    return path + query


class Address:
    """The query of one visitor's page. Its values may come from anywhere, so they are checked before use."""

    def __init__(self) -> None:
        self._client = ui.context.client
        self._said = {name: value[:_LONGEST_VALUE] for name, value in self._client.request.query_params.items()}

    def get(self, name: str) -> str:
        """Return the address's value of this name, unchecked; empty if it has none."""
        return self._said.get(name, "")

    @property
    def said(self) -> Mapping[str, str]:
        """All values in the address, unchecked."""
        return dict(self._said)

    def one_of(self, name: str, usual: T, among: Iterable[str]) -> str | T:
        """Return the chosen value, or the usual one if the address has none of these."""
        return next((choice for choice in among if choice == self.get(name)), usual)

    def whole(self, name: str, usual: int, least: int, most: int) -> int:
        """Return a whole number, or the usual one if the address has no valid one."""
        said = self.get(name)
        try:
            return choices.whole(int(said[:20]), name, least, most) if said.isascii() and said.isdigit() else usual
        except SettingError:
            return usual

    def turn_to(self, **values: object) -> None:
        """Write another view of the page: the address then has these values only. Back returns to the last view."""
        self._write("pushState", dict.fromkeys(self._said) | values)

    def choose(self, **values: object) -> None:
        """Write a visitor's choice: Back returns to the last one. None and empty values are removed."""
        self._write("pushState", values)

    def note(self, **values: object) -> None:
        """Write values that change by themselves or all the time: Back skips them."""
        self._write("replaceState", values)

    def _write(self, how: str, values: dict[str, object]) -> None:
        changed = {**self._said, **{name: _text(value) for name, value in values.items()}}
        changed = {name: text for name, text in changed.items() if text}
        if changed == self._said:
            return
        self._said = changed
        self._client.run_javascript(f"window.bfAddress.write('{how}', {json.dumps(_query(changed))})")


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else ""
    return "" if value is None else str(value)


def _query(values: dict[str, str]) -> str:
    return "?" + urlencode(values, safe=_SAFE) if values else ""


def analyse_link(game: Game | HumanGame, agent: str) -> str:
    """Return the address at which Analyse shows a game's position."""
    rows = str(game.board).splitlines()[-game.rules.visible_rows :]
    known = game.known
    return link(
        "/analyse",
        rules=game.rules.name,
        agent=agent,
        board=board_in_address("\n".join(rows)),
        piece=known[:1],
        next=known[1:2],
    )


def board_in_address(text: str) -> str:
    """Return a board's text for an address: rows between slashes, `x` for a filled cell, no empty top rows.

    >>> board_in_address("....\\n#...\\n##.#")
    'x.../xx.x'
    """
    rows = text.replace("#", "x").split()
    while len(rows) > 1 and not rows[0].strip("."):
        rows.pop(0)
    return "/".join(rows)


def board_from_address(said: str) -> str:
    """Return the text of a board in an address, unchecked.

    >>> board_from_address("x.../xx.x").split()
    ['#...', '##.#']
    """
    return said.replace("x", "#").replace("/", "\n")
