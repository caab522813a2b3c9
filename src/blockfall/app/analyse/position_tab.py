"""Analyse, Tetris position: draw a board, choose a piece, and see every placement ranked and explained."""

import asyncio
from collections.abc import Iterable

from nicegui import ui
from nicegui.events import GenericEventArguments

from blockfall.agents import Agent
from blockfall.app.analyse.shelf import Shelf
from blockfall.app.analyse.sketches import TetrisSketch, examples
from blockfall.app.parts import menus, widgets
from blockfall.app.parts.address import Address, board_from_address, board_in_address
from blockfall.app.parts.board import BoardCanvas, Picture
from blockfall.app.parts.desk import EXPLANATIONS
from blockfall.app.parts.reasons import heat
from blockfall.app.parts.why import Why
from blockfall.errors import BlockfallError, SettingError
from blockfall.games.board import Board
from blockfall.games.explanation import Explained, explain
from blockfall.games.protocol import Cell
from blockfall.games.tetris import Game
from blockfall.rulesets import PIECES, rules

_RULES, _AGENT = "standard", "dellacherie"
_NONE = "-"
_PATIENCE_S = 0.05  # between updates during a stroke
_ROW = """
<q-tr :props="props" tabindex="0" class="bf-rank"
  @mouseenter="() => $parent.$emit('look', props.row.rank)" @focus="() => $parent.$emit('look', props.row.rank)"
  @click="() => $parent.$emit('choose', props.row.rank)" @keydown.enter="() => $parent.$emit('choose', props.row.rank)">
  <q-td v-for="column in props.cols" :key="column.name" :props="props">{{ column.value }}</q-td>
</q-tr>"""


def ranked_placements(rules_name: str, agent: Agent, board_text: str, piece: str, following: str) -> list[Explained]:
    """Return all placements, the agent's choice first. An agent sees no more pieces than it knows."""
    game_rules = rules(rules_name)
    known = (piece + following)[: agent.pieces_known]
    if not known or set(known) - set(PIECES):
        raise SettingError(f"a piece is one of {' '.join(PIECES)}")
    board = Board.from_text(board_text, game_rules.columns, game_rules.rows)
    ranked = explain(Game.at(game_rules, board, known), agent)
    if not ranked:
        raise SettingError(f"{known[0]} has no placement on this board: the game is over there")
    return ranked


