"""The pages of the published studies: our figures beside theirs, and a button to run the study here."""

import asyncio

from nicegui import ui

from blockfall.app.parts import jobs, widgets
from blockfall.app.results.dumbbell import dumbbell
from blockfall.app.results.run import downloads
from blockfall.app.results.stories import MEANT, Story, question, story
from blockfall.app.results.study_results import OwnRun, agreement, shipped_report
from blockfall.reports.model import Sheet
from blockfall.studies import STUDIES, Study
from blockfall.studies.results import BESIDE, shipped_provenance, shipped_sheets

_LOOK_S = 1.5


def build() -> None:
    """Build the page of all studies."""
    with ui.element("div").classes("bf-cards"):
        for one in STUDIES.values():
            _card(one)
    with widgets.panel("What the verdicts mean", "w-full"), ui.element("dl").classes("bf-meanings"):
        for verdict, what in MEANT.items():
            with ui.element("dt").classes("font-medium"):
                ui.label(verdict.capitalize())
            with ui.element("dd"):
                ui.label(what).classes("bf-soft")


def _card(one: Study) -> None:
    found = agreement(shipped_sheets(one.name)[BESIDE])
    with ui.link(target=f"/results?study={one.name}").classes("bf-panel bf-card"):
        ui.label(one.title).classes("text-lg font-bold")
        ui.label(question(one.name))
        ui.label(f"{one.name} · {one.source}").classes("bf-soft text-sm")
        if found.published:
            bar = ui.linear_progress(found.agree / found.published, show_value=False, color="positive")
            bar.props('aria-hidden="true"')
        ui.label(str(found).capitalize()).classes("text-sm font-medium")


def build_one(name: str) -> None:
    """Build the page of one study."""
    widgets.back("/results?show=studies", "All studies")
    if name not in STUDIES:
        widgets.title("No such study")
        widgets.empty_state("menu_book", f"unknown study; there are {', '.join(STUDIES)}")
        return
    one = STUDIES[name]
    ui.page_title(f"{one.name} · Studies · Blockfall")
    widgets.title(f"{one.name}: {one.title}", one.source)
    sheets = shipped_sheets(one.name)
    told = story(one.name, sheets[BESIDE])
    with widgets.parts():
        with ui.element("div").classes("bf-stack bf-grow"):
            with widgets.panel("The question"):
                _draw_findings(told, str(agreement(sheets[BESIDE])))
            if told.compared:
                with widgets.panel("Ours and the published figures"):
                    ui.html(dumbbell(told.compared, told.unit), sanitize=False).classes("bf-db-box")
            with widgets.panel("All figures"):
                ui.label(str(shipped_provenance(one.name))).classes("bf-soft text-sm bf-break").mark("provenance")
                widgets.data_sheet(told.sheet())
        with ui.element("div").classes("bf-stack bf-side"):
            with widgets.panel("Run it here"):
                view = OwnRunView(one)
            with widgets.panel("The shipped report"):
                figures = [figure.title for figure in shipped_report(one).figures]
                downloads(f"/files/studies/{one.name}", figures)
    view.plots = ui.element("div").classes("bf-stack")
    with widgets.panel("All tables"):
        for title, sheet in sheets.items():
            if title != BESIDE:
                with ui.expansion(title).classes("bf-more"):
                    widgets.data_sheet(sheet)


def _draw_findings(told: Story, counted: str) -> None:
    ui.label(told.question).classes("text-lg font-bold")
    if not told.compared:
        ui.label("The report has no figures to compare with. The figures below are ours.").classes("bf-soft")
        return
    ui.label(f"Rerun for this package: {counted}.")
    found = told.findings()
    for title, icon, colour, sentences in (
        ("What holds", "check_circle", "positive", found.hold),
        ("What does not", "cancel", "negative", found.fail),
        ("What is mixed or open", "help", "grey-7", found.open),
    ):
        if not sentences:
            continue
        with ui.element("div").classes("bf-stack bf-findings"):
            ui.label(title).classes("font-bold").props("role=heading aria-level=3")
            for sentence in sentences:
                with ui.row().classes("items-start gap-2 no-wrap"):
                    ui.icon(icon, color=colour, size="1.25rem").props("aria-hidden=true")
                    ui.label(sentence)


class OwnRunView:
    """A study run on this machine with the quick budget: its start, progress and result."""

    plots: ui.element
    """The element for its plots."""

    def __init__(self, one: Study) -> None:
        self._study, self._own = one, OwnRun(one.name)
        budget = one.settings_type.model_fields["budget"].description or ""
        ui.label(f"Runs the study on this machine with its quick budget. {budget.capitalize()}.").classes(
            "bf-soft text-sm"
        )
        self._state = ui.badge("").mark("study-state")
        self._words = ui.label("").classes("text-sm bf-break").props("role=status")
        self._trouble = widgets.trouble()
        self._box = ui.element("div").classes("bf-stack")
        self._drawn = ""
        ui.timer(_LOOK_S, self._look)

    async def _look(self) -> None:
        state, words = await asyncio.to_thread(lambda: (self._own.state, self._own.words))
        self._words.text = words
        if state != self._drawn:
            self._drawn = state
            self._show(state, await asyncio.to_thread(lambda: self._own.beside))

    def _show(self, state: str, beside: Sheet | None) -> None:
        self._state.text = state
        self._state.props(f"color={widgets.STATE_COLOURS.get(state, 'grey-7')}")
        self._box.clear()
        self.plots.clear()
        with self._box:
            if state == "running":
                stop = ui.button("Stop", icon="stop", on_click=self._stop)
                stop.props("outline no-caps color=negative")
                return
            verb = {"finished": "Run it again", "stopped": "Resume"}.get(state, "Run it here")
            ui.button(f"{verb} (quick budget)", icon="play_arrow", on_click=self._start).props("unelevated no-caps")
            if state == "finished" and beside:
                ui.label(f"Here: {agreement(beside)}.")
                figures = [path.stem[3:].replace("-", " ").capitalize() for path in self._own.figures]
                with ui.expansion("Its figures beside the published ones").classes("bf-more"):
                    widgets.data_sheet(story(self._study.name, beside).sheet())
                downloads(f"/files/own-studies/{self._study.name}", figures)
                self._show_plots(figures)

    def _show_plots(self, titles: list[str]) -> None:
        with self.plots, widgets.panel("Plots of the run here"), ui.element("div").classes("bf-plots"):
            for number, title in enumerate(titles, 1):
                source = f"/files/own-studies/{self._study.name}/figures/{number}"
                plot = ui.element("img").classes("bf-plot").props("loading=lazy")
                plot.props["src"], plot.props["alt"] = source, title

    async def _stop(self) -> None:
        with widgets.said_at(self._trouble):
            await asyncio.to_thread(jobs.stop, self._own.job)

    async def _start(self) -> None:
        with widgets.said_at(self._trouble):
            await asyncio.to_thread(jobs.DESK.start, self._own.job)
        await self._look()
