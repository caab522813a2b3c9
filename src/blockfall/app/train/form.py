"""The form for a new training, built from the registries and the settings models."""

from collections.abc import Awaitable, Callable
from typing import Any

from nicegui import ui

from blockfall.app.parts import cards, menus, widgets
from blockfall.app.parts.choices import Kept
from blockfall.app.parts.desk import SEARCHES
from blockfall.app.parts.forms import FormField, fields_of
from blockfall.app.parts.notices import outside_switch
from blockfall.app.parts.records import RECORDS
from blockfall.app.train import drafts
from blockfall.app.train.presets import Preset, presets
from blockfall.errors import BlockfallError, SettingError
from blockfall.experiments.configuration import Configuration
from blockfall.features import groups
from blockfall.rulesets import rules_names

_ESTIMATE_S = 0.7  # between two checks whether the form has changed
_NETWORK = "32, 32, 32"  # data2021, 5.4.2
_LONGEST_NAME = 60
_CHIP = """
<q-chip removable :tabindex="props.tabindex" :data-card="'feature/' + props.opt.label"
  @remove="props.removeAtIndex(props.index)">{{ props.opt.label }}</q-chip>"""
_FIRST = {field.name: field for field in fields_of(Configuration)}
_OWN_GROUP = ""
"""The menu entry for features that form no named group."""

Start = Callable[[Configuration], Awaitable[None]]


class Inputs:
    """Fields of a form in a grid. Each shows its error below it."""

    def __init__(self, fields: list[FormField], changed: Callable[[], None]) -> None:
        self._fields = {field.name: field for field in fields}
        self._elements: dict[str, Any] = {}
        with ui.element("div").classes("bf-inputs"):
            for field in fields:
                self._elements[field.name] = _draw(field).on_value_change(changed)

    def show(self, values: dict[str, Any]) -> None:
        """Show these values in the fields of these names."""
        for name, value in values.items():
            if name in self._elements and (self._fields[name].optional or value is not None):
                self._elements[name].value = value

    def written(self) -> dict[str, Any]:
        """Return the content of each field, unchecked."""
        return {name: element.value for name, element in self._elements.items()}

    def wrong(self) -> list[str]:
        """Return the labels of the fields with errors."""
        return [field.label for name, field in self._fields.items() if field.problem(self._elements[name].value)]

    def read(self) -> dict[str, Any]:
        """Return the value of each field, checked."""
        return {name: field.read(self._elements[name].value) for name, field in self._fields.items()}


def _draw(field: FormField) -> Any:
    label = field.label
    if field.kind == "switch":
        element: Any = ui.switch(field.label, value=field.default)
    elif field.kind == "choice":
        element = ui.select(list(field.choices), value=field.default, label=label)
    elif field.kind in ("whole", "number"):
        step = 1 if field.kind == "whole" else "any"
        element = ui.number(label, value=field.default, min=field.least, max=field.most, validation=field.problem)
        element.props(f"step={step}")
    else:
        element = ui.input(label, value=field.shown, validation=field.problem)
    if field.kind == "switch":
        with element:
            ui.tooltip(field.what)
        return element
    element.props("hide-hint" + (" placeholder=none" if field.optional else ""))
    element.props["hint"] = field.what  # shown while the field has the focus
    return element


