"""All runs as a table to filter and sort, and to choose runs to compare or delete."""

from dataclasses import asdict
from typing import Any
from urllib.parse import quote

from nicegui import ui

from blockfall.app.parts import widgets
from blockfall.app.parts.address import Address, link
from blockfall.app.parts.records import RECORDS
from blockfall.app.parts.run_list import RunRow, run_rows
from blockfall.app.results.deleting import ask_to_delete
from blockfall.app.train.presets import presets
from blockfall.experiments.overview import STATES

_LOOK_S = 4.0
MOST_COMPARED = 5
_NUMBER = "value => value === null ? '' : value.toFixed(2)"
_COLUMNS: list[dict[str, Any]] = [
    {"name": "label", "label": "Run", "field": "label", "align": "left", "sortable": True},
    {"name": "state", "label": "State", "field": "state", "align": "left", "sortable": True},
    {
        "name": "mean",
        "label": "Test, lines",
        "field": "mean",
        "sortable": True,
        ":format": "(value, row) => value === null ? '' : `${value.toFixed(2)} ± ${row.sem.toFixed(2)}`",
    },
    {"name": "tags", "label": "Tags", "field": "tags", "align": "left"},
    {"name": "rules", "label": "Rules", "field": "rules_title", "align": "left", "sortable": True},
    {"name": "features", "label": "Features", "field": "features", "align": "left", "sortable": True},
    {"name": "optimiser", "label": "Trained by", "field": "optimiser", "align": "left", "sortable": True},
    {"name": "fitness", "label": "Fitness", "field": "fitness", "align": "left", "sortable": True},
    {"name": "validation", "label": "Validation, lines", "field": "validation", "sortable": True, ":format": _NUMBER},
    {
        "name": "started",
        "label": "Started",
        "field": "started",
        "align": "left",
        "sortable": True,
        ":format": "value => value.slice(0, 16).replace('T', ' ')",
    },
    {
        "name": "seconds",
        "label": "Time",
        "field": "seconds",
        "sortable": True,
        ":format": "value => value < 60 ? `${Math.round(value)} s` : `${Math.round(value / 60)} min`",
    },
]
# Vue escapes values, so that a label cannot be markup.
_LABEL = """
<q-td :props="props" class="bf-cell">
  <a class="bf-link" :href="'/results?run=' + encodeURIComponent(props.row.id)">{{ props.value }}</a>
</q-td>"""
_TAGS = """
<q-td :props="props">
  <q-badge v-for="tag in props.value" :key="tag" outline color="secondary" class="bf-tag" :label="tag" />
</q-td>"""
_STATE = """
<q-td :props="props">
  <q-badge :color="{running: 'primary', stopped: 'grey-7', finished: 'positive'}[props.value]" :label="props.value" />
</q-td>"""

_CHOOSE_ALL = """<q-checkbox v-model="props.selected" dense aria-label="Choose all runs" />"""
_CHOOSE = """<q-checkbox v-model="props.selected" dense :aria-label="'Choose ' + props.row.label" />"""


def build(address: Address) -> None:
    """Build the list of all runs."""
    RunsView(address)


