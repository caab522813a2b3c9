"""Forms from models, and a visitor's choices as a configuration within limits."""

from typing import Any

import pytest

from blockfall.app.parts.forms import FormField, fields_of
from blockfall.app.train import drafts
from blockfall.app.train.presets import Preset, presets
from blockfall.errors import BlockfallError, SettingError
from blockfall.experiments.configuration import Configuration, configuration_from
from blockfall.learning import METHODS
from blockfall.optimisers import OPTIMISERS


def read_back(fields: list[FormField], changes: dict[str, Any] | None = None) -> dict[str, Any]:
    """The form as it is drawn, with some values changed, read back."""
    read = {field.name: field.read((changes or {}).get(field.name, field.shown)) for field in fields}
    return {name: value for name, value in read.items() if value is not None}


@pytest.mark.parametrize("trainer", drafts.trainers())
def test_an_untouched_form_is_the_trainers_defaults(trainer: str) -> None:
    kind = drafts.kind_of(trainer)
    assert kind(**read_back(drafts.settings_form(trainer))) == kind()


@pytest.mark.parametrize("trainer", [*OPTIMISERS, *METHODS])
@pytest.mark.parametrize("budget", drafts.BUDGETS)
def test_every_budget_can_be_trained_by_everyone(trainer: str, budget: str) -> None:
    numbers, settings = drafts.budget_values(budget, trainer)
    games = read_back(drafts.budget_form(trainer), numbers)
    steps = {drafts.steps_name(trainer): games.pop(drafts.steps_name(trainer))}
    choices = {
        "rules": "standard",
        "features": ["holes", "bumpiness"],
        "restarts": games.pop("restarts"),
        "games": games,
        **({"hidden": [8], "pieces_known": 1} if drafts.learns(trainer) else {}),
    }
    made = drafts.configuration_of(choices, trainer, read_back(drafts.settings_form(trainer), settings) | steps)
    assert made.trainer.name == trainer
    assert made.games.max_pieces == numbers["max_pieces"]
    assert drafts.games_in_all(made) <= drafts.LIMITS["games_in_all"]


FIELD = {field.name: field for field in (*fields_of(Configuration), *drafts.settings_form("genetic"))}
INERTIA = next(field for field in drafts.settings_form("pso") if field.name == "inertia")


@pytest.mark.parametrize(
    ("field", "written", "value"),
    [
        (FIELD["restarts"], 3.0, 3),
        (FIELD["restarts"], "4", 4),
        (FIELD["hidden"], "32, 16", [32, 16]),
        (FIELD["hidden"], "", []),
        (FIELD["hidden"], None, []),
        (FIELD["patience"], None, None),
        (FIELD["selection"], "ranking", "ranking"),
        (INERTIA, "0.9,0.4", [0.9, 0.4]),
    ],
)
def test_values_written_into_fields_are_read(field: FormField, written: object, value: object) -> None:
    assert field.read(written) == value


@pytest.mark.parametrize(
    ("field", "written"),
    [
        (FIELD["restarts"], 0),
        (FIELD["restarts"], 2.5),
        (FIELD["restarts"], True),
        (FIELD["restarts"], None),
        (FIELD["restarts"], {"a": 1}),
        (FIELD["restarts"], "1e999"),
        (FIELD["restarts"], float("nan")),
        (FIELD["hidden"], "32, x"),
        (FIELD["hidden"], "1.5"),
        (FIELD["selection"], "none of them"),
        (INERTIA, "0.9"),
        (INERTIA, "0.9, 0.4, 0.1"),
    ],
)
def test_wrong_values_are_reported_with_the_reason(field: FormField, written: object) -> None:
    with pytest.raises(SettingError, match=f"^{field.label}.* must be {field.what[:20]}"):
        field.read(written)


def choices(**changes: Any) -> dict[str, Any]:
    return {"rules": "nes-no-rotation", "features": ["holes"], "games": {"max_pieces": 100}, **changes}


@pytest.mark.parametrize(
    ("asked", "settings", "message"),
    [
        (choices(rules="/etc/passwd.toml"), {}, "rules: '/etc/passwd.toml'; choose one of"),
        (choices(games={}), {}, "max pieces is empty"),
        (choices(pieces_known=8), {}, "pieces known: 8; the limit of the app is 3"),
        (choices(restarts=101), {}, "restarts: 101; the limit of the app is 100"),
        (choices(), {"particles": 5000}, "population: 5,000"),
        (choices(restarts=100, games={"max_pieces": 9, "training": 10_000}), {"iterations": 10_000}, "games in all"),
        (choices(features=["no-such"]), {}, "unknown feature or group 'no-such'"),
    ],
)
def test_limits(asked: dict[str, Any], settings: dict[str, Any], message: str) -> None:
    with pytest.raises(BlockfallError, match=message):
        drafts.configuration_of(asked, "pso", settings)


@pytest.mark.parametrize("trainer", drafts.trainers())
def test_hints_and_limits_are_what_is_accepted(trainer: str) -> None:
    """The largest value that a hint names is accepted by the checks of the app, and one more is refused."""
    limited = {"particles": "population", "stages": "iterations", "max_test_pieces": "max_pieces"}
    for field in (*drafts.budget_form(trainer), *drafts.settings_form(trainer)):
        limit = drafts.LIMITS.get(limited.get(field.name, field.name))
        if field.kind != "whole" or limit is None:
            continue
        assert f"from {field.least or 0:g} to {limit}" in field.what, field
        assert field.read(limit) == limit
        with pytest.raises(SettingError, match=f"from {field.least or 0:g} to {limit}"):
            field.read(limit + 1)


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.name)
def test_presets_are_measured_and_fit_the_form(preset: Preset) -> None:
    assert preset.reached, "run tools/measure_presets.py"
    drafts.check_limits(preset.configuration)
    assert drafts.left_out(preset.configuration) == []
    written = drafts.written_of(preset.configuration)
    trainer = written["trainer"]
    budget = {field.name: field.read(written["budget"][field.name]) for field in drafts.budget_form(trainer)}
    settings = {field.name: field.read(written["settings"][field.name]) for field in drafts.settings_form(trainer)}
    steps = drafts.steps_name(trainer)
    settings[steps] = budget.pop(steps)
    keys = ("rules", "features", "pieces_known", "fitness")
    told = {key: written[key] for key in keys} | written["more"] | {"restarts": budget.pop("restarts")}
    assert drafts.configuration_of({**told, "games": budget}, trainer, settings) == preset.configuration


def test_an_estimate_follows_what_was_measured() -> None:
    """1.5 ms per game, and 2 x (3 x 4 x 5 + 7) + 11 games."""
    table = choices(restarts=2, games={"training": 5, "validation": 7, "test": 11, "max_pieces": 1000})
    made = configuration_from({**table, "optimiser": {"name": "pso", "iterations": 3, "particles": 4}}, "the test")
    measured, found = drafts.estimate(made, 0.0015), drafts.estimate(made)
    assert measured.least_s == measured.most_s == pytest.approx(145 * 0.0015)
    assert "About 1 s, at the speed of your last similar training" in str(measured)  # and not 0 s
    assert found.games == 2 * (3 * 4 * 5 + 7) + 11
    assert found.least_s is not None
    assert found.most_s is not None
    assert 0 < found.least_s < found.most_s