class TrainingForm:
    """The form. It calls `start` with its configuration, and remembers its content between visits."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._kept = Kept("train")
        self._changed = True
        self._drawn = self._showing = False
        self.trouble = widgets.trouble()
        """An error of the form as a whole."""
        self._draw_presets()
        self._draw_choices()
        self._draw_budget()
        self._estimate = ui.label("").classes("bf-soft text-sm bf-two-lines").props("role=status")
        self._button = ui.button("Start training", icon="play_arrow", on_click=self._submit).props("unelevated no-caps")
        self._start_trouble = widgets.trouble()
        outside_switch()
        self._draw_settings()
        with ui.expansion("More").classes("bf-more"):
            self._more = Inputs([_FIRST[name] for name in drafts.MORE], self._touch)
        kept = self._kept.get("form")
        self._drawn = True
        if isinstance(kept, dict):
            self.show(kept)
        ui.timer(_ESTIMATE_S, self._show_estimate)

    def _draw_presets(self) -> None:
        with ui.element("div").classes("bf-presets").props('role=group aria-label="Presets"'):
            for preset in presets():
                self._draw_preset(preset)

    def _draw_preset(self, preset: Preset) -> None:
        button = ui.button(on_click=lambda: self.show(drafts.written_of(preset.configuration)))
        button.props("outline no-caps align=left").classes("bf-preset")
        button.props["aria-label"] = f"{preset.title}: {preset.promise}"
        with button:
            with ui.element("div"):
                ui.label(preset.title).classes("font-bold")
                ui.label(preset.promise).classes("bf-soft text-xs")
            ui.tooltip(preset.what)

    def _draw_choices(self) -> None:
        with ui.element("div").classes("bf-inputs"):
            titles = {name: title for name, title in menus.rules_choices().items() if name in rules_names()}
            self._rules = menus.Menu("rules", titles, value=_FIRST["rules"].default, label="Rules")
            self._rules.classes("bf-whole")
            self._name = ui.input("Name", placeholder="such as: my first").props(f"maxlength={_LONGEST_NAME}")
            self._group = ui.select(
                {_OWN_GROUP: "your own choice", **{n: f"{n} ({len(g.features)})" for n, g in groups().items()}},
                value=Configuration.model_fields["features"].default[0],
                label="Feature group",
                with_input=True,
            )
        self._features = ui.select(
            drafts.feature_names(),
            value=[],
            label="Features",
            multiple=True,
            with_input=True,
            clearable=True,
            validation=lambda chosen: None if chosen else "Choose a group, or at least one feature.",
        ).props("use-chips hide-bottom-space")
        self._features.add_slot("selected-item", _CHIP)
        self._features.value = drafts.group_features(self._group.value)
        self._group.on_value_change(self._take_group)
        self._trainer = menus.Menu(
            "optimiser", drafts.trainers(), value="cma-es", label="Trained by", note=cards.trainer_in_words
        )
        with ui.element("div").classes("bf-inputs bf-narrow"):
            self._fitness = ui.select(list(_FIRST["fitness"].choices), value="mean", label="Fitness")
            most = drafts.LIMITS["pieces_known"]
            self._known = ui.select(
                list(range(1, most + 1)), value=_FIRST["pieces_known"].default, label="Pieces known"
            )
            self._hidden = ui.input("Hidden layers", placeholder="such as 32, 32", validation=_FIRST["hidden"].problem)
            self._hidden.props("hide-bottom-space")
            with self._hidden:
                ui.tooltip("The neurons of a network's hidden layers, such as 32, 32; empty for a linear agent.")
        self._trainer.on_value_change(self._take_trainer)
        for chosen in (self._name, self._rules, self._features, self._fitness, self._known, self._hidden):
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
        if self._drawn and not self._showing:
            self._kept["form"] = self.written()

    def written(self) -> drafts.Written:
        """Return the content of the form, unchecked."""
        return {
            "name": self._name.value,
            "rules": self._rules.value,
            "features": self._features.value,
            "trainer": self._trainer.value,
            "fitness": self._fitness.value,
            "pieces_known": self._known.value,
            "hidden": self._hidden.value,
            "budget": self._budget_inputs.written(),
            "settings": self._settings.written(),
            "more": self._more.written(),
        }

    def show(self, written: drafts.Written) -> None:
        """Fill the form with the result of `written`. Unknown values change nothing."""
        self._showing = True
        try:
            menus = (
                (self._trainer, "trainer", drafts.trainers()),
                (self._rules, "rules", rules_names()),
                (self._fitness, "fitness", _FIRST["fitness"].choices),
                (self._known, "pieces_known", range(1, drafts.LIMITS["pieces_known"] + 1)),
            )
            for menu, name, allowed in menus:
                if written.get(name) in allowed:
                    menu.value = written[name]
            self._name.value = str(written.get("name") or "")[:_LONGEST_NAME]
            self._hidden.value = str(written.get("hidden") or "")
            known = set(drafts.feature_names())
            chosen = [name for name in written.get("features") or [] if name in known]
            self._group.value = next((n for n, g in groups().items() if list(g.features) == chosen), _OWN_GROUP)
            self._features.value = chosen
            self._budget.value = None
            tables = ((self._budget_inputs, "budget"), (self._settings, "settings"), (self._more, "more"))
            for inputs, name in tables:
                if isinstance(table := written.get(name), dict):
                    inputs.show(table)
        finally:
            self._showing = False
        self._touch()

    def show_like(self, configuration: Configuration) -> None:
        """Fill the form with the settings of a run."""
        self.show(drafts.written_of(configuration))
        if missing := drafts.left_out(configuration):
            self.trouble.text = f"This form cannot hold these settings of the run: {', '.join(missing)}."

    def _take_group(self) -> None:
        if not self._showing and self._group.value in groups():
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
        self._take_budget(self._budget.value or "quick")

    def _take_budget(self, name: object) -> None:
        if not self._showing and isinstance(name, str) and name in drafts.BUDGETS:
            budget, settings = drafts.budget_values(name, self._trainer.value)
            self._budget_inputs.show(budget)
            self._settings.show(settings)
        self._touch()

    def configuration(self) -> Configuration:
        """Return the form's configuration, checked."""
        trainer = self._trainer.value
        if trainer not in drafts.trainers():
            raise SettingError("choose an optimiser or a way of learning")
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
        return drafts.configuration_of(choices, trainer, settings)

    def _wrong(self) -> list[str]:
        """Return the labels of the fields with errors."""
        found = [name for inputs in (self._budget_inputs, self._settings, self._more) for name in inputs.wrong()]
        if not self._features.value:
            found.insert(0, "Features")
        return found + (["Hidden layers"] if _FIRST["hidden"].problem(self._hidden.value) else [])

    async def _show_estimate(self) -> None:
        if not self._changed:
            return
        self._changed = False
        try:
            if wrong := self._wrong():
                raise SettingError(f"Please correct: {', '.join(wrong)}.")
            configuration = self.configuration()
            speed = await RECORDS.do(lambda store: drafts.measured_speed(store, configuration))
            found = await SEARCHES.do(drafts.estimate, configuration, speed)
        except BlockfallError as error:
            self._estimate.text = str(error).removeprefix("the form: ")
            self._estimate.classes("text-negative", remove="bf-soft")
            self._button.disable()
            return
        self._estimate.classes("bf-soft", remove="text-negative")
        self._button.enable()
        self._estimate.text = str(found)

    async def _submit(self) -> None:
        self._button.disable()
        with widgets.said_at(self._start_trouble):
            await self._start(self.configuration())
        self._button.enable()
