"""The page Train: a form for a new agent, and the live view of a training."""

import asyncio
from collections.abc import Callable
from urllib.parse import urlencode

from nicegui import ui

from blockfall.app.parts import charts, jobs, menus, widgets
from blockfall.app.parts.progress import RunProgress, duration, state_of
from blockfall.app.parts.records import RECORDS
from blockfall.app.parts.run_list import features_name
from blockfall.app.train import drafts, outcome
from blockfall.app.train.form import TrainingForm
from blockfall.app.train.presets import presets
from blockfall.errors import UnknownNameError
from blockfall.experiments.configuration import Configuration
from blockfall.experiments.overview import Overview, readable
from blockfall.store import Store

_LOOK_S = 1.0
_MOST_LISTED = 8
_STEPS = (
    ("casino", "It tries.", "An optimiser proposes agents: weights for the features that you chose."),
    ("sports_esports", "It plays.", "Each plays the training games, and the fitness says how well."),
    ("trending_up", "It improves.", "The best shape the next proposals. Their curve grows here."),
    ("fact_check", "It is tested.", "The best agent plays games that it has not trained on. This result counts."),
)
"""The steps of a training, for newcomers."""
_ICONS = {"running": "play_circle", "stopped": "pause_circle", "finished": "check_circle"}


def build() -> None:
    """Fill the page."""
    widgets.title("Train", "Find the weights of a new agent. A training continues after you close this page.")
    asked = ui.context.client.request.query_params
    with widgets.parts():
        with widgets.panel("New training", "bf-form") as box:
            view = TrainingView(asked.get("run", ""))
            view.form = TrainingForm(view.begin)
        view.form_box = box
        panel = widgets.panel("Trainings")
        with panel:
            view.draw(panel)
    chosen = next((one for one in presets() if one.name == asked.get("preset")), None)
    if chosen:
        view.form.show(drafts.written_of(chosen.configuration))
    if asked.get("like"):
        ui.timer(0, lambda: view.train_again(asked["like"]), once=True)


