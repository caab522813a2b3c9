"""Trainings to begin with, each with its measured result: lines per test game, and seconds."""

import json
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from blockfall.experiments.configuration import Configuration, configuration_from

_HERE = Path(__file__).parent
MEASURED = _HERE / "measured.json"
"""The measurements from tools/measure_presets.py."""


@dataclass(frozen=True)
class Preset:
    """A training that the form offers, with its measured result."""

    name: str
    title: str
    what: str
    configuration: Configuration
    reached: dict[str, Any] | None

    @property
    def promise(self) -> str:
        """Its measured result, in words."""
        if self.reached is None:
            return "not measured yet"
        lines = f"{self.reached['mean']:,.{1 if self.reached['mean'] < 100 else 0}f} lines"
        if self.reached["capped"] == self.reached["n"]:
            lines = f"{lines}, the piece limit"
        elif self.reached["capped"]:
            lines = f"over {lines}"
        return f"{lines}, in about {max(1, round(self.reached['seconds']))} s"


@cache
def presets() -> tuple[Preset, ...]:
    """Return the presets, in order."""
    found = tomllib.loads((_HERE / "presets.toml").read_text(encoding="utf-8"))["preset"]
    reached = json.loads(MEASURED.read_text(encoding="utf-8"))["reached"] if MEASURED.is_file() else {}
    return tuple(
        Preset(
            one["name"],
            one["title"],
            one["what"],
            configuration_from(one["run"], f"preset {one['name']}"),
            reached.get(one["name"]),
        )
        for one in found
    )
