"""All runs as the rows of a list, and which of them a visitor wants to see."""

from dataclasses import dataclass
from typing import Any

from blockfall.app.parts.progress import state_of
from blockfall.experiments.overview import Overview
from blockfall.experiments.store import Store
from blockfall.features import groups


@dataclass(frozen=True)
class RunRow:
    id: str
    label: str
    rules: str
    features: str
    optimiser: str
    fitness: str
    state: str
    validation: float | None
    mean: float | None
    sem: float | None
    started: str
    seconds: float

    def matches(self, text: str, rules: str, state: str) -> bool:
        """`text` is looked for in every word of it; nothing stands for anything."""
        words = f"{self.id} {self.label} {self.rules} {self.features} {self.optimiser} {self.fitness}".lower()
        return (
            all(part in words for part in text.lower().split())
            and (not rules or self.rules == rules)
            and (not state or self.state == state)
        )


def run_rows(store: Store) -> list[RunRow]:
    """The newest first."""
    seconds = store.training_seconds()
    return [_row(Overview(run), seconds.get(run.id, 0.0)) for run in store.runs()]


def run_row(store: Store, run: str) -> RunRow:
    return _row(Overview(store.run(run)), store.training_seconds().get(run, 0.0))


def _row(seen: Overview, seconds: float) -> RunRow:
    configuration, result = seen.configuration, seen.run.result
    return RunRow(
        id=seen.run.id,
        label=seen.label,
        rules=str(configuration["rules"]),
        features=features_name(configuration),
        optimiser=seen.trainer,
        fitness=str(configuration["fitness"]),
        state=state_of(seen),
        validation=result["validation"]["mean"] if result else None,
        mean=seen.test.get("mean"),
        sem=seen.test.get("sem"),
        started=seen.run.started,
        seconds=seconds,
    )


def features_name(configuration: dict[str, Any]) -> str:
    """The group, where the features are one's; else how many they are. A table has none."""
    names = tuple(configuration.get("features", ()))
    if not names:
        return "table"
    known = next((name for name, group in groups().items() if group.features == names), "")
    network = " network" if configuration.get("hidden") else ""
    return (known or f"{len(names)} feature{'s' if len(names) > 1 else ''}") + network
