"""Restarts and runs that train side by side on a backend that many threads share, as on a GPU."""

import threading
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from blockfall.compute import Evaluation, LocalBackend, PlayProgress, Purpose, Request
from blockfall.experiments.configuration import Configuration
from blockfall.experiments.run import create_run, open_run
from blockfall.experiments.training import Training, TrainingProgress
from blockfall.store import Store
from blockfall.studies import soster2024
from blockfall.studies.base import Work
from tests.experiments.small_runs import configured


class Shared:
    """A backend that plays on one thread, notes every request, and counts the threads that ask at once."""

    threads, requests_at_once = 1, 3

    def __init__(self, together: int = 1) -> None:
        self.requests: list[Request] = []
        self._barrier = threading.Barrier(together)

    def prepared_for(self, features: Collection[str]) -> "Shared":  # noqa: ARG002  it has nothing to prepare
        return self

    def play(self, request: Request, progress: PlayProgress | None = None) -> Evaluation:
        self.requests.append(request)
        if len(self.requests) <= self._barrier.parties:
            self._barrier.wait(timeout=60)  # breaks if fewer threads ask
        return LocalBackend(1).play(request, progress)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"games": {"training": 4, "validation": 6, "test": 20, "fresh": True}},
        {"optimiser": {"name": "cma-es", "iterations": 8, "patience": 1}},
        {"games": {"training": 2, "validation": 6, "test": 20, "max_pieces": 16, "until_limit": True}},
    ],
)
def test_restarts_side_by_side_have_the_same_result(store: Store, tmp_path: Path, changes: dict[str, object]) -> None:
    configuration = configured(restarts=3, **changes)
    alone = Training(store, create_run(store, configuration, tmp_path / "alone"), LocalBackend(1)).complete()
    together = create_run(store, configuration, tmp_path / "together")
    assert Training(store, together, Shared()).complete().as_json() == alone.as_json()
    rows = [store.runs.iterations(run.id) for run in (open_run(store, tmp_path / "alone"), together)]
    for one, other in zip(*rows, strict=True):
        assert (one.restart, one.iteration, one.best, one.mean) == (
            other.restart,
            other.iteration,
            other.best,
            other.mean,
        )
        assert np.array_equal(one.fitness, other.fitness)


def test_an_iteration_of_all_restarts_is_one_request(store: Store, tmp_path: Path) -> None:
    backend, seen = Shared(), list[TrainingProgress]()
    Training(store, create_run(store, configured(restarts=3), tmp_path / "run"), backend, seen.append).complete()
    asked = [request.shape for request in backend.requests if request.purpose is Purpose.TRAINING]
    assert asked == [(15, 4)] * 4
    assert [one.restart for one in seen[:6]] == [0, 1, 2, 0, 1, 2]
    assert [one.iterations_done for one in seen] == list(range(1, 13))


def test_a_stopped_run_resumes_side_by_side_or_one_by_one(store: Store, tmp_path: Path) -> None:
    configuration = configured(restarts=3)
    alone = Training(store, create_run(store, configuration, tmp_path / "alone"), LocalBackend(1)).complete()
    create_run(store, configuration, tmp_path / "run")

    class StoppedError(Exception):
        pass

    def stop(_: object) -> None:
        raise StoppedError

    for backend in (Shared(), LocalBackend(1), Shared()):
        with pytest.raises(StoppedError):
            Training(store, open_run(store, tmp_path / "run"), backend, stop).complete()
    run = open_run(store, tmp_path / "run")
    reached = [len([row for row in store.runs.iterations(run.id) if row.restart == restart]) for restart in range(3)]
    assert reached == [3, 2, 2]
    assert Training(store, run, Shared()).complete().as_json() == alone.as_json()


def test_runs_of_a_study_share_the_backend(store: Store, tmp_path: Path) -> None:
    wanted = {f"run-{seed}": configured(seed=seed, restarts=1) for seed in (1, 2, 3, 4)}
    shared = Work(tmp_path / "shared", store, Shared(together=3))
    shared.train_all(wanted, lambda *_: None)
    alone = Work(tmp_path / "alone", store, LocalBackend(1))
    alone.train_all(wanted, lambda *_: None)
    for name in wanted:
        results = [(work.folder(name) / "result.json").read_bytes() for work in (shared, alone)]
        assert results[0] == results[1]


@pytest.mark.parametrize("backend", [Shared(together=2), LocalBackend(1), LocalBackend(2)])
def test_a_run_that_needs_another_one_begins_when_that_is_finished(
    backend: Shared | LocalBackend, store: Store, tmp_path: Path
) -> None:
    work, begun = Work(tmp_path / "out", store, backend), list[str]()

    def needs_the_second() -> dict[str, Configuration]:
        assert (work.folder("second") / "result.json").exists()
        return {"third": configured(seed=3, restarts=1)}

    def update(share: float, note: str) -> None:
        shares.append(share)
        name, _, _ = note.partition(":")
        if name not in begun:
            begun.append(name)

    shares = list[float]()
    wanted = {name: configured(seed=seed, restarts=1) for seed, name in enumerate(("first", "second"), 1)}
    work.train_all(wanted, update, {"second": needs_the_second})
    assert sorted(begun) == ["first", "second", "third"]
    assert begun.index("second") < begun.index("third")
    assert max(shares) == 3
    if isinstance(backend, LocalBackend) and backend.threads == 1:
        assert begun == ["second", "third", "first"]


def test_soster2024_prepares_a_shared_backend_for_all_its_agents(store: Store, tmp_path: Path) -> None:
    """A GPU then has one program for all of them, with the shipped agent and our own groups."""
    prepared = list[Collection[str]]()

    class Noting(Shared):
        def prepared_for(self, features: Collection[str]) -> "Noting":
            prepared.append(features)
            return self

        def play(self, request: Request, progress: PlayProgress | None = None) -> Evaluation:
            return super().play(replace(request, max_pieces=1), progress)

    backend = Noting()
    soster2024.run(soster2024.Soster2024Settings(rules="nes-no-rotation"), Work(tmp_path, store, backend))
    (features,) = prepared
    assert {name for request in backend.requests for name in request.agent.weights} == set(features)
    assert len(features) <= 32  # more are too many for one program
