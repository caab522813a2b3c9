"""A plugin's file runs once and can be loaded again; installed packages are found."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from blockfall.errors import BlockfallError, PluginError, UnknownNameError
from blockfall.features import find_feature
from blockfall.games import game, registry
from blockfall.plugins import load_plugin
from tests import ROOT
from tests.program import PROGRAM, Call
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


def test_loading_a_plugin_again_restores_its_features_without_running_it(tmp_path: Path) -> None:
    first = written(tmp_path / "first.py", FEATURE.replace("DEFINITION", "The first."))
    second = written(tmp_path / "second.py", FEATURE.replace("DEFINITION", "The second."))
    for plugin, definition in ((first, "The first."), (second, "The second."), (first, "The first.")):
        load_plugin(plugin)
        assert find_feature("plugged").definition == definition
    assert (tmp_path / "ran.txt").read_text() == "once\n" * 2


def test_a_plugin_may_load_another(tmp_path: Path) -> None:
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


def test_a_missing_plugin(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match=r"none\.py: no such file"):
        load_plugin(tmp_path / "none.py")


THINGS = (
    (ROOT / "tests/data/corpus-0.1.0/things.py").read_text()
    + """

@blockfall.register_method
class Patient(blockfall.Lstd):
    name, title, source = "patient", "LSTD that solves rarely", "a test"
    policy_actions: int = 40_000
    calm: float = 0.5
"""
)


Program = Callable[..., str]


@pytest.fixture
def program(tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> Program:
    """The command line in this process. Each call starts without what earlier calls registered."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, home: str = "home", code: int = 0) -> str:
        monkeypatch.setenv("BLOCKFALL_HOME", str(tmp_path / home))
        ended, out, err = call(*arguments)
        assert ended == code, err
        return out if code == 0 else err

    return run


def names(text: str) -> set[str]:
    return {row["name"] for row in json.loads(text)}


def test_a_file_brings_rules_optimisers_problems_agents_and_studies(tmp_path: Path, program: Program) -> None:
    written(tmp_path / "things.py", THINGS)
    plugin = ("--plugin", "things.py")
    for listing, name in (
        *(("rules", "thin"), ("optimisers", "draws"), ("methods", "patient")),
        *(("agents", "low"), ("features", "first-column")),
    ):
        assert name in names(program(listing, *plugin, "--json"))
        assert name not in names(program(listing, "--json"))
    assert json.loads(program("evaluate", *plugin, "--rules", "thin", "--games", "5", "--json"))["games"] == 5
    stairs = json.loads(program("solve", *plugin, "--problem", "stairs", "--algorithm", "a-star", "--json"))
    assert (stairs["problem"], len(stairs["moves"])) == ("stairs", 16)
    found = json.loads(program("study", *plugin, "lee-alone", "--out", "lee", "--json"))
    assert [row["name"] for row in found["rows"]] == ["lee"]
    assert (tmp_path / "lee" / "report.html").exists()


def test_a_runs_agent_finds_the_runs_plugin_again(tmp_path: Path, program: Program) -> None:
    written(tmp_path / "things.py", THINGS)
    features = ("--features", "holes,first-column", "--optimiser", "draws", "--rules", "thin")
    few = ("--iterations", "1", "--training", "1", "--validation", "2", "--test", "3")
    program("train", "--plugin", "things.py", *features, *few, "--out", "first")
    learning = ("--learning", "patient", "--set", "learning.actions=1000", "--set", "learning.stages=1")
    program("train", "--plugin", "things.py", *learning, *few[2:], "--max-pieces", "50", "--out", "second")
    (tmp_path / "things.py").unlink()
    agent = ("--agent", "first/agent.json", "--games", "2", "--max-pieces", "20", "--json")
    assert json.loads(program("evaluate", *agent))["games"] == 2
    listed = json.loads(program("runs", "--json"))  # without the plugin, which registers the optimiser
    assert [(row["optimiser"], row["rules"]) for row in listed] == [("patient", "nes-no-rotation"), ("draws", "thin")]
    assert json.loads(program("runs", "show", "second", "--json"))["configuration"]["learning"]["calm"] == 0.5
    assert json.loads(program("runs", "show", "first", "--json"))["configuration"]["optimiser"]["luck"] == 0.5
    first = (tmp_path / "first" / "result.json").read_bytes()
    program("resume", "first")
    assert (tmp_path / "first" / "result.json").read_bytes() == first

    # In another person's folder, the agent's file must not run code that this user never chose to run.
    refused = program("evaluate", *agent, home="another", code=2)
    assert "first/plugin-1.py was never used here; read it, then load it with --plugin" in refused
    given = program("evaluate", *agent, "--plugin", "first/plugin-1.py", home="another")
    assert json.loads(given)["games"] == 2
    with (tmp_path / "first" / "plugin-1.py").open("a") as plugin:
        plugin.write("\nprint('changed')\n")
    assert "was never used here" in program("evaluate", *agent, code=2)


