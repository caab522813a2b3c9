"""Plugins: a file runs once, and what it registered can be asked for again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from blockfall.errors import PluginError, UnknownNameError
from blockfall.features import find_feature
from blockfall.games import game, registry
from blockfall.plugins import load_plugin
from tests.registries import restored

FEATURE = """
import blockfall
from pathlib import Path

with (Path(__file__).parent / "ran.txt").open("a") as log:
    log.write("once\\n")


@blockfall.feature("plugged")
def plugged(board):
    "DEFINITION"
    return board.heights[0]
"""

GAME = """
import blockfall


@blockfall.register_game
class Nothing(blockfall.GameKind):
    name, title = "nothing", "Nothing"

    def begin(self, seed):
        raise NotImplementedError
"""


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    with restored():
        yield


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_plugin_runs_once_and_its_features_come_back(tmp_path: Path) -> None:
    first = written(tmp_path / "first.py", FEATURE.replace("DEFINITION", "The first."))
    second = written(tmp_path / "second.py", FEATURE.replace("DEFINITION", "The second."))
    for plugin, definition in ((first, "The first."), (second, "The second."), (first, "The first.")):
        load_plugin(plugin)
        assert find_feature("plugged").definition == definition
    assert (tmp_path / "ran.txt").read_text() == "once\n" * 2


def test_a_plugin_that_loads_another_brings_what_that_registers(tmp_path: Path) -> None:
    written(tmp_path / "inner.py", GAME)
    outer = written(
        tmp_path / "outer.py",
        "import blockfall\nfrom pathlib import Path\nblockfall.load_plugin(Path(__file__).parent / 'inner.py')\n",
    )
    load_plugin(str(outer))
    assert game("nothing").title == "Nothing"
    registry._registered.pop("nothing")
    with pytest.raises(UnknownNameError):
        game("nothing")
    load_plugin(outer)
    assert game("nothing").title == "Nothing"


def test_a_plugin_that_fails_runs_again(tmp_path: Path) -> None:
    wrong = written(tmp_path / "wrong.py", FEATURE + "1 / 0\n")
    for _ in range(2):
        with pytest.raises(PluginError, match=r"wrong\.py, line 13: ZeroDivisionError: division by zero"):
            load_plugin(wrong)
    assert (tmp_path / "ran.txt").read_text() == "once\n" * 2


def test_a_plugin_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match=r"none\.py: no such file"):
        load_plugin(tmp_path / "none.py")
