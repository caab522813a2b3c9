"""The panel that compares all algorithms on one board."""

from collections.abc import Callable
from html import escape

from nicegui import ui

from blockfall.app.analyse.contest import CONTEST_SECONDS, ContestEntry, chart, contestants, enter
from blockfall.app.parts import widgets
from blockfall.app.parts.desk import SEARCHES
from blockfall.errors import BlockfallError
from blockfall.plugins import in_one_line
from blockfall.search import GameProblem


class ContestPanel:
    """A button and its chart. `ask` returns the problem and the node limit, or None if a field is wrong."""

    def __init__(self, ask: Callable[[], tuple[GameProblem, int] | None], board: Callable[[], str]) -> None:
        self._ask, self._board = ask, board
        self._running = False
        limits = f"up to {CONTEST_SECONDS:g} s each, with the node limit above"
        ui.label(f"Every algorithm searches this board, {limits}.").classes("bf-soft text-sm")
        self._button = ui.button("Compare the algorithms", icon="leaderboard", on_click=self._compare)
        self._button.props("outline no-caps")
        self._trouble = widgets.trouble()
        self._chart = ui.html(sanitize=False).classes("w-full").mark("contest")

    def clear(self) -> None:
        """Remove the chart of another board."""
        self._chart.content = self._trouble.text = ""

    async def _compare(self) -> None:
        if self._running:
            return
        with widgets.said_at(self._trouble):
            if asked := self._ask():
                await self._hold(*asked)

    async def _hold(self, problem: GameProblem, nodes: int) -> None:
        board, entries, refused = self._board(), list[ContestEntry](), list[str]()
        self._running = True
        self._button.props("loading")
        try:
            for algorithm in contestants():
                try:
                    with in_one_line():
                        entries.append(await SEARCHES.do(enter, problem, algorithm, nodes))
                except BlockfallError as error:
                    refused.append(f"{algorithm}: {error}")
                if board != self._board():
                    break
                notes = "".join(f'<p class="bf-soft bf-note">{escape(text)}</p>' for text in refused)
                self._chart.content = chart(entries) + notes
        finally:
            self._running = False
            self._button.props(remove="loading")