def test_an_installed_package_is_found_by_its_entry_point(tmp_path: Path) -> None:
    package = tmp_path / "package"
    (package / "src").mkdir(parents=True)
    written(package / "src" / "thin_things.py", THINGS)
    written(package / "src" / "broken_things.py", "1 / 0\n")
    written(
        package / "pyproject.toml",
        """
        [build-system]
        requires = ["scikit-build-core"]
        build-backend = "scikit_build_core.build"

        [project]
        name = "thin-things"
        version = "1.0"

        [project.entry-points."blockfall.plugins"]
        thin = "thin_things"
        broken = "broken_things"

        [tool.scikit-build]
        wheel.cmake = false
        wheel.packages = ["src/thin_things.py", "src/broken_things.py"]
        """.replace("        ", ""),
    )
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-build-isolation", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--target", tmp_path / "site", package], check=True, capture_output=True, timeout=120)
    code = """
import warnings
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    import blockfall
    assert blockfall.find_feature("first-column").definition == "Height of the first column."
    assert blockfall.rules("thin").visible_rows == 12
    assert blockfall.agent("low").name == "low"
    assert len(blockfall.solve("stairs", "a-star").moves) == 16
print(len(said), said[0].message)
"""
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "site"), "BLOCKFALL_HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ("1 the plugin 'broken' of thin-things is left out: ZeroDivisionError: division by zero\n")
    command = [*PROGRAM, "optimisers", "--json"]
    optimisers = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert "draws" in names(optimisers.stdout)
    assert optimisers.stderr.count("\n") == 1
    assert optimisers.stderr.startswith("blockfall: the plugin 'broken' of thin-things is left out")


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("register_rules('nes', {})", "the name 'nes' belongs to rules of Blockfall"),
        ("register_rules('Two words', {})", "rules named 'Two words'; a name may have lowercase letters, digits"),
        ("register_rules('mine', {'board': 3})", "rules 'mine': board is 3"),
        ("register_rules('mine', 3)", "rules 'mine' are a int; give the keys of a rule set's file"),
        ("register_optimiser(blockfall.Pso)", "the name 'pso' belongs to an optimiser of Blockfall"),
        ("register_optimiser(3)", "an optimiser must have a name; 3 has none"),
        ("register_problem(3)", "3 is not a problem"),
        ("register_study(3)", "3 is not a study"),
    ],
)
def test_a_wrong_registration_is_refused(tmp_path: Path, code: str, error: str) -> None:
    plugin = written(tmp_path / "wrong.py", f"import blockfall\nblockfall.{code}\n")
    with pytest.raises(BlockfallError, match=re.escape(error)):
        load_plugin(plugin)


def test_an_error_suggests_the_nearest_three_names(program: Program) -> None:
    error = program("evaluate", "--agent", "delacherie", code=2)
    assert re.fullmatch(r"blockfall: unknown agent 'delacherie'; the nearest of \d+: dellacherie, \S+, \S+\n", error)
    error = program("train", "--features", "bumpines", "--out", "first", code=2)
    assert re.search(r"unknown feature or group 'bumpines'; the nearest of \d+: bumpiness, \S+, \S+\n", error)


def test_compare_names_the_rules_seed_and_agents(program: Program) -> None:
    printed = program("compare", "birken-6", "lee", "--games", "20", "--seed", "4")
    one, other = (
        json.loads(program("evaluate", "--agent", name, "--games", "20", "--seed", "4", "--json"))
        for name in ("birken-6", "lee")
    )
    assert "Rules nes-no-rotation, seed 4, 20 games each" in printed
    assert f"birken-6: {one['mean']:,.2f} ± {one['sem']:,.2f}" in printed
    assert f"lee: {other['mean']:,.2f} ± {other['sem']:,.2f}" in printed
    (row,) = json.loads(program("compare", "birken-6", "lee", "--games", "20", "--seed", "4", "--json"))
    assert (row["rules"], row["seed"], row["games"]) == ("nes-no-rotation", 4, 20)
    assert (row["first_mean"], row["second_mean"]) == (one["mean"], other["mean"])
