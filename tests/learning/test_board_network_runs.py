"""Runs that learn a board network: stopped, resumed, killed, damaged and refused."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from blockfall import BoardNetwork, BoardNetworkLearning, agent, evaluate, rules
from blockfall.errors import BlockfallError, FileError, SettingError
from blockfall.experiments.configuration import configuration_from
from blockfall.experiments.run import create_run, open_run
from blockfall.experiments.training import Training, TrainingProgress
from blockfall.learning import Beginning
from blockfall.store import Store
from tests.learning.board_networks import SMALL, narrow
from tests.program import refusal

torch = pytest.importorskip("torch")
torch.set_num_threads(1)

NORO = {"channels": 32, "blocks": 3, "kernel": 3, "hidden": 128}
"""The layers of the agent noro-small."""


def configuration(tmp_path: Path, **learning: Any) -> Any:
    keys = {
        "rules": str(narrow(tmp_path)),
        "pieces_known": 2,
        "restarts": 2,
        "seed": 3,
        "learning": {"name": "board-network", "actions": 1500, "stages": 5, **SMALL, **learning},
        "games": {"training": 20, "validation": 20, "test": 30, "max_pieces": 200},
    }
    return configuration_from(keys, "the test")


class _StoppedError(Exception):
    """A stand-in for a kill."""


def test_a_run_keeps_the_setting_for_mirror_images(tmp_path: Path) -> None:
    store = Store()
    Training(store, create_run(store, configuration(tmp_path, mirror=True), tmp_path / "run")).complete()
    found = agent(tmp_path / "run" / "agent.json").value
    assert isinstance(found, BoardNetwork)
    assert found.mirror
    assert json.loads((tmp_path / "run" / "result.json").read_text())["restarts"][0]["board_network"]["mirror"]


def test_stopped_anywhere_and_resumed_it_ends_with_the_identical_files(tmp_path: Path) -> None:
    store = Store()
    wanted = configuration(tmp_path)
    Training(store, create_run(store, wanted, tmp_path / "whole")).complete()

    def stop(progress: TrainingProgress) -> None:
        if progress.iterations_done in (2, 6, 9):
            raise _StoppedError

    run = create_run(store, wanted, tmp_path / "stopped")
    for _ in range(3):
        with pytest.raises(_StoppedError):
            Training(store, run, watch=stop).complete()
    Training(store, open_run(store, tmp_path / "stopped")).complete()
    names = sorted(path.name for path in (tmp_path / "whole").iterdir())
    assert "agent.weights" in names
    assert {"restart-1.weights", "restart-2.weights"} <= set(names)
    assert names == sorted(path.name for path in (tmp_path / "stopped").iterdir())
    for name in set(names) - {"run.id"}:
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "stopped" / name).read_bytes(), name
    curves = [[(p.best, p.mean, p.loss, p.value) for p in store.runs.curve(r.id)] for r in store.runs.newest()]
    assert curves[0] == curves[1]
    assert all(point[2] is not None for point in curves[0])


def test_killed_within_a_stage_it_continues_from_the_last_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from blockfall.learning.board_network import learner
    from blockfall.learning.board_network.trainer import BoardNetworkTrainer

    monkeypatch.setattr(learner, "_KEEP_S", 0.0)  # every update counts as a minute
    store = Store()
    wanted = configuration(tmp_path)
    Training(store, create_run(store, wanted, tmp_path / "whole")).complete()
    step, steps = BoardNetworkTrainer.step, 0

    def dies(trainer: BoardNetworkTrainer) -> Any:
        nonlocal steps
        steps += 1
        if steps in (2, 9, 10, 40):
            raise _StoppedError
        return step(trainer)

    monkeypatch.setattr(BoardNetworkTrainer, "step", dies)
    run = create_run(store, wanted, tmp_path / "killed")
    for _ in range(4):
        with pytest.raises(_StoppedError):
            Training(store, run).complete()
    Training(store, run).complete()
    alone = steps
    Training(store, create_run(store, wanted, tmp_path / "again")).complete()
    assert alone - 4 == steps - alone, "no step is taken twice"
    assert (tmp_path / "whole/agent.weights").read_bytes() == (tmp_path / "killed/agent.weights").read_bytes()
    curves = [[(p.best, p.mean, p.loss, p.value) for p in store.runs.curve(r.id)] for r in store.runs.newest()]
    assert curves[0] == curves[1] == curves[2]


def test_a_result_names_the_files_of_its_networks(tmp_path: Path) -> None:
    store = Store()
    run = create_run(store, configuration(tmp_path), tmp_path / "run")
    result = Training(store, run).complete()
    written = json.loads((run.folder / "result.json").read_text())
    assert written["board_network"]["weights"] == "agent.weights"
    assert [restart["board_network"]["weights"] for restart in written["restarts"]] == [
        "restart-1.weights",
        "restart-2.weights",
    ]
    assert agent(run.folder / "agent.json") == result.agent
    played = evaluate(narrow(tmp_path), result.agent, games=30, seed=3, max_pieces=200)
    assert played.lines.mean() == pytest.approx(result.test.lines.mean)
    assert [row.weights for row in store.runs.validations(run.id)] == [[], []]

    assert Training(store, run).complete() == result
    (run.folder / "restart-2.weights").write_bytes(b"other")
    with pytest.raises(FileError, match=r"restart-2\.weights"):
        Training(store, run).complete()


def test_a_damaged_checkpoint_is_a_one_line_error(tmp_path: Path) -> None:
    from blockfall.learning.board_network.learner import BoardNetworkLearner

    def learner(**changes: Any) -> BoardNetworkLearner:
        return BoardNetworkLearning(**SMALL | changes).start(Beginning(rules(narrow(tmp_path)), pieces_known=2))

    learned = learner()
    learned.learn(200)
    path = tmp_path / "learner.npz"
    learned.save(path)
    with np.load(path) as found:
        kept = dict(found)
    for other in ({"channels": 9}, {"seats": 17}):
        with pytest.raises(FileError, match="not a checkpoint of this run"):
            learner(**other).load(path)
    for name in ("counts", "seats", "generator", "rows", "sums", "network.table", "exp_avg.table", "step.table"):
        np.savez(path, **{key: array for key, array in kept.items() if key != name})
        with pytest.raises(FileError, match="not a checkpoint of this run"):
            learner().load(path)
    for name, array in (("seats", 255 - kept["seats"]), ("counts", -kept["counts"]), ("generator", kept["seats"])):
        np.savez(path, **{**kept, name: array})
        with pytest.raises(FileError, match="not a checkpoint of this run"):
            learner().load(path)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"pieces_known": 3}, "pieces_known is 3; for learning it must be 1 or 2"),
        ({"features": "data-6"}, "a board network has no features, hidden or unknown_piece; leave them out"),
        ({"hidden": [8]}, "a board network has no features, hidden or unknown_piece"),
        ({"learning": {"kernel": 4}}, "kernel is 4; it must be odd"),
        ({"learning": {"noise": [0.0, 0.1]}}, "two numbers above 0"),
        ({"learning": {"discount": 0.5}}, "unknown key 'learning.discount'"),
        ({"start": "dellacherie"}, "from the agent 'dellacherie': it has weights, not a board network"),
        (
            {"start": "noro-small", "learning": {"channels": 16}},
            "its channels, blocks, kernel and hidden are 32, 3, 3, 128, the run's are 16, 2, 3, 64",
        ),
        ({"start": "noro-small", "learning": NORO, "pieces_known": 1}, "start: 1 pieces known; "),
        ({"start": "noro-small", "learning": NORO, "rules": "guideline"}, "guideline has boards of 10x24"),
    ],
)
def test_impossible_settings_are_refused(change: dict[str, Any], complaint: str) -> None:
    keys: dict[str, Any] = {"rules": "nes-no-rotation", "learning": {}} | change
    keys["learning"] = {"name": "board-network", **keys["learning"]}
    with pytest.raises(BlockfallError, match=complaint.replace("[", r"\[")) as refused:
        configuration_from(keys, "the test")
    assert "\n" not in str(refused.value)


def test_an_old_file_names_a_device_and_a_width() -> None:
    keys = {"rules": "nes-no-rotation", "learning": {"name": "board-network", "device": "cuda", "width": 8}}
    with pytest.warns(FutureWarning) as said:
        made = configuration_from(keys, "the test")
    assert made.learning == BoardNetworkLearning(channels=8)
    assert "learning.device has no effect: --backend cuda computes on the GPU" in str(said[0].message)
    assert "width is now called channels" in str(said[1].message)


def test_learning_continues_from_an_agent(tmp_path: Path) -> None:
    """It plays like the agent from the start, while a new network plays at random, and then improves."""
    few = {"training": 20, "validation": 20, "test": 20}
    keys = {
        "rules": "nes-no-rotation",
        "start": "noro-small",
        "learning": {"name": "board-network", "actions": 64, "stages": 1, "seats": 4, **NORO},
        "games": few,
    }
    store = Store(tmp_path / "store.sqlite3")
    run = create_run(store, configuration_from(keys, "the test"), tmp_path / "run")
    longer = Training(store, run).complete()
    assert longer.test.lines.mean > 10
    first, after = agent("noro-small").value, longer.agent.value
    assert isinstance(first, BoardNetwork)
    assert isinstance(after, BoardNetwork)
    assert first.weights != after.weights


def test_learning_that_diverges_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from blockfall.learning.board_network.learner import BoardNetworkLearner

    learn = BoardNetworkLearner.learn

    def diverge(self: BoardNetworkLearner, until: int) -> None:
        learn(self, until)
        self.trainer.averaged.position.data[0, 0] = float("inf")

    monkeypatch.setattr(BoardNetworkLearner, "learn", diverge)
    store = Store()
    run = create_run(store, configuration(tmp_path), tmp_path / "run")
    with pytest.raises(SettingError, match="learning diverged in stage 1 of restart 1"):
        Training(store, run).complete()
    assert not (run.folder / "agent.json").exists()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_no_run_is_begun(tmp_path: Path) -> None:
    assert "cuda" in refusal("train", "--learning", "board-network", "--backend", "cuda", "--out", tmp_path / "run")
    assert not (tmp_path / "run").exists()
