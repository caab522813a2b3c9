"""Shows who leads a race: in words, and as a chart over the placed pieces."""

from nicegui import ui

from blockfall.app.watch.watching import Show

_SOFT = {"color": "#8b94a7"}
_AXIS = {"type": "value", "nameTextStyle": _SOFT, "axisLabel": _SOFT, "splitLine": {"lineStyle": {"opacity": 0.25}}}


class Lead:
    """The lead of a race on the page."""

    def __init__(self) -> None:
        self._words = ui.label().classes("bf-fact").props("role=status")
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

    def show(self, race: Show) -> None:
        """Shows the lead of the first agent, or of its rival."""
        names = [game.agent.name for game in race.games]
        lead = race.lead
        ahead = f"{names[lead < 0]} leads by {abs(lead):,} line{'s' if abs(lead) != 1 else ''}"
        self._words.text = ahead if lead else "Level: no difference in lines"
        self._chart.options["series"][0]["data"] = [list(point) for point in race.leads]
        self._chart.update()
