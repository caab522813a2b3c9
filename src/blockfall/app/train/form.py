"""The form of a new training, drawn from the registries and the models of its settings."""

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from blockfall.app.parts.desk import SEARCHES
from blockfall.app.parts.forms import FormField, fields_of
from blockfall.app.parts.progress import duration
from blockfall.app.train import drafts
from blockfall.errors import BlockfallError, SettingError
from blockfall.experiments.configuration import Configuration
from blockfall.features import groups
from blockfall.rulesets import rules, rules_names

_ESTIMATE_S = 0.7  # between two looks whether the form has changed
_NETWORK = "32, 32, 32"  # data2021, 5.4.2
_LONGEST_NAME = 60
_FIRST = {field.name: field for field in fields_of(Configuration)}
_MORE = ("seed", "record_weight", "mean_weight")

Start = Callable[[Configuration], Awaitable[None]]


class Inputs:
    """Fields of a form, drawn in a grid."""

    def __init__(self, fields: list[FormField], changed: Callable[[], None]) -> None:
        self._fields = {field.name: field for field in fields}
        self._elements: dict[str, Any] = {}
        with ui.element("div").classes("bf-inputs"):
            for field in fields:
                self._elements[field.name] = _draw(field).on_value_change(changed)

    def show(self, values: dict[str, Any]) -> None:
        """Shows these values in the fields of their names."""
        for name, value in values.items():
            if name in self._elements:
                self._elements[name].value = value

    def read(self) -> dict[str, Any]:
        """What is written in each field."""
        return {name: field.read(self._elements[name].value) for name, field in self._fields.items()}


def _draw(field: FormField) -> Any:
    label = field.label
    if field.kind == "switch":
        element: Any = ui.switch(field.label, value=field.default)
    elif field.kind == "choice":
        element = ui.select(list(field.choices), value=field.default, label=label)
    elif field.kind in ("whole", "number"):
        step = 1 if field.kind == "whole" else "any"
        element = ui.number(label, value=field.default, min=field.least, max=field.most).props(f"step={step}")
    else:
        element = ui.input(label, value=field.shown)
    if field.kind == "switch":
        with element:
            ui.tooltip(field.what)
        return element
    element.props("hide-hint" + (" placeholder=none" if field.optional else ""))
    element.props["hint"] = field.what  # shown to who is about to write
    return element