class RunsView:
    """The list of all runs, updated every few seconds."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._rows: list[RunRow] = []
        self._shown: list[dict[str, Any]] | None = None
        self._box = ui.element("div").classes("bf-stack")
        self._table: ui.table | None = None
        self._empty: ui.element | None = None
        ui.timer(_LOOK_S, self._look)

    async def _look(self) -> None:
        self._rows = await RECORDS.do(run_rows)
        if not self._rows:
            self._show_empty()
            return
        if self._table is None:
            self._draw()
        self._show()

    def _show_empty(self) -> None:
        if self._empty:
            return
        self._table, self._shown = None, None
        self._box.clear()
        with self._box:
            self._empty = ui.element("div").classes("bf-stack")
            with self._empty:
                ui.label("No runs yet. Train an agent and it will appear here. These are good first ones.")
                with ui.element("div").classes("bf-cards"):
                    for preset in presets():
                        with ui.link(target=link("/train", preset=preset.name)).classes("bf-panel bf-card"):
                            ui.label(preset.title).classes("text-lg font-bold")
                            ui.label(preset.what)
                            ui.label(f"Reached {preset.promise}.").classes("bf-soft text-sm")
                with widgets.panel("At the command line"):
                    ui.label("Trainings started in a terminal appear here as well, while they run.").classes("bf-soft")
                    widgets.command("blockfall train --out runs/first")

    def _draw(self) -> None:
        self._empty = None
        self._box.clear()
        with self._box, widgets.panel():
            with ui.element("div").classes("bf-filters"):
                asked, known = self._address, self._known_rules()
                self._text = ui.input("Filter", value=asked.get("filter"), on_change=self._filter).props("clearable")
                self._rules = ui.select(
                    {"": "all rules", **known},
                    value=asked.one_of("rules", "", known),
                    label="Rules",
                    on_change=self._filter,
                )
                self._state = ui.select(
                    {"": "all states", **{state: state for state in STATES}},
                    value=asked.one_of("state", "", STATES),
                    label="State",
                    on_change=self._filter,
                )
                self._compare_button = ui.button("Compare", icon="compare_arrows", on_click=self._compare)
                self._compare_button.props("unelevated no-caps")
                self._delete_button = ui.button("Delete", icon="delete", on_click=self._delete)
                self._delete_button.props("outline no-caps color=negative")
            self._choice = ui.label().classes("bf-soft text-sm").props("role=status")
            self._table = ui.table(
                columns=_COLUMNS,
                rows=[],
                row_key="id",
                selection="multiple",
                pagination={"rowsPerPage": 15, "sortBy": "started", "descending": True},
                on_select=self._select,
            ).classes("bf-table")
            chosen = self._address.get("chosen").split(",")
            self._table.selected = [asdict(row) for row in self._rows if row.id in chosen]
            self._table.props("flat dense hide-selected-banner")
            self._table.add_slot("header-selection", _CHOOSE_ALL)
            self._table.add_slot("body-selection", _CHOOSE)
            self._table.add_slot("body-cell-label", _LABEL)
            self._table.add_slot("body-cell-state", _STATE)
            self._table.add_slot("body-cell-tags", _TAGS)
        self._show_choice()

    def _known_rules(self) -> dict[str, str]:
        return {row.rules: row.rules_title for row in self._rows}

    def _filter(self) -> None:
        self._address.note(filter=self._text.value, rules=self._rules.value, state=self._state.value)
        self._show()

    def _select(self) -> None:
        self._address.note(chosen=",".join(self._chosen()))
        self._show_choice()

    def _show(self) -> None:
        if self._table is None:
            return
        known = {"": "all rules", **self._known_rules()}
        if self._rules.options != known:
            self._rules.set_options(known)
        text, rules, state = (str(part.value or "") for part in (self._text, self._rules, self._state))
        shown = [asdict(row) for row in self._rows if row.matches(text, rules, state)]
        if shown != self._shown:
            self._shown = shown
            self._table.rows = shown

    def _chosen(self) -> list[str]:
        """Ids of existing runs among those that the browser says are chosen."""
        said = self._table.selected if self._table else []
        ids = [row.get("id") for row in said if isinstance(row, dict)]
        return [row.id for row in self._rows if row.id in ids]

    def _show_choice(self) -> None:
        """Say what can be done with the ticked runs."""
        count = len(self._chosen())
        self._compare_button.set_enabled(2 <= count <= MOST_COMPARED)
        self._delete_button.set_enabled(count > 0)
        told = f"{count} runs chosen." if count != 1 else "1 run chosen."
        if count < 2:
            told = f"{told if count else ''} Tick 2 to {MOST_COMPARED} runs to compare them, even while they run."
        elif count > MOST_COMPARED:
            told = f"{told} At most {MOST_COMPARED} can be compared."
        self._choice.text = told.strip()

    def _compare(self) -> None:
        chosen = self._chosen()
        if 2 <= len(chosen) <= MOST_COMPARED:
            ui.navigate.to(f"/results?compare={quote(','.join(chosen), safe=',')}")

    def _delete(self) -> None:
        chosen = self._chosen()
        if not chosen:
            return

        async def deleted() -> None:
            if self._table:
                self._table.selected = []
            await self._look()
            if self._table:
                self._show_choice()

        ask_to_delete([row for row in self._rows if row.id in chosen], deleted)
