"""A race on the page: who leads or has won, the score over many games, and a chart of the lead by pieces."""

from collections.abc import Awaitable, Callable

from nicegui import ui

from blockfall.app.watch.racing import MANY_GAMES, Score, winner
from blockfall.app.watch.watching import Show

_SOFT = {"color": "#8b94a7"}
_AXIS = {"type": "value", "nameTextStyle": _SOFT, "axisLabel": _SOFT, "splitLine": {"lineStyle": {"opacity": 0.25}}}


class Lead:
    """The panel of a race. `play_many` is called for the score over many games."""

    def __init__(self, play_many: Callable[[], Awaitable[None]]) -> None:
        self._words = ui.label().classes("bf-fact bf-wrap").props("role=status")
        self._score = ui.label().classes("bf-soft")
        with ui.row().classes("items-center gap-2"):
            self._button = ui.button(f"Play {MANY_GAMES} games at once", icon="fast_forward", on_click=play_many)
            self._button.props("outline no-caps")
        self._many = ui.label().classes("text-sm").props("role=status").mark("many-games")
        self._chart = ui.echart(
            {
                "animation": False,
                "grid": {"left": 8, "right": 16, "top": 32, "bottom": 24, "containLabel": True},
                "xAxis": {**_AXIS, "name": "pieces", "nameLocation": "middle", "nameGap": 26, "max": "dataMax"},
                "yAxis": {**_AXIS, "name": "lines ahead", "nameTextStyle": {**_SOFT, "align": "left"}},
                "series": [{"type": "line", "showSymbol": False, "areaStyle": {"opacity": 0.2}, "data": []}],
            }
        )
        self._chart.classes("bf-chart").props('aria-label="Lead by pieces"')

    def show(self, race: Show, score: Score) -> None:
        """Show who leads, the winner at the end, and the score so far."""
        names = [game.agent.name for game in race.games]
        lead = race.lead
        by = f"by {abs(lead):,} line{'s' if abs(lead) != 1 else ''}"
        first = winner(race)
        if first is None:
            self._words.text = "A draw" if race.over else "Level"
        else:
            self._words.text = f"{names[first]} {'wins' if race.over else 'leads'} {by}"
        seeds = f"{score.games} seed{'s' if score.games != 1 else ''}"
        self._score.text = f"Won over {seeds}: {score.words(names)}." if score.games else ""
        self._chart.options["series"][0]["data"] = [list(point) for point in race.leads]
        self._chart.update()

    def show_many(self, told: str, *, working: bool) -> None:
        """Show the score over many games."""
        self._many.text = told
        self._button.props("loading" if working else "", remove="" if working else "loading")
