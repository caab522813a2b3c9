"""Runs that are killed, refused, interrupted, and resumed to the identical result."""

import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from blockfall import agent, evaluate
from blockfall.compute import LocalBackend, Purpose, evaluate_population
from blockfall.errors import LockedError, StoreError
from blockfall.experiments.configuration import load_configuration
from blockfall.experiments.fitness import fitness_of
from blockfall.experiments.run import create_run, open_run
from blockfall.experiments.training import Training
from blockfall.files import is_locked, locked
from blockfall.optimisers import OPTIMISERS
from blockfall.store import Store
from tests import ROOT
from tests.experiments.small_runs import SMALL, configured, finished
from tests.program import PROGRAM, output_of, refusal, start_program


def test_candidates_play_the_games_of_single_agents() -> None:
    weights = np.random.default_rng(1).uniform(-1, 1, (7, 6))
    together = evaluate_population(
        "nes-no-rotation", "birken-6", weights, 5, seed=3, first_game=2, purpose=Purpose.TEST, backend="local:2"
    )
    names = list(agent("birken-6").weights)
    for row, lines, pieces in zip(weights, together.lines, together.pieces, strict=True):
        own = configured(features=names).agent(row.tolist())
        alone = evaluate("nes-no-rotation", own, 5, seed=3, first_game=2, backend="local:1")
        assert lines.tolist() == alone.lines.tolist()
        assert pieces.tolist() == alone.pieces.tolist()


def test_fitness() -> None:
    lines = np.array([[1, 2, 9], [4, 4, 4]])
    assert fitness_of("mean", lines).tolist() == [4.0, 4.0]
    assert fitness_of("record", lines).tolist() == [9.0, 4.0]
    assert fitness_of("weighted", lines) == pytest.approx([0.4 * 9 + 0.6 * 4, 4.0])
    assert fitness_of("weighted", lines, 1.0, 0.0).tolist() == [9.0, 4.0]


def test_training_validation_and_test_games_are_different_games() -> None:
    player = agent("birken-6")
    pieces = {
        purpose: evaluate("nes-no-rotation", player, 200, seed=1, purpose=purpose).pieces.tolist()
        for purpose in (Purpose.TRAINING, Purpose.VALIDATION, Purpose.TEST)
    }
    for one in pieces.values():
        for other in pieces.values():
            same = sum(a == b for a, b in zip(one, other, strict=True))
            assert same == 200 if one is other else same < 40  # lengths coincide by chance, about one in forty


def test_a_run_leaves_its_agent_its_result_and_every_game(store: Store, tmp_path: Path) -> None:
    result = finished(store, configured(), tmp_path / "run")
    player = agent(tmp_path / "run" / "agent.json")
    assert player.weights == result.agent.weights == result.as_json()["weights"]
    assert player.pieces_known == 2
    test = evaluate("nes-no-rotation-drop", player, 20, seed=1)
    (stored,) = store.runs.newest()
    assert [game.lines for game in store.runs.test_games(stored.id)] == test.lines.tolist()
    assert result.test.lines.mean == test.lines.mean()
    assert result.test.points.mean == test.score.mean()
    assert json.loads((tmp_path / "run" / "result.json").read_text()) == result.as_json()
    assert len(store.runs.iterations(stored.id)) == 8
    for row, restart in zip(store.runs.validations(stored.id), result.restarts, strict=True):
        validation = evaluate("nes-no-rotation-drop", restart.agent, 6, seed=1, purpose=Purpose.VALIDATION)
        assert row.lines == validation.lines.tolist()
        assert row.points == validation.score.tolist()
        assert (row.capped, restart.validation.lines.mean) == (0, validation.lines.mean())
    text = (tmp_path / "run" / "result.json").read_text() + (tmp_path / "run" / "agent.json").read_text()
    assert str(tmp_path) not in text
    assert stored.id not in text
    assert stored.started[:10] not in text