class PositionTab:
    """One visitor's position."""

    def __init__(self, address: Address | None) -> None:
        """`address` is None while the page's address describes another tab."""
        self.address = address
        self._asked = dict(address.said) if address else {}
        known = menus.rules_choices()
        self._problem = _missing_rules(self._asked.get("rules", ""), known)
        game_rules = rules(self._asked["rules"] if self._asked.get("rules") in known else _RULES)
        self._sketch = TetrisSketch(game_rules.columns, game_rules.visible_rows)
        self._read_first_board()
        self._ranked: list[Explained] = []
        self._player: Agent | None = None
        self._chosen, self._looked_at = 0, 0
        self._changes = 0
        self._trained: dict[str, str] = {}
        with widgets.parts():
            with widgets.panel("", "bf-scene").props('aria-label="Board"'):
                ui.label("Click or drag to fill and empty cells.").classes("bf-soft bf-hint")
                self._view = BoardCanvas(
                    game_rules.columns, game_rules.visible_rows, label="The position", on_cell=self._touch
                )
                self._view.classes("bf-sketch")
                self._trouble = widgets.trouble(self._problem)
                with ui.element("div").classes("bf-switches"):
                    ui.button("Clear", icon="layers_clear", on_click=self._clear).props("flat no-caps")
                    self._heated = ui.switch("Heat map", on_change=self._draw)
            with ui.element("div").classes("bf-beside"):
                with widgets.panel("Position", "bf-grow"):
                    self._build_settings(game_rules.name)
                with widgets.panel("Placements", "bf-half"):
                    self._build_ranking()
                with widgets.panel("Why", "bf-half"):
                    self._why = Why()
        ui.timer(0, self._begin, once=True)

    def in_address(self) -> dict[str, object]:
        """Return the position in the form of the address."""
        return {
            "rules": self._rules.value,
            "agent": self._agent.value,
            "board": board_in_address(str(self._sketch)),
            "piece": self._piece.value,
            "next": None if self._next.value == _NONE else self._next.value,
        }

    def _read_first_board(self) -> None:
        """Read the board in the address, or an example."""
        example = next(iter(examples()["tetris"].values()))
        try:
            self._sketch.read(board_from_address(self._asked.get("board") or board_in_address(example)))
        except BlockfallError as error:
            self._problem = f"The board in this link cannot be shown: {error}."

    def _build_settings(self, rules_name: str) -> None:
        letters = {letter: letter for letter in PIECES}
        asked, agents = self._asked, menus.agent_choices()
        agent = next((name for name in agents if name == asked.get("agent", _AGENT)), None)
        piece, following = (said if (said := asked.get(name)) in letters else "" for name in ("piece", "next"))
        with ui.element("div").classes("bf-choices"):
            self._rules = menus.rules_menu(rules_name)
            self._agent = menus.agent_menu(agent, lambda: str(self._rules.value))
            self._rules.on_value_change(self._change_rules)
            self._agent.on_value_change(self._refresh)
            self._piece = ui.select(letters, label="Piece", value=piece or "T", on_change=self._refresh)
            self._next = ui.select(
                {_NONE: "not known", **letters}, label="Next piece", value=following or _NONE, on_change=self._refresh
            )
        self._next_note = ui.label().classes("bf-soft text-sm").props("role=status")
        with ui.expansion("Paste a board as text", icon="content_paste").classes("w-full"):
            self._text = ui.textarea("Rows of # and ., top row first").props("autogrow input-class=bf-mono")
            self._text.classes("w-full")
            ui.button("Use this text", on_click=self._read_text).props("flat no-caps")
        Shelf("tetris", self._read, lambda: str(self._sketch))

    def _build_ranking(self) -> None:
        names = ("rank", "value", "behind", "column", "row", "shape", "lines")
        columns = [{"name": name, "label": name, "field": name, "align": "right"} for name in names]
        self._table = ui.table(columns=columns, rows=[], row_key="rank", pagination=0)
        self._table.props('flat dense hide-bottom aria-label="Placements"').classes("bf-ranks")
        self._table.add_slot("body", _ROW)
        self._table.on("look", lambda event: self._look(event))
        self._table.on("choose", lambda event: self._choose(event))

    async def _begin(self) -> None:
        try:
            found = await asyncio.to_thread(menus.trained_choices)
            self._trained = found
            self._agent.set_options({**menus.agent_choices(str(self._rules.value)), **found})
            if self._asked.get("agent") in found:
                self._agent.value = self._asked["agent"]
        finally:  # the shipped agents need no store
            if self._agent.value is None:
                self._say(f"This link names {menus.missing_agent(self._asked['agent'])} Choose another agent.")
            elif not self._trouble.text:
                await self._refresh()

    def _say(self, problem: str) -> None:
        self._trouble.text = problem

    def _touch(self, cell: Cell, dragged: bool) -> None:
        self._sketch.touch(cell, dragged)
        self._changed()

    def _clear(self) -> None:
        self._sketch.clear()
        self._changed()

    def _read_text(self) -> None:
        widgets.at_field(self._text, lambda: self._read(self._text.value))

    def _read(self, text: object) -> None:
        self._sketch.read(text)
        self._changed()

    def _changed(self) -> None:
        """Draw the visitor's change at once; the ranking follows."""
        self._ranked = []
        self._draw()
        ui.timer(_PATIENCE_S, self._refresh, once=True)

    async def _change_rules(self) -> None:
        game_rules = rules(self._rules.value)
        self._agent.set_options({**menus.agent_choices(game_rules.name), **self._trained})
        size = game_rules.columns, game_rules.visible_rows
        if size != (self._sketch.columns, self._sketch.rows):
            self._sketch = TetrisSketch(*size)
            self._view.set_size(*size)
        await self._refresh()

    async def _refresh(self) -> None:
        """Rank the placements again; of several changes, only the last."""
        self._changes += 1
        change = self._changes
        self._ranked = []
        if self._agent.value is None:
            return
        if self.address:
            self.address.note(**self.in_address())
        with widgets.said_at(self._trouble):
            player = await asyncio.to_thread(menus.chosen_agent, self._agent.value)
            following = "" if self._next.value == _NONE else str(self._next.value)
            if change != self._changes:
                return
            ranked = await EXPLANATIONS.do(
                ranked_placements, self._rules.value, player, str(self._sketch), str(self._piece.value), following
            )
            if change != self._changes:
                return
            self._player, self._ranked = player, ranked
            self._next.set_enabled(player.pieces_known > 1)
            self._next_note.text = _about_next(player, following)
        if change == self._changes:
            self._chosen = self._looked_at = 0
            self._table.rows = [_row(rank, one, self._ranked[0]) for rank, one in enumerate(self._ranked, 1)]
            self._table.update()
            self._draw()
            self._explain()

    def _look(self, event: GenericEventArguments) -> None:
        if (rank := self._rank(event)) is not None:
            self._looked_at = rank
            self._draw()

    def _choose(self, event: GenericEventArguments) -> None:
        if (rank := self._rank(event)) is not None:
            self._chosen = self._looked_at = rank
            self._draw()
            self._explain()

    def _rank(self, event: GenericEventArguments) -> int | None:
        """Return the rank of the row in an event, from 0; browsers are not trusted."""
        said = event.args
        return said - 1 if isinstance(said, int) and 1 <= said <= len(self._ranked) else None

    def _draw(self) -> None:
        rows = self._sketch.text_rows
        if not self._ranked:
            self._view.show(Picture(rows))
            return
        chosen, looked_at = self._ranked[self._chosen].placement, self._ranked[self._looked_at].placement
        self._view.show(
            Picture(
                rows,
                falling=chosen.cells,
                mark=chosen.piece,
                ghost=looked_at.cells if looked_at != chosen else (),
                heat=heat(self._ranked, self._sketch.columns) if self._heated.value else (),
            )
        )

    def _explain(self) -> None:
        if not self._ranked or self._player is None:
            self._why.say("No placement to explain.")
        elif self._chosen:
            self._why.show(self._player, self._ranked[self._chosen], self._ranked[0], "the best")
        else:
            self._why.show(self._player, self._ranked[0], self._ranked[1] if len(self._ranked) > 1 else None)


def _about_next(player: Agent, following: str) -> str:
    """Return a sentence on whether the agent uses the next piece."""
    if player.pieces_known == 1:
        return f"{player.name} knows one piece: the next one does not change its choice."
    if following:
        return f"{player.name} knows {player.pieces_known} pieces: it places both to choose the first."
    return f"{player.name} knows {player.pieces_known} pieces: choose the next one as well."


def _missing_rules(asked: str, known: Iterable[str]) -> str:
    return "" if not asked or asked in known else f"This link names the rules {asked[:80]!r}, which do not exist here."


def _row(rank: int, one: Explained, best: Explained) -> dict[str, object]:
    lost = one.value is None or best.value is None
    return {
        "rank": rank,
        "column": one.placement.column + 1,
        "row": one.placement.row + 1,
        "shape": one.placement.shape + 1,
        "value": "lost" if one.value is None else f"{one.value:,.2f}",
        "behind": "" if lost else f"{(best.value or 0.0) - (one.value or 0.0) + 0.0:,.2f}",
        "lines": one.lines,
    }
