"""Tournaments on the course server: all of them, and one with its live table."""

import asyncio
from typing import Any
from urllib.parse import quote

from nicegui import ui

from blockfall.app.parts import menus, widgets
from blockfall.app.parts.address import link
from blockfall.errors import BlockfallError, SettingError
from blockfall.server.course import RULES
from blockfall.server.tournament import Tournament, names
from blockfall.validation import read_text

_LOOK_S = 1.0
_TABLE: list[dict[str, Any]] = [
    {"name": "place", "label": "Place", "field": "place"},
    {"name": "player", "label": "Player", "field": "player", "align": "left"},
    {"name": "points", "label": "Points", "field": "points"},
    {"name": "games", "label": "Games", "field": "games"},
    {"name": "best", "label": "Best game", "field": "best"},
    {"name": "lines", "label": "Lines", "field": "lines"},
    {"name": "now", "label": "Now", "field": "now", "align": "left"},
]
_GAMES: list[dict[str, Any]] = [
    {"name": "number", "label": "Replay", "field": "number", "align": "left"},
    {"name": "player", "label": "Player", "field": "player", "align": "left", "sortable": True},
    {"name": "round", "label": "Game", "field": "round", "sortable": True},
    {"name": "score", "label": "Points", "field": "score", "sortable": True},
    {"name": "lines", "label": "Lines", "field": "lines", "sortable": True},
    {"name": "pieces", "label": "Pieces", "field": "pieces", "sortable": True},
    {"name": "end", "label": "End", "field": "end", "align": "left"},
]
_STEPS = (
    (
        "Start the server",
        "Everyone plays the same pieces. With --host 0.0.0.0, other machines can join.",
        "blockfall serve --tournament spring --rounds 3",
    ),
    (
        "Players join",
        "With a Blockfall agent, an agent's file, or a program that speaks the server's protocol.",
        "blockfall connect ws://127.0.0.1:8000 --name ana --agent dt-20 --games 3",
    ),
    (
        "Watch the table",
        "It appears here once the server has started, and follows the games. Every game can be replayed.",
        "blockfall tournament spring --out results.xlsx",
    ),
)
_AGENTS_SHOWN = 8
# Vue escapes values, so that a player's name cannot be markup.
_REPLAY = """
<q-td :props="props">
  <a class="bf-link" :href="props.row.replay">Watch</a>
</q-td>"""


def build() -> None:
    """Show a card for each tournament, newest first."""

    def read() -> list[tuple[str, str]]:
        return [(name, summary(name)) for name in names()]

    def draw(found: list[tuple[str, str]]) -> None:
        if not found:
            ui.label("No tournaments yet. Here is how to hold one.")
        with ui.element("div").classes("bf-cards"):
            for name, told in found:
                with ui.link(target=link("/results", tournament=name)).classes("bf-panel bf-card"):
                    ui.label(name).classes("text-lg font-bold bf-break")
                    ui.label(told).classes("bf-soft bf-break")

    widgets.filled_later(lambda: asyncio.to_thread(read), draw)
    with widgets.parts():
        with widgets.panel("Hold a tournament"):
            _explain()
        with widgets.panel("Agents to beat"):
            _show_agents()


def _explain() -> None:
    for number, (title, what, command) in enumerate(_STEPS, 1):
        with ui.column().classes("gap-1 w-full"):
            ui.label(f"{number}. {title}").classes("font-bold").props("role=heading aria-level=3")
            ui.label(what).classes("bf-soft")
            widgets.command(command)


def _show_agents() -> None:
    """List the strongest agents under the server's rules, each with a link to watch it play."""
    known = menus.agent_choices(RULES.name)
    with ui.element("ol").classes("bf-list"):
        for name in list(known)[:_AGENTS_SHOWN]:
            target = link("/watch", rules=RULES.name, agent=name)
            with ui.element("li"), ui.link(target=target).classes("bf-list-link"):
                ui.icon("visibility")
                ui.label(name).classes("font-medium")
                ui.label(menus.agent_note(name, RULES.name)).classes("bf-soft text-sm")
    ui.label("The strongest under the server's rules. Click one to watch it play.").classes("bf-soft text-sm")


def summary(name: str) -> str:
    """Return the state of a tournament, in a sentence or two."""
    try:
        found = Tournament.read(name)
    except BlockfallError as error:
        return widgets.sentence(error)
    table = found.standings()
    if not table:
        return "Nobody has played yet."
    players, games = len(table), len(found.games)
    counted = f"{players} player{'s' if players > 1 else ''}, {games} game{'s' if games != 1 else ''}"
    points = table[0].points
    if not points:
        return f"{counted}."
    leaders = [row.player for row in table if row.place == 1]
    if len(leaders) == 1:
        lead = f"{leaders[0]} leads"
    else:
        lead = f"{' and '.join(leaders) if len(leaders) == 2 else f'{len(leaders)} players'} lead"
    return f"{counted}. {lead} with {points:,} points."


def build_one(name: str) -> None:
    """Show a tournament: its live table and games."""
    ui.page_title(f"{name[:80]} · Tournaments · Blockfall")
    widgets.back("/results?show=tournaments", "All tournaments")
    widgets.filled_later(lambda: asyncio.to_thread(Tournament.read, name), _draw)


def _draw(found: Tournament) -> None:
    widgets.title(found.name, f"{found.rounds} games of at most {found.max_pieces} pieces each, the same for all.")
    with widgets.panel("Table"):
        table = ui.table(columns=_TABLE, rows=standing_rows(found), row_key="player", pagination=0)
        table.classes("bf-table").props("flat dense hide-bottom").mark("standings")
        with ui.row():
            for kind, text in (("xlsx", "Workbook (XLSX)"), ("json", "Data (JSON)")):
                ui.link(text, f"/files/tournaments/{quote(found.name)}/{kind}").classes("bf-link")
    with widgets.panel("Games"):
        games = ui.table(columns=_GAMES, rows=game_rows(found), row_key="number", pagination=20)
        games.classes("bf-table").props("flat dense").add_slot("body-cell-number", _REPLAY)

    async def look() -> None:
        now = await asyncio.to_thread(Tournament.read, found.name)
        for shown, rows in ((table, standing_rows(now)), (games, game_rows(now))):
            if shown.rows != rows:
                shown.rows = rows

    ui.timer(_LOOK_S, look)


def standing_rows(tournament: Tournament) -> list[dict[str, Any]]:
    """Return the rows of the table."""
    return [
        {
            "place": row.place,
            "player": row.player,
            "points": row.points,
            "games": f"{row.games} of {tournament.rounds}",
            "best": row.best,
            "lines": row.lines,
            "now": f"game {row.now.round}: {row.now.score:,} points" if row.now else "",
        }
        for row in tournament.standings()
    ]


def game_rows(tournament: Tournament) -> list[dict[str, Any]]:
    """Return the finished games, newest first."""
    rows = [
        {
            **game.model_dump(include={"player", "round", "score", "lines", "pieces", "end"}),
            "number": number,
            "replay": link("/review", tournament=tournament.name, game=number),
        }
        for number, game in enumerate(tournament.games, 1)
    ]
    return rows[::-1]


def replay_text(name: str, number: str) -> str:
    """Return the replay of the game whose number is in the page's address."""
    found = Tournament.read(name)
    if not (number.isascii() and number.isdigit() and 1 <= int(number[:9]) <= len(found.games)):
        raise SettingError(f"no game {number[:9]!r} in {name}; there are {len(found.games)}")
    return read_text(found.replay(found.games[int(number[:9]) - 1]))