def test_the_chosen_restart_is_the_best_by_validation(store: Store, tmp_path: Path) -> None:
    result = finished(store, configured(restarts=4), tmp_path / "run")
    best = max(range(4), key=lambda n: result.restarts[n].validation_fitness)
    assert result.chosen_restart == best
    assert result.agent == result.restarts[best].agent


@pytest.mark.parametrize("fresh", [False, True])
def test_a_candidates_fitness_is_that_of_the_runs_games(store: Store, tmp_path: Path, fresh: bool) -> None:
    games = {"training": 4, "validation": 6, "test": 20, "fresh": fresh}
    configuration = configured(games=games, optimiser={"name": "random", "iterations": 3, "population": 5})
    finished(store, configuration, tmp_path / "run")
    rows = store.runs.iterations(store.runs.newest()[0].id)
    training = Training(store, open_run(store, tmp_path / "run"))
    for row in rows:
        assert configuration.optimiser
        optimiser = training.optimisation(configuration.optimiser, row.restart)
        for _ in range(row.iteration):
            optimiser.tell(np.zeros(5))
        first = 4 * (row.restart * 3 + row.iteration) if fresh else 0
        for weights, fitness in zip(optimiser.ask(), row.fitness, strict=True):
            player = configuration.agent(weights.tolist())
            played = evaluate("nes-no-rotation-drop", player, 4, seed=1, first_game=first, purpose=Purpose.TRAINING)
            assert played.lines.mean() == fitness


@pytest.mark.parametrize("name", OPTIMISERS)
def test_threads_and_resuming_do_not_change_a_result(store: Store, tmp_path: Path, name: str) -> None:
    configuration = configured(optimiser={"name": name, "iterations": 5})
    whole = Training(store, create_run(store, configuration, tmp_path / "whole"), backend=LocalBackend(1)).complete()
    part = create_run(store, configuration, tmp_path / "part")

    class StoppedError(Exception):
        pass

    def stop(_: object) -> None:
        raise StoppedError

    for _ in range(4):
        with pytest.raises(StoppedError):
            Training(store, open_run(store, tmp_path / "part"), backend=LocalBackend(2), watch=stop).complete()
    assert len(store.runs.iterations(part.id)) == 4
    assert (
        Training(store, open_run(store, tmp_path / "part"), backend=LocalBackend(3)).complete().as_json()
        == whole.as_json()
    )


