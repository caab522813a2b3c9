"""A run's files: its configuration, checked and written, and its folder."""

import shutil
from pathlib import Path

import pytest

from blockfall.errors import FileError
from blockfall.experiments.configuration import configuration_from, load_configuration
from blockfall.experiments.run import create_run, open_run
from blockfall.experiments.training import Training
from blockfall.store import Store
from tests import ROOT
from tests.experiments.small_runs import SMALL, configured
from tests.program import refusal


def test_a_folder_without_a_run_is_refused(store: Store, tmp_path: Path) -> None:
    with pytest.raises(FileError, match="not a run's folder"):
        open_run(store, tmp_path)
    made = create_run(store, configured(), tmp_path / "run")
    store.runs.delete(made.id)
    with pytest.raises(FileError, match="another BLOCKFALL_HOME"):
        open_run(store, tmp_path / "run")
    with pytest.raises(FileError, match="exists already; continue with `blockfall resume"):
        create_run(store, configured(), tmp_path / "run")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("particles = 10", "particles = 0", "line 10: optimiser.particles is 0; it must be a whole number from 2"),
        ("particles = 10", "particels = 10", "line 10: unknown key 'optimiser.particels'; known: iterations"),
        ("[-0.05, 0.05]", "[0.05, -0.05]", "speed_limits is [0.05, -0.05]; the first must be less than the second"),
        ('"soster-1"', '"soster-1,no-such"', "line 2: features: unknown feature or group 'no-such'"),
        ('"mean"', '"median"', 'line 3: fitness is \'median\'; it must be "mean", "record", "weighted" or "score"'),
        ("restarts = 2", "restarts = 0", "line 4: restarts is 0; it must be a whole number from 1"),
        ("seed = 5", "seed = -5", "line 5: seed is -5"),
        ("test = 200", "test = 0", "line 16: games.test is 0"),
        ("test = 200", "test_seed = 5", "line 16: unknown key 'games.test_seed'; known: training, validation, test"),
        ('"pso"', '"sgd"', "optimiser.name: unknown optimiser 'sgd'"),
        ('name = "pso"', "", "optimiser.name is None; it must be one of pso"),
        ('"nes-no-rotation-drop"', '"nes-no"', "rules: unknown rules 'nes-no'"),
        ("seed = 5", "seed = ", "not TOML"),
    ],
)
def test_a_bad_file_is_an_error_that_names_the_line(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    path = tmp_path / "run.toml"
    path.write_text(SMALL.replace(old, new))
    with pytest.raises(FileError) as error:
        load_configuration(path)
    assert complaint in str(error.value)
    assert str(path) in str(error.value)


def test_a_bad_file_or_option_leaves_nothing_behind(tmp_path: Path) -> None:
    bad, good = tmp_path / "bad.toml", tmp_path / "good.toml"
    bad.write_text(SMALL.replace("particles = 10", "particles = 0"))
    good.write_text(SMALL)
    for arguments in (
        ("--config", str(bad)),
        ("--config", str(good), "--population", "0"),
        ("--config", str(good), "--set", "fitness=median"),
        ("--features", "no-such"),
    ):
        refusal("train", *arguments, "--out", tmp_path / "run", home=tmp_path / "home")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.toml", "good.toml"]


def test_a_written_configuration_reads_as_itself(store: Store, tmp_path: Path) -> None:
    configuration = configured(guard={"max_height": 9, "bumpiness": 20}, name="mine", fitness="weighted")
    create_run(store, configuration, tmp_path / "run")
    assert load_configuration(tmp_path / "run" / "run.toml") == configuration


def test_own_rules_and_features_are_copied_into_the_run(store: Store, tmp_path: Path) -> None:
    source = tmp_path / "mine"
    source.mkdir()
    shipped = ROOT / "src/blockfall/rulesets/nes-no-rotation-drop.toml"
    (source / "my-rules.toml").write_text(shipped.read_text())
    (source / "features.py").write_text(
        "import blockfall\n\n@blockfall.feature('trained-own')\ndef own(board):\n    return board.heights[0] - 3.0\n"
    )
    table = {
        "rules": "my-rules.toml",
        "features": "trained-own,heights-sum",
        "plugins": ["features.py"],
        "optimiser": {"name": "random", "iterations": 2, "population": 3},
        "games": {"training": 2, "validation": 2, "test": 3},
    }
    configuration = configuration_from(table, "a test", "", source)
    made = create_run(store, configuration, tmp_path / "run", source)
    shutil.rmtree(source)
    result = Training(store, open_run(store, tmp_path / "run")).complete()
    assert set(result.agent.weights) == {"trained-own", "heights-sum"}
    assert {path.name for path in (tmp_path / "run").iterdir()} >= {"rules.toml", "plugin-1.py", "run.toml"}
    assert made.configuration.rules == "rules.toml"
