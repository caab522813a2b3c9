"""Files that earlier versions wrote load, play and resume to the same results."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import blockfall
from blockfall.experiments.configuration import load_configuration
from blockfall.learning import BoardNetworkLearning
from tests import ROOT
from tests.registries import restored

CORPUS = ROOT / "tests/data/corpus-0.1.0"
EXPECTED = CORPUS / "expected"
GAMES: dict[str, dict[str, Any]] = json.loads((EXPECTED / "games.json").read_text())


@pytest.fixture(autouse=True)
def _corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A copy of the corpus, with its store as the user's store."""
    folder = tmp_path / "corpus"
    shutil.copytree(CORPUS, folder)
    monkeypatch.setenv("BLOCKFALL_HOME", str(folder))
    monkeypatch.chdir(folder)
    with sqlite3.connect(folder / "store.sqlite3") as database:
        database.executescript((folder / "store.sql").read_text().replace("FOLDER", str(folder)))
    database.close()
    with restored():
        yield


@pytest.mark.parametrize("name", GAMES)
def test_an_agent_plays_the_same_games(name: str) -> None:
    assert set(GAMES) == {file.stem for file in Path("agents").glob("*.json")}
    expected = GAMES[name]
    played = blockfall.evaluate(
        rules=expected["rules"], agent=f"agents/{name}.json", games=4, seed=5, max_pieces=200
    ).summary()
    assert (played.lines, played.pieces) == (expected["lines"], expected["pieces"])


@pytest.mark.parametrize("name", [file.stem for file in sorted((CORPUS / "configs").glob("*.toml"))])
@pytest.mark.filterwarnings("ignore:.*is now called:FutureWarning")
def test_a_configuration_loads(name: str) -> None:
    loaded = load_configuration(Path("configs", f"{name}.toml"))
    assert loaded.seed
    if name == "board-network":
        assert isinstance(loaded.learning, BoardNetworkLearning)
        assert (loaded.learning.blocks, loaded.learning.hidden, loaded.learning.mirror) == (1, 4, True)


@pytest.mark.parametrize("name", ["tetris", "guideline", "narrow"])
def test_a_replay_loads(name: str) -> None:
    rules = "rules/narrow.toml" if name == "narrow" else None
    replay = blockfall.Replay.read(Path("replays", f"{name}.jsonl"), rules)
    assert replay.text() == Path("replays", f"{name}.jsonl").read_text()


def test_solutions_of_other_games_can_be_played() -> None:
    board = Path("replays/hopeless-board.txt").read_text()
    for name, start in (
        ("hopeless", blockfall.game("hopeless").read(board)),
        ("ist", blockfall.game("ist-tetris").start(pieces="ojlti")),
    ):
        solution = json.loads(Path("replays", f"{name}-solution.json").read_text())
        for move in solution["moves"]:
            start = start.apply(next(one for one in start.actions() if json.loads(json.dumps(one)) == move))
        assert start.score == solution["points"]


@pytest.mark.parametrize("name", ["finished", "learned", "own"])
def test_a_finished_run_loads(name: str) -> None:
    found = blockfall.run(Path("runs", name))
    kept = json.loads(Path("runs", name, "result.json").read_text())
    assert (found.state, found.test) == ("finished", kept["test"])
    player = blockfall.agent(Path("runs", name, "agent.json"))
    assert blockfall.evaluate(rules=kept["rules"], agent=player, games=1, max_pieces=50).summary().games == 1


@pytest.mark.parametrize("name", ["stopped", "stopped-learning"])
@pytest.mark.filterwarnings("ignore:.*is now called:FutureWarning")
def test_an_interrupted_run_resumes_to_the_same_result(name: str) -> None:
    blockfall.resume(Path("runs", name))
    result = Path("runs", name, "result.json").read_text()
    assert json.loads(result) == json.loads((EXPECTED / f"{name}.json").read_text())


def test_the_store_has_what_the_app_saved() -> None:
    store = blockfall.Store()
    assert store.boards.of("tetris") == {"well": "#...\n##.#"}
    assert store.boards.of("hopeless") == {"mine": Path("replays/hopeless-board.txt").read_text().removesuffix("\n")}
    assert store.high_scores.best("hopeless", 1) == [("ann", 1234)]
    (replay,) = store.replays.newest("v", 5)
    assert store.replays.text(replay.id) == Path("replays/tetris.jsonl").read_text()
    (attempt,) = store.attempts.of("v")
    assert (attempt.puzzle, attempt.solved, attempt.rating) == ("p1", True, 1234.5)


def test_a_plugin_registers_one_thing_of_every_kind() -> None:
    blockfall.load_plugin("things.py")
    assert blockfall.Game("thin", seed=1).choose("low").row == 0
    assert blockfall.solve("stones", "depth-first").points == 0
    assert len(blockfall.solve("stairs", "first-way").moves) == 100
    assert blockfall.find_feature("first-column").definition == "Height of the first column."
    draws = load_configuration(Path("configs/own.toml")).optimiser
    assert draws is not None
    assert draws.name == "draws"
    (row,) = blockfall.study("lee-alone", out="study").rows
    assert row.name == "lee"