class TrainingView:
    """One training, updated every second, under a list of the newest."""

    form: TrainingForm
    """The form beside it."""
    form_box: ui.element

    def __init__(self, run: str) -> None:
        self._asked = run
        self._progress: RunProgress | None = None
        self._listed: list[tuple[str, str, str]] = []
        self._restart: int | None = None
        """The restart whose curve is shown; None for all."""
        self._predictions: dict[charts.Prediction, ui.echart] = {}
        """The charts of a run that learns."""

    async def begin(self, configuration: Configuration) -> None:
        """Start a training and show it."""
        run = await RECORDS.do(lambda store: jobs.new_training(store, configuration))
        self._choose(run)
        await self._look()

    async def train_again(self, run: str) -> None:
        """Fill the form with the settings of a run."""
        with widgets.said_at(self.form.trouble):
            found = await RECORDS.do(lambda store: Overview(store.runs.find(run)))
            self.form.show_like(found.configuration)
        widgets.bring_into_view(self.form_box)

    def draw(self, panel: ui.element) -> None:
        """Draw the view in the panel, and update it every second from now on."""
        self._panel = panel
        self._list = ui.element("div").classes("bf-runs").props('role=group aria-label="Newest trainings"')
        self._body = ui.element("div").classes("bf-stack")
        self._empty()
        ui.timer(_LOOK_S, self._look)

    def _empty(self) -> None:
        self._panel.classes(remove="bf-first")
        self._body.clear()
        with self._body:
            widgets.empty_state(
                "model_training",
                "Nothing is being trained. Choose a preset or fill in the form, then start. A quick one takes seconds.",
            )
            for icon, step, what in _STEPS:
                with ui.row().classes("items-start gap-4 no-wrap p-2"):
                    ui.icon(icon, size="2rem").classes("bf-soft").props("aria-hidden=true")
                    with ui.column().classes("gap-0"):
                        ui.label(step).classes("font-bold")
                        ui.label(what).classes("bf-soft")

    def _choose(self, run: str) -> None:
        self._asked, self._progress, self._restart = run, None, None
        ui.navigate.history.replace(f"/train?{urlencode({'run': run})}")

    async def _look(self) -> None:
        await self._look_at_list()
        if not self._asked:
            return
        if self._progress is None:
            fresh = RunProgress(self._asked)
            try:
                await RECORDS.do(fresh.read)
            except UnknownNameError:
                self._asked = ""
                self._empty()
                return
            # Meanwhile another run may have been chosen, or this one drawn.
            if fresh.run == self._asked and self._progress is None:
                self._progress = fresh
                self._draw_training(fresh)
        elif await RECORDS.do(self._progress.read):
            self._show(self._progress)

    async def _look_at_list(self) -> None:
        found = await RECORDS.do(_newest)
        if not self._asked:
            self._asked = next((run for run, _, state in found if state == "running"), "")
        shown = [(run, label, state if run != self._asked else f"{state}, shown") for run, label, state in found]
        if shown == self._listed:
            return
        self._listed = shown
        self._list.clear()
        with self._list:
            for run, label, state in shown:
                self._button(run, label, state.removesuffix(", shown"), run == self._asked)

    def _button(self, run: str, label: str, state: str, here: bool) -> None:
        async def choose() -> None:
            self._choose(run)
            await self._look()

        button = ui.button(label, icon=_ICONS[state], on_click=choose).props("outline no-caps dense")
        button.classes("bf-run bf-run-here" if here else "bf-run")
        button.props["aria-label"] = f"{label}: {state}{', shown below' if here else ''}"
        with button:
            ui.tooltip(f"{label}: {state}")

    def _draw_training(self, progress: RunProgress) -> None:
        seen = progress.seen
        self._panel.classes("bf-first")
        self._body.clear()
        with self._body:
            with ui.row().classes("items-center gap-2 w-full"):
                ui.label(seen.label).classes("text-lg font-bold bf-break").mark("run-label")
                self._state = ui.badge("").mark("run-state")
            ui.label(_described(seen)).classes("bf-soft text-sm")
            self._bar = ui.linear_progress(0, show_value=False).props('aria-label="Done"')
            self._numbers = widgets.Numbers(("Restart", "Iteration", "Best", "Mean", "Games per second", "Time left"))
            self._problem = ui.label("").classes("text-negative")
            self._job_trouble = widgets.trouble()
            self._buttons = ui.row().classes("gap-2 items-center w-full")
            self._why = ui.label("").classes("bf-soft text-sm").mark("why-less")
            restarts = seen.configuration.restarts
            if restarts > 1:
                options: dict[int | None, str] = {None: "all restarts"}
                options |= {number: f"restart {number + 1}" for number in range(restarts)}
                ui.select(options, value=None, label="Curve of", on_change=self._take_restart).classes("bf-pick")
            self._fitness = ui.echart(charts.fitness_chart([], seen.configuration.iterations), renderer="svg")
            self._fitness.classes("bf-graph").props('role=img aria-label="Fitness by iteration"')
            self._predictions.clear()
            if seen.configuration.learning is not None:
                for of in charts.PREDICTIONS:
                    empty = charts.prediction_chart({}, of, seen.configuration.iterations)
                    self._predictions[of] = ui.echart(empty, renderer="svg")
                    self._predictions[of].classes("bf-graph").props(f'role=img aria-label="{of.capitalize()} by stage"')
            self._speed = ui.echart(charts.speed_chart([]), renderer="svg")
            self._speed.classes("bf-graph bf-graph-low").props('role=img aria-label="Games per second"')
        self._drawn_state = ""
        self._show(progress)

    def _take_restart(self, event: object) -> None:
        value = getattr(event, "value", None)
        self._restart = value if isinstance(value, int) else None
        if self._progress:
            self._show(self._progress)

    def _show(self, progress: RunProgress) -> None:
        last = progress.points[-1] if progress.points else None
        seen = progress.seen
        speed = progress.games_per_second
        left = "done" if progress.state == "finished" else duration(progress.seconds_left)
        self._numbers.show(
            {
                "Restart": f"{progress.restart + 1} of {seen.configuration.restarts}",
                "Iteration": f"{last.iteration + 1 if last else 0} of {seen.configuration.iterations}",
                "Best": _fitness(last.best) if last else "-",
                "Mean": _fitness(last.mean) if last else "-",
                "Games per second": f"{speed:,.0f}" if speed else "-",
                "Time left": left,
            }
        )
        self._bar.value = progress.share
        self._problem.text = progress.problem
        self._problem.set_visibility(bool(progress.problem))
        curve = progress.curve(progress.restart if self._restart is None else self._restart)
        if self._restart is None and seen.configuration.restarts > 1:
            learned = charts.restarts_chart(progress.curves, seen.configuration.iterations)
        else:
            learned = charts.fitness_chart(curve, seen.configuration.iterations)
        widgets.redraw(self._fitness, learned)
        for of, drawn in self._predictions.items():
            widgets.redraw(drawn, charts.prediction_chart({of: curve}, of, seen.configuration.iterations))
        widgets.redraw(self._speed, charts.speed_chart(progress.points))
        if progress.state != self._drawn_state:
            self._drawn_state = progress.state
            self._show_state(progress)

    def _show_state(self, progress: RunProgress) -> None:
        seen = progress.seen
        self._state.text = progress.state
        self._state.props(f"color={widgets.STATE_COLOURS[progress.state]}")
        self._buttons.clear()
        job = jobs.training(seen.run.folder)
        with self._buttons:
            if progress.state == "running":
                ui.button("Stop", icon="stop", on_click=lambda: self._ask_job(jobs.stop, job)).props(
                    "outline no-caps color=negative"
                )
            elif progress.state == "stopped":
                ui.button("Resume", icon="play_arrow", on_click=lambda: self._ask_job(jobs.DESK.start, job)).props(
                    "unelevated no-caps"
                )
            else:
                ui.label(outcome.tested(progress)).classes("bf-fact")
            ui.space()
            if progress.state == "finished":
                widgets.link_button("Watch it play", "visibility", watch_link(seen))
            widgets.link_button("Results", "bar_chart", f"/results?{urlencode({'run': seen.run.id})}")
            ui.button("Train again with these settings", icon="replay", on_click=self._again).props("outline no-caps")
        self._why.text = outcome.why_less(progress) if progress.state == "finished" else ""
        self._why.set_visibility(bool(self._why.text))

    async def _ask_job(self, ask: Callable[[jobs.Job], None], job: jobs.Job) -> None:
        with widgets.said_at(self._job_trouble):
            await asyncio.to_thread(ask, job)

    async def _again(self) -> None:
        if self._progress:
            await self.train_again(self._progress.run)


def watch_link(seen: Overview) -> str:
    """Return the address that shows the run's agent playing."""
    query = {"agent": f"run:{seen.run.id}"}
    if not seen.configuration.rules.endswith(".toml"):
        query["rules"] = seen.configuration.rules
    return f"/watch?{urlencode(query, safe=':')}"


def _newest(store: Store) -> list[tuple[str, str, str]]:
    seen = readable(Overview(run) for run in store.runs.newest(_MOST_LISTED))
    return [(one.run.id, one.label, state_of(one)) for one in seen]


def _fitness(value: float) -> str:
    """
    >>> _fitness(12.345), _fitness(1_080_202_611.2)
    ('12.35', '1,080.2 M')
    """
    return f"{value:,.2f}" if abs(value) < 1e6 else f"{value / 1e6:,.1f} M"


def _described(seen: Overview) -> str:
    run = seen.configuration
    return (
        f"{menus.rules_title(run.rules)} · {features_name(run)} · {run.trainer.name}, fitness {run.fitness} · "
        f"knows {run.pieces_known} piece{'s' if run.pieces_known > 1 else ''} · seed {run.seed}"
    )
