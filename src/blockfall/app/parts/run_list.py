"""All runs as the rows of a list that visitors can filter."""

from dataclasses import dataclass

from blockfall.app.parts import menus
from blockfall.app.parts.progress import state_of
from blockfall.experiments.configuration import Configuration
from blockfall.experiments.overview import Overview, runs
from blockfall.features import groups
from blockfall.store import RunNote, Store


@dataclass(frozen=True)
class RunRow:
    """A run in the list."""

    id: str
    label: str
    rules: str
    rules_title: str
    features: str
    optimiser: str
    fitness: str
    state: str
    validation: float | None
    mean: float | None
    sem: float | None
    started: str
    seconds: float
    note: str = ""
    tags: tuple[str, ...] = ()

    def matches(self, text: str, rules: str, state: str) -> bool:
        """Return whether it matches a filter's text, rules and state; empty ones match every run."""
        settings = (self.rules, self.rules_title, self.features, self.optimiser, self.fitness)
        facts = (self.id, self.label, *settings, self.note, *self.tags)
        words = " ".join(facts).lower()
        return (
            all(part in words for part in text.lower().split())
            and (not rules or self.rules == rules)
            and (not state or self.state == state)
        )


def run_rows(store: Store) -> list[RunRow]:
    """Return all runs, newest first."""
    seconds, notes = store.runs.training_seconds(), store.runs.notes()
    return [_row(run, seconds.get(run.id, 0.0), notes.get(run.id, RunNote())) for run in runs(store)]


def run_row(store: Store, run: str) -> RunRow:
    """Return the run of this id."""
    seconds, notes = store.runs.training_seconds(), store.runs.notes()
    return _row(Overview(store.runs.find(run)), seconds.get(run, 0.0), notes.get(run, RunNote()))


def _row(seen: Overview, seconds: float, written: RunNote) -> RunRow:
    configuration = seen.configuration
    return RunRow(
        id=seen.run.id,
        label=seen.label,
        rules=configuration.rules,
        rules_title=menus.rules_title(configuration.rules),
        features=features_name(configuration),
        optimiser=configuration.trainer.name,
        fitness=configuration.fitness,
        state=state_of(seen),
        validation=seen.validation_mean,
        mean=seen.test.get("mean"),
        sem=seen.test.get("sem"),
        started=seen.run.started,
        seconds=seconds,
        note=written.note,
        tags=written.tags,
    )


def features_name(configuration: Configuration) -> str:
    """Return the name of the features' group or the number of features; empty for a table."""
    names = configuration.features
    if not names:
        return "table"
    known = next((name for name, group in groups().items() if group.features == names), "")
    network = " network" if configuration.hidden else ""
    return (known or f"{len(names)} feature{'s' if len(names) > 1 else ''}") + network
