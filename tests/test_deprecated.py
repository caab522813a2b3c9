"""Renamed public names work under their old names, with one warning."""

import re
from typing import Any

import pytest

import blockfall
from blockfall import deprecated
from blockfall.cli.commands import COMMANDS
from blockfall.validation import Settings, check
from tests.program import Call


class Oven(Settings):
    """Settings with a renamed key."""

    heat: int = 0


@deprecated.keywords
def bake(bread: str, *, heat: int = 0) -> str:
    """A function with a renamed keyword."""
    return f"{bread} at {heat}"


@pytest.fixture(autouse=True)
def _renamed(monkeypatch: pytest.MonkeyPatch) -> None:
    places = {
        "blockfall": {"Ruleset": "Rules"},
        "Oven": {"width": "heat"},
        "bake": {"width": "heat"},
        "blockfall rules": {"--as-json": "--json"},
    }
    monkeypatch.setattr(deprecated, "RENAMED", places)


def warns(where: str, old: str, new: str) -> Any:
    return pytest.warns(FutureWarning, match=re.escape(f"{where}: {old} is now called {new}"))


def test_an_old_name_of_the_package() -> None:
    with warns("blockfall", "Ruleset", "Rules") as seen:
        assert blockfall.Ruleset is blockfall.Rules  # type: ignore[attr-defined]
    assert [warning.filename for warning in seen] == [__file__]
    assert "Ruleset" not in blockfall.__all__


def test_an_old_setting_and_an_old_key_of_a_file() -> None:
    with warns("Oven", "width", "heat"):
        assert Oven(width=3).heat == 3  # type: ignore[call-arg]
    with warns("Oven", "width", "heat"):
        assert check(Oven, {"width": 3}, "oven.toml").heat == 3
    with pytest.raises(blockfall.BlockfallError, match=r"oven.toml: unknown key 'width'; known: heat"):
        check(Oven, {"width": 3, "heat": 4}, "oven.toml")


def test_an_old_keyword() -> None:
    with warns("bake", "width", "heat"):
        assert bake("rye", width=3) == "rye at 3"  # type: ignore[call-arg]


def test_an_old_option(call: Call) -> None:
    code, out, err = call("rules", "--as-json")
    assert (code, out[0]) == (0, "[")
    assert err.startswith("blockfall: blockfall rules: --as-json is now called --json;")
    with warns("blockfall rules", "--as-json", "--json"):
        words = deprecated.current_options("rules", ["--as-json=1", "x", "--", "--as-json"])
    assert words == ["--json=1", "x", "--", "--as-json"]


def test_every_new_name_exists(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    for place, renamed in deprecated.RENAMED.items():
        if place == "blockfall":
            assert set(renamed.values()) <= set(blockfall.__all__)
        if place.startswith("blockfall "):
            assert place.removeprefix("blockfall ") in COMMANDS