def test_a_run_killed_at_random_moments_ends_the_same(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(SMALL)
    train = ("train", "--config", str(tmp_path / "run.toml"), "--no-report", "--out")
    began = time.monotonic()
    output_of(*train, tmp_path / "whole", home=tmp_path / "home")
    seconds = time.monotonic() - began
    draw = random.Random(7)
    kills = 0
    for number in range(5):
        folder = tmp_path / f"part-{number}"
        process = start_program(*train, folder, home=tmp_path / "home")
        while not folder.exists():
            time.sleep(0.01)
        for _ in range(2):
            time.sleep(draw.uniform(0, seconds / 3))
            process.kill()
            process.wait()
            kills += not (folder / "result.json").exists()
            process = start_program("resume", folder, "--no-report", home=tmp_path / "home")
        assert process.wait(timeout=120) == 0
        for name in ("agent.json", "result.json"):
            assert (folder / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert kills >= 5


def test_a_second_process_is_refused(store: Store, tmp_path: Path) -> None:
    made = create_run(store, configured(), tmp_path / "run")
    with locked(tmp_path / "run"):
        assert "another process is working on it" in refusal("resume", tmp_path / "run", home=tmp_path / "home")
        with pytest.raises(LockedError):
            Training(store, made).complete()
    output_of("resume", tmp_path / "run", "--no-report", home=tmp_path / "home")


def test_checking_a_lock_does_not_block_others(tmp_path: Path) -> None:
    """The app's pages check the lock again and again while a job begins."""
    ended = threading.Event()

    def look() -> None:
        while not ended.is_set():
            is_locked(tmp_path)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        for _ in range(200):
            with locked(tmp_path):
                assert is_locked(tmp_path)
    finally:
        ended.set()
        looking.join()


def test_ctrl_c_keeps_everything_and_says_how_to_continue(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(SMALL.replace("iterations = 30", "iterations = 100000"))
    train = ("train", "--config", tmp_path / "run.toml", "--out", tmp_path / "run")
    process = start_program(*train, home=tmp_path / "home")
    store = Store(tmp_path / "home" / "store.sqlite3")
    while not (runs := store.runs.newest()) or not store.runs.iterations(runs[0].id):
        time.sleep(0.01)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert f" resume {tmp_path / 'run'}" in err
    assert len(store.runs.iterations(runs[0].id)) > 0


def test_no_terminal_gets_log_lines(tmp_path: Path) -> None:
    settings = ("--iterations", "100000", "--population", "5", "--training", "2")
    process = start_program("train", "--out", tmp_path / "run", *settings, home=tmp_path / "home")
    assert process.stderr
    line = next(line for line in process.stderr if "of 100000" in line)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert "s left" in line
    assert "games/s" in line


def test_a_damaged_store_is_named_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "home" / "store.sqlite3"
    path.parent.mkdir()
    path.write_bytes(b"not a database, but something that somebody may want back" * 100)
    before = path.read_bytes()
    assert "store.sqlite3 is damaged" in refusal("train", "--out", tmp_path / "run", home=tmp_path / "home")
    assert path.read_bytes() == before
    assert not (tmp_path / "run").exists()


def test_a_damaged_checkpoint_stops_the_run_and_loses_nothing(store: Store, tmp_path: Path) -> None:
    finished(store, configured(), tmp_path / "run")
    number = store.runs.newest()[0].id
    (tmp_path / "run" / "result.json").unlink()
    with sqlite3.connect(store.path) as direct:
        direct.execute("DELETE FROM validations")
        direct.execute("UPDATE iterations SET candidates = 'x' WHERE iteration = 2 AND restart = 0")
    direct.close()
    with pytest.raises(StoreError, match="iteration 2 of restart 0 cannot be repeated"):
        Training(store, open_run(store, tmp_path / "run")).complete()
    assert len(store.runs.iterations(number)) == 8


def test_a_full_disk_is_reported_and_finished_work_is_kept(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(SMALL)
    folder = tmp_path / "run"

    def few_bytes() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (120_000, 120_000))

    environment = os.environ | {"BLOCKFALL_HOME": str(tmp_path / "home")}
    train = [*PROGRAM, "train", "--config", str(tmp_path / "run.toml"), "--no-report", "--out", str(folder)]
    full = subprocess.run(train, env=environment, preexec_fn=few_bytes, capture_output=True, text=True, timeout=60)
    assert full.returncode == 2
    assert "the store" in full.stderr
    assert "finished work is kept" in full.stderr
    kept = Store(tmp_path / "home" / "store.sqlite3")
    assert 0 < len(kept.runs.iterations(kept.runs.newest()[0].id)) < 60
    output_of("resume", folder, "--no-report", home=tmp_path / "home")
    output_of("train", "--config", tmp_path / "run.toml", "--out", tmp_path / "w", home=tmp_path / "other")
    assert (folder / "result.json").read_bytes() == (tmp_path / "w" / "result.json").read_bytes()


def test_a_store_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for home in (tmp_path / "file" / "home", Path("/proc/blockfall")):
        assert str(home.parent) in refusal("train", "--out", tmp_path / "run", home=home)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


@pytest.mark.long
def test_cma_es_makes_dellacheries_features_stronger_than_his_weights_in_five_minutes(
    store: Store, tmp_path: Path
) -> None:
    """On the small board his own weights clear 2,424 lines by a control program, El-Tetris's 3,031 ± 150."""
    before = time.monotonic()
    configuration = load_configuration(ROOT / "examples" / "standard-10x10.toml")
    test = finished(store, configuration, tmp_path / "run").test.lines
    assert test.mean - 2 * test.sem > 2424
    assert test.mean + 2 * test.sem > 3031
    assert time.monotonic() - before < 300
