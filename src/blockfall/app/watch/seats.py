"""A watched game on the page: its board, numbers and next pieces."""

from collections.abc import Sequence

from nicegui import ui

from blockfall.app.parts import widgets
from blockfall.app.parts.board import BoardCanvas, Picture
from blockfall.app.parts.drawings import piece_svg
from blockfall.app.parts.reasons import heat
from blockfall.app.watch.watching import Watched, WatchedPosition
from blockfall.games.explanation import Explained


class Seat:
    """The part of the page that shows one watched game."""

    def __init__(self, watched: Watched) -> None:
        self._watched = watched
        rules = watched.rules
        with ui.element("div").classes("bf-seat"):
            ui.label(watched.agent.name).classes("bf-seat-name")
            label = f"{watched.agent.name} playing {rules.name}"
            with ui.element("div").classes("bf-seat-game"):
                self._board = BoardCanvas(rules.columns, rules.visible_rows, label=label)
                with ui.element("div").classes("bf-seat-side"):
                    self._next = widgets.pieces_place("Next", "bf-seat-next")
                    self._numbers = widgets.Numbers(["Lines", "Pieces", "Score", "Level"])
            self._end = ui.label().classes("bf-seat-end").props("role=status")

    def show_board(
        self, ranked: Sequence[Explained] = (), *, outlined: bool = False, heated: bool = False, flashing: bool = True
    ) -> None:
        """Show the board, with the best two placements if `outlined` and the heat map if `heated`.

        `ranked` are the placements of this position, best first, or at high speed those of a recent position.
        """
        position = self._watched.position
        chosen = position.chosen
        self._board.show(
            Picture(
                position.visible_rows,
                falling=chosen.cells if chosen else (),
                mark=chosen.piece if chosen else "#",
                lit=chosen.cells if chosen and outlined else (),
                ghost=ranked[1].placement.cells if outlined and len(ranked) > 1 else (),
                heat=heat(ranked, self._watched.rules.columns) if heated and ranked else (),
                cleared=position.cleared if flashing else (),
            )
        )

    def show_numbers(self) -> None:
        """Show lines, pieces, score and level, the next pieces, and how the game ended."""
        position = self._watched.position
        core = position.game.core
        numbers = {"Lines": core.lines, "Pieces": core.pieces, "Score": core.score, "Level": core.level}
        self._numbers.show({name: widgets.short(value) for name, value in numbers.items()})
        self._next.content = "".join(piece_svg(self._watched.rules, letter) for letter in position.game.known[1:])
        self._end.text = "" if position.chosen else _ending(position)


def _ending(position: WatchedPosition) -> str:
    return f"Game over: {position.game.outcome.termination.name.lower().replace('_', ' ')}"
