"""Runs from Python: train, resume, runs, run; and a run's file combined with options."""

import inspect
import json
from pathlib import Path

import pytest

from blockfall import rules
from blockfall.errors import BlockfallError, FileError, SettingError
from blockfall.experiments.choices import TRAIN_OPTIONS, chosen_configuration
from blockfall.experiments.configuration import Configuration, GameSettings, load_configuration
from blockfall.experiments.overview import run, runs
from blockfall.experiments.running import resume, train
from blockfall.experiments.training import TrainingProgress
from blockfall.learning import Lstd, TableLearning
from blockfall.optimisers import CmaEs, Genetic, Optimiser, Pso, RandomSearch
from blockfall.store import Store
from blockfall.validation import Settings
from tests import ROOT

FEW = GameSettings(training=2, validation=3, test=5, max_pieces=100)
SMALL = """
rules = "nes-no-rotation-drop"
features = "soster-1"
restarts = 2

[optimiser]
name = "pso"
iterations = 2
particles = 3
inertia = [0.7, 0.7]

[games]
training = 2
validation = 3
test = 5
max_pieces = 100
"""
PLUGIN = """
from pathlib import Path
import blockfall

with (Path(__file__).parent / "ran.txt").open("a") as note:
    note.write("once\\n")

@blockfall.feature("FEATURE")
def own(board):
    return board.heights[0]
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BLOCKFALL_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_run_from_arguments_alone() -> None:
    seen: list[TrainingProgress] = []
    result = train(
        rules=rules("nes-no-rotation"),
        features=["soster-1"],
        optimiser=CmaEs(step=0.5, iterations=3),
        games=FEW,
        seed=3,
        out="first",
        backend="local:1",
        progress=seen.append,
    )
    assert [(one.iterations_done, one.iterations) for one in seen] == [(1, 3), (2, 3), (3, 3)]
    assert result.configuration.optimiser == CmaEs(step=0.5, iterations=3)
    assert (result.validation.lines.n, result.test.lines.n, result.folder) == (3, 5, Path("first"))
    written = json.loads(Path("first/result.json").read_text())
    assert written == result.as_json()
    assert written["optimiser"]["step"] == 0.5
    assert resume("first") == result


def test_the_same_run_from_a_file_a_configuration_and_arguments() -> None:
    Path("run.toml").write_text(SMALL)
    made = Configuration(
        rules="nes-no-rotation-drop",
        features=("soster-1",),
        restarts=2,
        optimiser=Pso(iterations=2, particles=3, inertia=(0.7, 0.7)),
        games=FEW,
    )
    assert load_configuration(Path("run.toml")) == made
    found = {train("run.toml", out="a").as_json()["validation"]["mean"]}
    found.add(train(made, out="b").as_json()["validation"]["mean"])
    assert Path("a/result.json").read_bytes() == Path("b/result.json").read_bytes()
    changed = train("run.toml", out="c", optimiser=RandomSearch(iterations=1, population=2), seed=9)
    assert changed.configuration.optimiser == RandomSearch(iterations=1, population=2)
    assert changed.configuration.games == made.games
    learned = train(made, out="d", learning=TableLearning(actions=2000, stages=2), features=[], pieces_known=1)
    assert learned.configuration.optimiser is None
    assert learned.restarts[0].stopped_by == "actions"


def test_runs_are_listed_and_found() -> None:
    assert runs() == []
    train(optimiser=RandomSearch(iterations=1, population=2), games=FEW, out="one", name="mine")
    train(optimiser=Genetic(iterations=1, population=2), games=FEW, out="two")
    listed = {one.folder.name: one for one in runs()}
    assert {name: one.configuration.trainer.name for name, one in listed.items()} == {"one": "random", "two": "genetic"}
    first = listed["one"]
    for name in (first.id, first.id[:10], "one", Path("one")):
        assert run(name).run == first.run
    assert (first.label, first.state, first.unit, first.test["n"]) == ("mine", "finished", "lines", 5)
    assert first.result == json.loads(Path("one/result.json").read_text())


def test_impossible_settings_are_refused_with_the_reason(here: Path) -> None:
    with pytest.raises(FileError, match="unknown feature or group 'no-such'"):
        train(features="no-such", out="run")
    with pytest.raises(SettingError, match="Pso: particles is 1; it must be a whole number from 2"):
        Pso(particles=1)
    with pytest.raises(SettingError, match="GameSettings: test is 0"):
        GameSettings(test=0)
    shipped = ROOT / "src/blockfall/rulesets/nes-no-rotation-drop.toml"
    Path("mine.toml").write_text(shipped.read_text())
    with pytest.raises(SettingError, match="give the path of their TOML file"):
        train(rules=rules("mine.toml"), out="run")
    assert sorted(path.name for path in here.iterdir()) == ["mine.toml"]
    assert train(rules="mine.toml", optimiser=RandomSearch(iterations=1), games=FEW, out="run").test.lines.n == 5


def test_options_override_the_file() -> None:
    Path("run.toml").write_text(SMALL)
    made = chosen_configuration(
        {"fitness": "record", "population": 7, "test": 9}, Path("run.toml"), changes=["optimiser.inertia=[0.5,0.4]"]
    )
    assert made.optimiser == Pso(iterations=2, particles=7, inertia=(0.5, 0.4))
    assert (made.fitness, made.games.test, made.games.training) == ("record", 9, 2)
    other = chosen_configuration({"optimiser": "genetic", "population": 7}, Path("run.toml"))
    assert other.optimiser == Genetic(population=7), "settings of the swarm do not apply to another optimiser"
    assert chosen_configuration({"iterations": 4}).optimiser == Pso(iterations=4)
    with pytest.raises(SettingError, match="--set 'fitness': not TOML"):
        chosen_configuration({}, changes=["fitness"])


def test_learning_is_chosen_by_an_option() -> None:
    Path("run.toml").write_text(SMALL)
    learned = chosen_configuration({"learning": "lstd"}, Path("run.toml"))
    assert (learned.learning, learned.optimiser, learned.pieces_known) == (Lstd(), None, 1)
    for choices, complaint in (
        ({"optimiser": "pso", "learning": "lstd"}, "both --optimiser pso and --learning lstd; choose one"),
        ({"learning": "lstd", "iterations": 4}, "--iterations is for optimisers"),
        ({"learning": "lstd", "population": 4}, "--population is for optimisers"),
        ({"learning": "lts"}, "unknown learning method 'lts'"),
    ):
        with pytest.raises(BlockfallError, match=complaint):
            chosen_configuration(choices)


def test_every_way_into_training_has_the_same_settings() -> None:
    """The options and the arguments of `train` are settings, but for a few that have no option or no argument."""
    arguments = set(inspect.signature(train).parameters) - {"configuration", "out", "backend", "progress", "store"}
    fields = set(Configuration.model_fields)
    assert arguments <= fields
    assert fields - arguments == {"guard", "unknown_piece", "record_weight", "mean_weight"}
    tables: dict[str, type[Settings]] = {"": Configuration, "optimiser": Optimiser, "games": GameSettings}
    for name, option in TRAIN_OPTIONS.items():
        assert name in tables[option.table].model_fields or name == "population"


def test_paths_are_relative_to_the_file_or_to_the_working_directory() -> None:
    """A plugin runs once, however often it is named."""
    shipped = ROOT / "src/blockfall/rulesets/nes-no-rotation-drop.toml"
    for folder, feature in ((Path("sub"), "file-own"), (Path(), "here-own")):
        folder.mkdir(exist_ok=True)
        (folder / "my.py").write_text(PLUGIN.replace("FEATURE", feature))
        (folder / "mine.toml").write_text(shipped.read_text())
    text = SMALL.replace('"soster-1"', '["file-own", "holes"]').replace("nes-no-rotation-drop", "mine.toml")
    Path("sub/run.toml").write_text('plugins = ["my.py"]\n' + text)
    made = chosen_configuration({"features": "file-own,here-own"}, Path("sub/run.toml"), [Path("my.py")])
    assert [Path(plugin) for plugin in made.plugins] == [Path("sub/my.py").absolute(), Path("my.py").absolute()]
    assert Path(made.rules) == Path("sub/mine.toml").absolute()
    assert chosen_configuration({"rules": "mine.toml"}, Path("sub/run.toml")).rules == str(Path("mine.toml").absolute())
    assert Path("sub/ran.txt").read_text() == Path("ran.txt").read_text() == "once\n"
    result = train(made, out="run")
    assert set(result.agent.weights) == {"file-own", "here-own"}
    assert result.configuration.plugins == ("plugin-1.py", "plugin-2.py")
    Path("my.py").write_text(PLUGIN.replace("FEATURE", "here-own") + "\n")
    chosen_configuration({}, Path("sub/run.toml"), [Path("my.py")])
    assert Path("ran.txt").read_text() == "once\n" * 2, "a changed file runs again"
    assert Store().runs.newest()[0].configuration == Path("run/run.toml").read_text()


EDITS = {
    "rules": ('rules = "nes-no-rotation-drop"', 'rules = "nes-no-rotation"'),
    "features": ('    "', '    "landing-height",\n    "'),
    "pieces_known": ("pieces_known = 2", "pieces_known = 1"),
    "fitness": ('fitness = "mean"', 'fitness = "record"'),
    "restarts": ("restarts = 2", "restarts = 3"),
    "seed": ("seed = 1", "seed = 2"),
    "optimiser.iterations": ("iterations = 2", "iterations = 3"),
    "optimiser.particles": ("particles = 3", "particles = 4"),
    "optimiser.inertia": ("    0.7,\n", "    0.6,\n"),
    "games.training": ("training = 2", "training = 1"),
    "games.validation": ("validation = 3", "validation = 4"),
    "games.test": ("test = 5", "test = 6"),
    "games.max_pieces": ("max_pieces = 100", "max_pieces = 101"),
    "games.max_test_pieces": ("max_pieces = 100", "max_pieces = 100\nmax_test_pieces = 50"),
    "games.fresh": ("fresh = false", "fresh = true"),
    "guard.max_height": ("[games]", "[guard]\nmax_height = 9\nbumpiness = 9\n\n[games]"),
}


def test_a_run_whose_file_was_edited_is_refused() -> None:
    Path("run.toml").write_text(SMALL)
    done = train("run.toml", out="first")
    file = Path("first/run.toml")
    began = file.read_text()
    for key, (before, after) in EDITS.items():
        assert before in began, key
        file.write_text(began.replace(before, after, 1))
        with pytest.raises(FileError, match=rf"{key} is .*when the run began.*begin anew.*--out"):
            resume("first")
    file.write_text("# a remark changes nothing\n" + began)
    assert resume("first") == done