class TrainingForm:
    """The form. `start` is called with the configuration that it says."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._changed = True
        self._draw_choices()
        self._draw_budget()
        self._estimate = ui.label("").classes("bf-soft text-sm bf-two-lines").props("role=status")
        self._button = ui.button("Start training", icon="play_arrow", on_click=self._submit).props("unelevated no-caps")
        self._draw_settings()
        with ui.expansion("More").classes("bf-more"):
            self._more = Inputs([_FIRST[name] for name in _MORE], self._touch)
        ui.timer(_ESTIMATE_S, self._show_estimate)

    def _draw_choices(self) -> None:
        self._name = ui.input("Name", placeholder="such as: my first agent").props(f"maxlength={_LONGEST_NAME}")
        with ui.element("div").classes("bf-inputs"):
            self._rules = ui.select(rules_names(), value=_FIRST["rules"].default, label="Rules")
            self._group = ui.select(
                {name: f"{name} ({len(group.features)})" for name, group in groups().items()},
                value=Configuration.model_fields["features"].default[0],
                label="Feature group",
                with_input=True,
            )
        self._features = ui.select(
            drafts.feature_names(), value=[], label="Features", multiple=True, with_input=True, clearable=True
        ).props("use-chips")
        self._features.value = drafts.group_features(self._group.value)
        self._group.on_value_change(self._take_group)
        self._trainer = ui.select(drafts.trainers(), value="pso", label="Trained by")
        with ui.element("div").classes("bf-inputs bf-narrow"):
            self._fitness = ui.select(list(_FIRST["fitness"].choices), value="mean", label="Fitness")
            most = drafts.LIMITS["pieces_known"]
            self._known = ui.select(
                list(range(1, most + 1)), value=_FIRST["pieces_known"].default, label="Pieces known"
            )
            self._hidden = ui.input("Hidden layers", placeholder="such as 32, 32")
            with self._hidden:
                ui.tooltip("The neurons of a network's hidden layers, such as 32, 32; empty for a linear agent.")
        self._trainer.on_value_change(self._take_trainer)
        for chosen in (self._rules, self._features, self._fitness, self._known, self._hidden):
            chosen.on_value_change(self._touch)

    def _draw_budget(self) -> None:
        with ui.row().classes("items-center gap-3"):
            ui.label("Budget")
            self._budget = ui.toggle(list(drafts.BUDGETS), value="quick").props("no-caps unelevated")
            self._budget.props('aria-label="Budget"')
        self._budget.on_value_change(lambda event: self._take_budget(event.value))

    def _draw_settings(self) -> None:
        with ui.expansion("The budget in numbers").classes("bf-more"):
            self._budget_box = ui.element("div").classes("w-full")
        self._settings_part = ui.expansion("").classes("bf-more")
        with self._settings_part:
            self._settings_box = ui.element("div").classes("w-full")
        self._take_trainer()

    def _touch(self) -> None:
        self._changed = True

    def _take_group(self) -> None:
        if self._group.value in groups():
            self._features.value = drafts.group_features(self._group.value)

    def _take_trainer(self) -> None:
        trainer = self._trainer.value
        if trainer not in drafts.trainers():
            return
        self._budget_box.clear()
        with self._budget_box:
            self._budget_inputs = Inputs(drafts.budget_form(trainer), self._touch)
        self._settings_part.text = f"Settings of {trainer}"
        self._settings_box.clear()
        with self._settings_box:
            self._settings = Inputs(drafts.settings_form(trainer), self._touch)
        self._known.value = drafts.pieces_known(trainer) or self._known.value
        if drafts.needs_network(trainer):
            self._hidden.value = self._hidden.value or _NETWORK
        elif self._hidden.value == _NETWORK:
            self._hidden.value = ""
        self._take_budget(self._budget.value)

    def _take_budget(self, name: object) -> None:
        if isinstance(name, str) and name in drafts.BUDGETS:
            budget, settings = drafts.budget_values(name, self._trainer.value)
            self._budget_inputs.show(budget)
            self._settings.show(settings)
        self._touch()

    def configuration(self) -> Configuration:
        """What the form says, checked."""
        trainer = self._trainer.value
        if trainer not in drafts.trainers():
            raise SettingError("choose who trains")
        budget = self._budget_inputs.read()
        steps = drafts.steps_name(trainer)
        settings = {**self._settings.read(), steps: budget.pop(steps)}
        name = str(self._name.value or "").strip()[:_LONGEST_NAME]
        choices = {
            "name": "".join(letter for letter in name if letter.isprintable()),
            "rules": self._rules.value,
            "features": [str(feature) for feature in self._features.value or []],
            "hidden": _FIRST["hidden"].read(self._hidden.value),
            "pieces_known": self._known.value,
            "fitness": self._fitness.value,
            "restarts": budget.pop("restarts"),
            **self._more.read(),
            "games": budget,
        }
        if not choices["features"]:
            raise SettingError("features: none chosen; choose a group, or at least one feature")
        return drafts.configuration_of(choices, trainer, settings)

    async def _show_estimate(self) -> None:
        if not self._changed:
            return
        self._changed = False
        try:
            configuration = self.configuration()
            found = await SEARCHES.do(drafts.estimate, configuration)
        except BlockfallError as error:
            self._estimate.text = str(error).removeprefix("the form: ")
            self._estimate.classes("text-negative", remove="bf-soft")
            self._button.disable()
            return
        self._estimate.classes("bf-soft", remove="text-negative")
        self._button.enable()
        title = rules(configuration.rules).title
        self._estimate.text = f"{title}: {found.games:,} games, {_span(found)}"

    async def _submit(self) -> None:
        self._button.disable()
        try:
            await self._start(self.configuration())
        finally:
            self._button.enable()


def _span(found: drafts.Estimate) -> str:
    if found.least_s is None or found.most_s is None:
        return "and learning, whose time the first stage will tell."
    return f"from {duration(found.least_s)}, if games stay short, to {duration(found.most_s)}, if all meet the limit."
