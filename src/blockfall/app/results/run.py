"""One run: its learning, weights, test games and provenance."""

from dataclasses import dataclass
from urllib.parse import quote

from nicegui import ui

from blockfall.app.parts import charts, widgets
from blockfall.app.parts.progress import duration
from blockfall.app.parts.records import RECORDS
from blockfall.app.parts.run_list import RunRow, run_row
from blockfall.app.results.deleting import ask_to_delete
from blockfall.app.results.downloads import KINDS
from blockfall.app.train.page import watch_link
from blockfall.errors import SettingError
from blockfall.experiments.overview import Overview
from blockfall.reports.of_run import provenance, restarts_sheet, run_report
from blockfall.store import Point, RunNote, Store


@dataclass(frozen=True)
class RunDetails:
    """The data of a run's page."""

    row: RunRow
    overview: Overview
    curves: dict[str, list[Point]]
    lines: list[int]
    figures: list[str]

    @property
    def iterations(self) -> int:
        """The most iterations of a restart."""
        return max((point.iteration + 1 for points in self.curves.values() for point in points), default=1)

    @property
    def weights(self) -> dict[str, float]:
        """The weight of each feature, if the agent has weights."""
        result = self.overview.run.result
        return dict(result.get("weights", {})) if result else {}


def read(store: Store, run: str) -> RunDetails:
    """Read the run of this id."""
    found = store.runs.find(run)
    curves: dict[str, list[Point]] = {}
    for point in store.runs.curve(run):
        curves.setdefault(f"restart {point.restart + 1}", []).append(point)
    lines = store.runs.test_lines(run)
    figures = [figure.title for figure in run_report(store, found).figures]
    return RunDetails(run_row(store, run), Overview(found), curves, lines, figures)


def build(run: str) -> None:
    """Draw the page of this run."""
    widgets.back("/results", "All results")
    widgets.filled_later(lambda: RECORDS.do(lambda store: read(store, run)), _draw)


def _draw(details: RunDetails) -> None:
    row, seen = details.row, details.overview
    ui.page_title(f"{row.label} · Runs · Blockfall")
    with ui.row().classes("items-center gap-3 w-full"):
        widgets.title(row.label, f"{row.rules_title} · {row.features} · {row.optimiser} · fitness {row.fitness}")
        ui.badge(row.state).props(f"color={widgets.STATE_COLOURS[row.state]}")
        with ui.row().classes("gap-2 bf-actions"):
            if row.state == "finished":
                widgets.link_button("Watch it play", "visibility", watch_link(seen))
            widgets.link_button("Training", "model_training", f"/train?run={quote(row.id)}")
            widgets.link_button("Train again", "replay", f"/train?like={quote(row.id)}")
    with widgets.parts():
        with ui.element("div").classes("bf-stack bf-grow"):
            with widgets.panel("Outcome"):
                _outcome(details)
            if details.curves:
                with widgets.panel("Learning"):
                    several = charts.restarts_chart if len(details.curves) > 1 else charts.best_chart
                    chart(several(details.curves, details.iterations), "Best fitness by iteration")
                    if charts.learns(point for points in details.curves.values() for point in points):
                        for of in charts.PREDICTIONS:
                            drawn = charts.prediction_chart(details.curves, of, details.iterations)
                            chart(drawn, f"{of.capitalize()} by stage")
        with ui.element("div").classes("bf-stack bf-side"):
            with widgets.panel("Notes and tags"):
                _note_fields(row)
            with widgets.panel("Download"):
                downloads(f"/files/runs/{quote(row.id)}", details.figures)
                delete = ui.button("Delete", icon="delete", on_click=lambda: _delete(row))
                delete.props("outline no-caps color=negative")
    with widgets.parts():
        if details.lines:
            with widgets.panel("Test games"):
                chart(charts.histogram({"games": details.lines}), "Lines per test game")
        if details.weights:
            with widgets.panel("Weights"):
                weights = {"weight": details.weights}
                chart(charts.weight_chart(weights), "Weights").style(charts.weight_chart_height(weights))
    with widgets.parts():
        with widgets.panel("Provenance"):
            widgets.data_sheet(provenance(seen.run))
        with ui.element("div").classes("bf-stack bf-grow"):
            if seen.run.result:
                with widgets.panel("Restarts"):
                    widgets.data_sheet(restarts_sheet(seen.run.result))
            with widgets.panel("Configuration"):
                code = ui.code(seen.run.configuration, language="toml").classes("w-full")
                code.copy_button.props["aria-label"] = "Copy"


def _note_fields(row: RunRow) -> None:
    """Add the note and tags, saved when a field is left."""
    note = ui.textarea("Note", value=row.note, placeholder="What you tried, and the outcome").props("autogrow")
    tags = ui.input("Tags", value=", ".join(row.tags), placeholder="for example: baseline, slow")
    told = ui.label("Saved when you leave the field.").classes("bf-soft text-sm").props("role=status")

    async def keep() -> None:
        said = tags.value
        try:
            written = RunNote.read(str(note.value or ""), str(said or ""))
        except SettingError as error:
            told.text = str(error)
            return
        await RECORDS.do(lambda store: store.runs.set_note(row.id, written))
        if tags.value == said:  # otherwise more was typed meanwhile
            tags.value = ", ".join(written.tags)
        told.text = "Saved."

    for field in (note, tags):
        field.classes("w-full").on("blur", keep)
    tags.on("keydown.enter", keep)


def _outcome(details: RunDetails) -> None:
    row, test = details.row, details.overview.test
    if not test:
        ui.label("Not finished yet: the test games are played at the end.").classes("bf-soft")
        return
    with ui.element("div").classes("bf-wide-facts"):
        facts = widgets.Numbers(
            ("Test, lines per game", "95 % interval", "Validation, lines", "Test games", "Most lines", "Training time")
        )
    facts.show(
        {
            "Test, lines per game": f"{test['mean']:,.2f} ± {test['sem']:,.2f}",
            "95 % interval": f"{test['low']:,.2f} to {test['high']:,.2f}",
            "Validation, lines": "-" if row.validation is None else f"{row.validation:,.2f}",
            "Test games": test["n"],
            "Most lines": f"{test['max']:,.0f}",
            "Training time": duration(row.seconds),
        }
    )
    if test["capped"]:
        ui.label(f"{test['capped']:,} games reached the piece limit: the mean is a lower bound.").classes("bf-soft")


def chart(options: charts.Options, name: str) -> ui.echart:
    """Draw a chart."""
    drawn = ui.echart(options, renderer="svg").classes("bf-graph")
    return drawn.props(f'role=img aria-label="{name}"')


def downloads(base: str, figures: list[str]) -> None:
    """Add links to a report's files and to each of its figures."""
    for kind, what in KINDS.items():
        widgets.link_button(what, "download", f"{base}/{kind}").props("download")
    if figures:
        with ui.expansion("Pictures (PNG)").classes("bf-more"), ui.column().classes("gap-2"):
            for number, title in enumerate(figures, 1):
                ui.link(title, f"{base}/figures/{number}", new_tab=True).classes("bf-link bf-tall")


def _delete(row: RunRow) -> None:
    async def deleted() -> None:
        ui.navigate.to("/results")

    ask_to_delete([row], deleted)
