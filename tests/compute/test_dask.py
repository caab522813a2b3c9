"""Games and searches on a Dask cluster of real processes: one machine's results, whatever happens to the workers."""

import json
import pickle
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("distributed")

import distributed

import blockfall
from blockfall import BlockfallError, DaskBackend, Request, SearchSettings, agent, evaluate, rules, solve
from blockfall.compute import Cluster, LocalBackend, Population, Purpose, summarise
from blockfall.errors import ConnectionLostError
from tests.dask_cluster import Processes, processes
from tests.program import output_of, refusal, start_program

SHORT_S = 0.05
REQUEST = Request(rules("nes-no-rotation"), agent("birken-6"), games=1500, seed=5, first_game=7)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    with processes(tmp_path_factory.mktemp("cluster"), workers=2) as found:
        yield found


@pytest.fixture
def backend(cluster: Processes) -> Iterator[DaskBackend]:
    with DaskBackend(cluster.address, SHORT_S) as found:
        yield found


def test_games_are_the_same_and_progress_counts_them(backend: DaskBackend) -> None:
    told: list[tuple[int, int]] = []
    played = backend.play(REQUEST, lambda games, pieces: told.append((games, pieces)))
    assert played == LocalBackend().play(REQUEST)
    assert told == sorted(told)
    assert told[-1] == (REQUEST.games, int(played.pieces.sum()))
    assert len({games for games, _ in told}) > 3  # it came in several parts


def test_candidates_are_the_same(backend: DaskBackend) -> None:
    numbers = np.random.default_rng(1).normal(size=(9, 6))
    request = replace(REQUEST, games=40, max_pieces=60, purpose=Purpose.TRAINING, population=Population(numbers))
    assert backend.play(request) == LocalBackend().play(request)


def test_a_summary_is_the_same(backend: DaskBackend) -> None:
    for request in (REQUEST, replace(REQUEST, max_pieces=60)):
        here, there = summarise(request, slice_games=100), summarise(request, backend)
        assert there.seconds > 0
        assert replace(there, seconds=here.seconds) == here
    assert len(here.terminations) > 1  # their order is part of the summary


def test_estimates_are_the_same(backend: DaskBackend) -> None:
    """With few tries, some estimates find no loss. The first parts have one game each, as its time is unknown."""
    request = Request(rules("standard-10x10"), agent("dt-10"), games=20, seed=1, tries=20)
    here = LocalBackend().play(request)
    assert 0 < here.capped < request.games
    assert replace(backend.summarise(request), seconds=here.seconds) == here.summary()
    assert backend.play(request) == here


def test_a_search_is_the_same(backend: DaskBackend) -> None:
    ticks: list[int] = []
    settings = SearchSettings(width=300, seed=3, trace=True)
    here = solve("samegame", "beam", settings)
    there = solve("samegame", "beam", settings, lambda: ticks.append(1), backend)
    assert (there.points, there.moves, there.nodes_expanded) == (here.points, here.moves, here.nodes_expanded)
    assert there.trace == here.trace
    assert ticks


def test_a_search_that_cannot_be_pickled_is_refused_with_the_reason(backend: DaskBackend) -> None:
    with pytest.raises(BlockfallError, match=r"this search cannot be sent to a cluster .*; use --backend local"):
        solve("tetris", "greedy", backend=backend)


def test_backends_of_one_address_are_equal(cluster: Processes) -> None:
    with DaskBackend(cluster.address) as connected:
        other = pickle.loads(pickle.dumps(connected))
        assert other == connected
        assert hash(other) == hash(connected)
        assert isinstance(connected, Cluster)
    assert not isinstance(LocalBackend(), Cluster)
    assert blockfall.backend(f"dask:{cluster.address}") == connected


def test_a_training_gives_equal_files(cluster: Processes, tmp_path: Path) -> None:
    words = ["train", "--features", "soster-1", "--optimiser", "pso", "--iterations", "3", "--population", "5"]
    words += ["--training", "5", "--validation", "20", "--test", "50", "--no-report"]
    for name, option in (("here", "local:1"), ("there", f"dask:{cluster.address}")):
        output_of(
            *words, "--out", name, "--backend", option, cwd=tmp_path, env={"BLOCKFALL_HOME": str(tmp_path)}, timeout=120
        )
    for file in ("agent.json", "result.json"):
        assert (tmp_path / "there" / file).read_bytes() == (tmp_path / "here" / file).read_bytes()


def test_a_worker_killed_in_mid_run_changes_nothing(tmp_path: Path) -> None:
    """Two workers; one gets SIGKILL while it plays; the other plays its games again."""
    request = replace(REQUEST, games=6000)
    with processes(tmp_path, workers=2) as cluster, DaskBackend(cluster.address, task_seconds=0.2) as backend:
        killed_at: list[int] = []

        def kill(games: int, _pieces: int) -> None:
            if games and not killed_at:
                cluster.kill(0)
                killed_at.append(games)

        played = backend.play(request, kill)
        with distributed.Client(cluster.address, set_as_default=False) as client:
            assert len(client.nthreads()) == 1
    assert 0 < killed_at[0] < request.games / 2
    assert played == LocalBackend().play(request)


