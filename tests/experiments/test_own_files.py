"""The user's own rules, plugins and agents: a run keeps complete copies of them, and refuses edited ones."""

from pathlib import Path
from typing import Any

import pytest

import blockfall
from blockfall.errors import FileError
from blockfall.experiments.configuration import Configuration, GameSettings
from blockfall.experiments.run import Run, create_run, open_run
from blockfall.experiments.training import Training
from blockfall.learning import learning_from
from blockfall.optimisers import RandomSearch
from blockfall.rulesets import standalone
from blockfall.store import Store

FEW = GameSettings(training=1, validation=2, test=3, max_pieces=30)
PLUGIN = "import blockfall\n\n\n@blockfall.feature('mine')\ndef mine(board):\n    return 1.0\n"


@pytest.fixture
def begun(store: Store, tmp_path: Path) -> Run:
    """Begin a run with rules, their base, a script and a plugin, and delete all of these."""
    own = tmp_path / "own"
    own.mkdir()
    (own / "base.toml").write_text('extends = "nes-no-rotation"\ntitle = "Base"\n')
    (own / "pieces.txt").write_text("TIO TIO\n" * 40)
    (own / "rules.toml").write_text('extends = "base.toml"\n[generator]\nname = "script"\nfile = "pieces.txt"\n')
    (own / "plugin.py").write_text(PLUGIN)
    configuration = Configuration(
        rules="rules.toml", features=("holes",), optimiser=RandomSearch(iterations=1, population=2), games=FEW
    ).model_copy(update={"plugins": ("plugin.py",)})
    run = create_run(store, configuration, tmp_path / "run", own)
    for path in own.iterdir():
        path.unlink()
    return run


def test_copies_need_no_other_file(store: Store, begun: Run) -> None:
    rules = begun.configuration.game_rules(begun.folder)
    assert (rules.title, rules.script) == ("Base", "TIO" * 80)
    Training(store, open_run(store, begun.folder)).complete()
    assert set(store.runs.copies(begun.id)) == {"rules.toml", "plugin-1.py"}


def test_a_complete_file_is_copied_unchanged(tmp_path: Path) -> None:
    text = '# mine\nextends = "nes"\ntitle = "Mine"\n'
    (tmp_path / "rules.toml").write_text(text)
    assert standalone(tmp_path / "rules.toml") == text


@pytest.mark.parametrize("name", ["rules.toml", "plugin-1.py"])
def test_an_edited_copy_is_refused_until_it_is_put_back(store: Store, begun: Run, name: str) -> None:
    path = begun.folder / name
    before = path.read_text()
    path.write_text(before + "\n")
    with pytest.raises(FileError, match=rf"{name}: it was edited after the run began; restore it") as caught:
        open_run(store, begun.folder)
    assert "\n" not in str(caught.value)
    path.unlink()
    with pytest.raises(FileError, match=rf"{name}: No such file.*the run began with it"):
        open_run(store, begun.folder)
    path.write_text(before)
    assert open_run(store, begun.folder) == begun


def test_an_edited_plugin_is_not_run(store: Store, begun: Run) -> None:
    (begun.folder / "plugin-1.py").write_text("raise SystemExit('run')\n")
    with pytest.raises(FileError, match="edited"):
        open_run(store, begun.folder)


def test_a_first_agent_is_copied_with_its_files(store: Store, tmp_path: Path) -> None:
    learning = learning_from({"name": "table", "actions": 500, "stages": 1})
    keys: dict[str, Any] = {"rules": "tetrisbot", "pieces_known": 1, "games": FEW, "learning": learning}
    Training(store, create_run(store, Configuration(**keys), tmp_path / "first")).complete()
    first = blockfall.agent(tmp_path / "first" / "agent.json")
    start = str(tmp_path / "first" / "agent.json")
    second = create_run(store, Configuration(**keys, start=start), tmp_path / "second")
    for path in (tmp_path / "first").glob("agent*"):
        path.unlink()
    begins_with = second.configuration.first_agent(second.folder)
    assert begins_with is not None
    assert begins_with.value == first.value
    Training(store, open_run(store, second.folder)).complete()
    assert blockfall.agent(tmp_path / "second" / "agent.json").name == "table-mean"
