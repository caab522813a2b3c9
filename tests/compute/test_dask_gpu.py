"""Workers of a Dask cluster that have a GPU, played here by a device on the CPU."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

pytest.importorskip("distributed")

from distributed import LocalCluster

from blockfall import Agent, DaskBackend, Request, SettingError, WeightedFeatures, agent, feature, rules
from blockfall.compute import Evaluation, LocalBackend, PlayProgress, dask_worker
from blockfall.compute.cuda import CudaBackend
from tests.compute.host_device import HostDevice

REQUEST = Request(rules("nes-no-rotation-drop"), agent("dellacherie"), games=900, seed=5, max_pieces=4)


class Gpu(CudaBackend):
    """A backend that notes the sizes of the parts that it plays."""

    played: list[int] = []  # noqa: RUF012

    def play(self, request: Request, progress: PlayProgress | None = None) -> Evaluation:
        self.played.append(request.games)
        return super().play(request, progress)


@pytest.fixture
def gpu(device: HostDevice, monkeypatch: pytest.MonkeyPatch) -> Gpu:
    found = Gpu(device)
    found.played.clear()
    monkeypatch.setattr(dask_worker, "_gpu", lambda: found)
    return found


@pytest.fixture
def backend() -> Iterator[DaskBackend]:
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster,
        DaskBackend(cluster.scheduler_address, task_seconds=0.02) as found,
    ):
        yield found


def test_a_worker_with_a_gpu_plays_on_it(gpu: Gpu, backend: DaskBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_worker, "GPU_GAMES", 10)
    assert backend.play(REQUEST) == LocalBackend().play(REQUEST)
    assert gpu.played
    assert all(10 <= games < 900 for games in gpu.played)


def test_what_a_gpu_does_not_play_goes_to_a_core(gpu: Gpu) -> None:
    @feature("dask-gpu-test-own")
    def own(board: object) -> float:  # noqa: ARG001
        return 0.0

    mine = Agent("mine", WeightedFeatures({"holes": -1, "dask-gpu-test-own": -1}))
    for request in (
        replace(REQUEST, games=dask_worker.GPU_GAMES - 1),
        replace(REQUEST, agent=mine),
        replace(REQUEST, agent=replace(agent("lee"), pieces_known=3)),
        replace(REQUEST, rules=rules("nes-no-rotation-timed"), agent=agent("noro-small").with_plies(3)),
    ):
        assert dask_worker._player(request) == LocalBackend(1)
    for player in ("dellacherie", "noro-small"):
        playable = replace(REQUEST, rules=rules("nes-no-rotation-timed"), agent=agent(player))
        assert dask_worker._player(playable) is gpu


def test_a_worker_without_a_gpu_plays_on_a_core(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> HostDevice:
        raise SettingError("no GPU")

    monkeypatch.setattr("blockfall.compute.cuda.backend.find_device", none)
    dask_worker._gpu.cache_clear()
    assert dask_worker._player(REQUEST) == LocalBackend(1)
    dask_worker._gpu.cache_clear()