def test_work_waits_for_workers(tmp_path: Path) -> None:
    with processes(tmp_path, workers=0) as cluster, DaskBackend(cluster.address, SHORT_S) as backend:
        ticks = 0

        def start_one(games: int, _pieces: int) -> None:
            nonlocal ticks
            ticks += 1
            if ticks == 2:
                assert games == 0
                cluster.add()

        request = replace(REQUEST, games=30)
        with pytest.warns(UserWarning, match="has no workers now; waiting for some"):
            assert backend.play(request, start_one) == LocalBackend().play(request)


SIGNATURE = f"has Blockfall {blockfall.__version__} with signature"
OTHERS = {
    "import blockfall; blockfall.__version__ = '0.0.9'": "has Blockfall 0.0.9 with signature",
    "from blockfall.compute import dask_worker as w; w.rules = lambda _name, find=w.rules: find('nes')": SIGNATURE,
    "import sys; sys.modules['blockfall'] = None": f"cannot run Blockfall {blockfall.__version__} (",
}
"""Workers of another version, of the same version with other games, and without Blockfall, with the error for each."""


def test_a_worker_that_differs_is_refused(tmp_path: Path) -> None:
    """A worker that differs is refused both when we connect and when it joins later."""
    other = tmp_path / "other.py"
    with processes(tmp_path, workers=0) as cluster, DaskBackend(cluster.address, SHORT_S) as early:
        for number, (code, said) in enumerate(OTHERS.items()):
            other.write_text(code)
            cluster.add("--preload", str(other))
            with pytest.raises(BlockfallError) as raised:
                DaskBackend(cluster.address).connect()
            assert said in str(raised.value)
            assert "\n" not in str(raised.value)
            if number == 0:
                with pytest.raises(BlockfallError, match=said):
                    early.play(replace(REQUEST, games=30))
                assert said in refusal("evaluate", "--games", "5", "--backend", f"dask:{cluster.address}")
            cluster.kill(number)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("dask", "write dask:ADDRESS such as dask:tcp://127.0.0.1:8786"),
        ("dask:tcp://127.0.0.1:9", "no Dask scheduler answers at tcp://127.0.0.1:9 ("),
        ("dask:moon://127.0.0.1:9", "no Dask scheduler answers at moon://127.0.0.1:9 (unknown address scheme"),
    ],
)
def test_an_address_that_does_not_answer_is_a_one_line_error(text: str, part: str, tmp_path: Path) -> None:
    assert part in refusal("train", "--features", "soster-1", "--out", tmp_path / "never", "--backend", text)
    assert not (tmp_path / "never").exists()


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(BlockfallError, match=r"pip install 'blockfall\[dask\]'"):
        DaskBackend("tcp://127.0.0.1:8786").connect()


def interrupted(address: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the program on a cluster, and interrupt it a second after a worker has begun to work for it."""
    with start_program(*words, "--backend", f"dask:{address}") as process:
        with distributed.Client(address, set_as_default=False) as client:
            while process.poll() is None and not any(client.processing().values()):
                time.sleep(0.1)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    return subprocess.CompletedProcess(words, process.returncode, out, err)


def idle_within(address: str, seconds: float) -> bool:
    """Return whether all workers become idle in time: no task is kept, and no thread is busy."""

    def busy(dask_worker: distributed.Worker) -> int:
        return len(dask_worker.active_threads)

    until = time.monotonic() + seconds
    with distributed.Client(address, set_as_default=False) as client:
        while any(client.run(busy).values()) or any(client.processing().values()):
            if time.monotonic() > until:
                return False
            time.sleep(0.2)
    return True


def test_an_interrupt_cancels_the_games(cluster: Processes) -> None:
    """The games would take hours, because each of them does under these rules."""
    done = interrupted(cluster.address, "evaluate", "--rules", "standard", "--agent", "bcts")
    assert (done.returncode, done.stdout) == (130, ""), done.stderr
    assert "Traceback" not in done.stderr
    assert idle_within(cluster.address, 10)


def test_an_interrupted_search_gives_the_best_found(cluster: Processes, tmp_path: Path) -> None:
    board = tmp_path / "board.txt"
    board.write_text(blockfall.game("samegame").start(1, columns=15, rows=15).text())
    words = ("--game", "samegame", "--board", str(board), "--algorithm", "nrpa", "--level", "6")
    done = interrupted(cluster.address, "solve", *words, "--json")
    assert done.returncode == 130, done.stderr
    found = json.loads(done.stdout)
    assert found["stopped_by"] == "interrupt"
    assert found["points"] > 0
    assert idle_within(cluster.address, 10)


def test_a_scheduler_that_stops_is_a_one_line_error(tmp_path: Path) -> None:
    with processes(tmp_path, workers=1) as cluster, DaskBackend(cluster.address, SHORT_S) as backend:

        def kill(games: int, _pieces: int) -> None:
            if games:
                cluster.scheduler.kill()

        with pytest.raises(ConnectionLostError, match="has gone") as raised:
            backend.play(replace(REQUEST, games=100_000), kill)
        assert "\n" not in str(raised.value)


def test_evaluate_takes_the_address_as_text(cluster: Processes) -> None:
    there = evaluate("nes-no-rotation", "lee", 20, seed=2, max_pieces=50, backend=f"dask:{cluster.address}")
    assert there == evaluate("nes-no-rotation", "lee", 20, seed=2, max_pieces=50)
