"""A user's own features: compiled, interpreted, and wrong."""

import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import blockfall
from blockfall import Agent, BoardView, WeightedFeatures
from blockfall.compute import LocalBackend
from blockfall.errors import BlockfallError
from blockfall.features import custom
from blockfall.simd import simd_levels
from tests.program import output_of, refusal, run_program

PLUGIN = """
import blockfall

@blockfall.feature("my-holes")
def my_holes(board):
    "Holes, counted cell by cell."
    count = 0
    for x in range(board.columns):
        for y in range(board.heights[x]):
            if not board.cell(x, y):
                count += 1
    return count

@blockfall.feature("my-lines")
def my_lines(board):
    return board.lines_cleared + 0.5 * board.landing_row
"""


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    """Forget what a test registers."""
    before = dict(custom.registered())
    yield
    custom.registered().clear()
    custom.registered().update(before)


@pytest.fixture
def without_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(custom, "numba_is_there", lambda: False)


def play(weights: dict[str, float], rules: str = "nes-no-rotation", games: int = 12, known: int = 1) -> list[list[int]]:
    player = Agent("mine", WeightedFeatures(weights), known)
    plays = [
        blockfall.evaluate(rules, player, games, seed=3, backend=LocalBackend(threads, level))
        for level in simd_levels()
        for threads in (1, 2)
    ]
    assert all(play.lines.tolist() == plays[0].lines.tolist() for play in plays)
    return [plays[0].lines.tolist(), plays[0].pieces.tolist(), plays[0].placements.tolist()]


def register_my_holes() -> None:
    @blockfall.feature("my-holes")
    def my_holes(board: BoardView) -> int:
        """Return the number of holes, counted cell by cell."""
        count = 0
        for x in range(board.columns):
            for y in range(board.heights[x]):
                if not board.cell(x, y):
                    count += 1
        return count


@pytest.mark.parametrize("known", [1, 2])
def test_a_compiled_feature_plays_as_the_built_in_one(known: int) -> None:
    pytest.importorskip("numba")
    register_my_holes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        own = play({"my-holes": -4.0, "row-transitions": -1.0}, known=known)
    assert own == play({"holes": -4.0, "row-transitions": -1.0}, known=known)


@pytest.mark.usefixtures("without_numba")
def test_without_numba_it_plays_the_same_with_one_warning() -> None:
    register_my_holes()
    with pytest.warns(UserWarning, match="'my-holes' runs in Python") as caught:
        own = play({"my-holes": -4.0, "row-transitions": -1.0}, games=2)
    assert len(caught) == 1
    assert own == play({"holes": -4.0, "row-transitions": -1.0}, games=2)


def test_a_compiled_feature_is_a_hundred_times_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")

    def boards_per_second(games: int) -> float:
        register_my_holes()
        player = Agent("mine", WeightedFeatures({"my-holes": -4.0, "row-transitions": -1.0}))
        blockfall.evaluate("nes-no-rotation", player, 1, seed=1, backend="local:1")  # compiles
        started = time.process_time()
        played = blockfall.evaluate("nes-no-rotation", player, games, seed=1, backend="local:1")
        return int(played.placements.sum()) / (time.process_time() - started)

    compiled = boards_per_second(2000)
    monkeypatch.setattr(custom, "numba_is_there", lambda: False)
    with pytest.warns(UserWarning, match="runs in Python"):
        interpreted = boards_per_second(4)
    assert compiled > 100 * interpreted


def test_a_feature_gets_the_lines_and_the_landing_row() -> None:
    @blockfall.feature("my-landing")
    def my_landing(board: BoardView) -> float:
        return board.landing_row

    @blockfall.feature("my-lines")
    def my_lines(board: BoardView) -> float:
        return board.lines_cleared

    own = play({"my-lines": 3.0, "my-landing": -1.0, "holes": -2.0})
    assert own == play({"lines-cleared": 3.0, "total-lock-height": -1.0, "holes": -2.0})


def test_names_are_checked() -> None:
    for name, part in (
        ("holes", "already in the catalogue"),
        ("two words", "spaces or commas"),
        ("", "must not be empty"),
    ):
        with pytest.raises(BlockfallError, match=part):
            blockfall.feature(name)(len)


def register(name: str, body: str) -> None:
    exec(f"@blockfall.feature({name!r})\ndef own(board):\n    {body}\n", {"blockfall": blockfall})


WRONG = [
    ("raise ValueError('too high')", "raised ValueError: too high"),
    ("return float('nan')", "returned nan, which is not a finite number"),
    ("return 'many'", "returned 'many', which is not a number"),
    ("return None", "returned None, which is not a number"),
    ("return board.nothing", "raised AttributeError: 'BoardView' object has no attribute 'nothing'"),
]


@pytest.mark.usefixtures("without_numba")
@pytest.mark.filterwarnings("ignore:feature")
@pytest.mark.parametrize(("body", "part"), WRONG)
def test_a_wrong_feature_is_named(body: str, part: str) -> None:
    register("wrong", body)
    with pytest.raises(BlockfallError, match="feature 'wrong' ") as raised:
        blockfall.evaluate("nes-no-rotation", Agent("mine", WeightedFeatures({"wrong": 1.0})), 2)
    assert part in str(raised.value)
    game = blockfall.Game("nes-no-rotation")
    with pytest.raises(BlockfallError, match="feature 'wrong' "):
        game.choose(Agent("mine", WeightedFeatures({"wrong": 1.0})))


@pytest.mark.parametrize(
    "body",
    [
        "board.heights[0] * float('nan')",
        "board.heights[10]",
        "board.cell(10, 0)",
        "board.cell(0, -1)",
        "1 // 0",
    ],
)
def test_a_compiled_feature_that_returns_nan_is_named(body: str) -> None:
    pytest.importorskip("numba")
    register("wrong", f"return {body}")
    with (
        warnings.catch_warnings(action="error"),
        pytest.raises(BlockfallError, match="feature 'wrong' raised an error, or returned a value that is not"),
    ):
        blockfall.evaluate("nes-no-rotation", Agent("mine", WeightedFeatures({"wrong": 1.0})), 2)


def test_negative_indices_count_from_the_last_column(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    weights = {"last": -1.0, "holes": -4.0}
    register("last", "return board.heights[-1] + board.cell(-1, 40)")
    compiled = play(weights, games=2)
    monkeypatch.setattr(custom, "numba_is_there", lambda: False)
    register("last", "return board.heights[-1] + board.cell(-1, 40)")
    with pytest.warns(UserWarning, match="runs in Python"):
        assert play(weights, games=2) == compiled
    assert play({"column-height-10": -1.0, "holes": -4.0}, games=2) == compiled


def test_plugins_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PLUGIN)
    (tmp_path / "mine.json").write_text('{"weights": {"my-holes": -4, "my-lines": 1, "row-transitions": -1}}')
    output_of("evaluate", "--plugin", "mine.py", "--agent", "mine.json", "--games", "20", cwd=tmp_path)
    listed = run_program("features", "--plugin", "mine.py", "--json", cwd=tmp_path)
    assert '"my-holes"' in listed.stdout
    assert "Holes, counted cell by cell." in listed.stdout


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("import nothing_of_that_name", "line 1: ModuleNotFoundError"),
        ("x = (", "SyntaxError"),
        ("import blockfall\nblockfall.feature('holes')(len)", "already in the catalogue"),
        ("1 / 0", "line 1: ZeroDivisionError"),
        ("import sys; sys.exit(3)", "SystemExit"),
    ],
)
def test_a_plugin_that_does_not_import(tmp_path: Path, text: str, part: str) -> None:
    (tmp_path / "mine.py").write_text(text)
    assert part in refusal("evaluate", "--plugin", "mine.py", cwd=tmp_path)


def test_a_feature_that_numba_refuses_is_reported_in_one_line(tmp_path: Path) -> None:
    """There is one line of warning and one of error, without Numba's traceback."""
    text = "import blockfall\n@blockfall.feature('wrong')\ndef wrong(board):\n    return board.nothing\n"
    (tmp_path / "mine.py").write_text(text)
    (tmp_path / "mine.json").write_text('{"weights": {"wrong": 1}}')
    done = run_program("evaluate", "--plugin", "mine.py", "--agent", "mine.json", cwd=tmp_path)
    assert done.returncode == 2
    warning, error = done.stderr.strip().splitlines()
    assert warning.startswith("blockfall: feature 'wrong' runs in Python")
    assert error == "blockfall: feature 'wrong' raised AttributeError: 'BoardView' object has no attribute 'nothing'"


def test_a_missing_plugin(tmp_path: Path) -> None:
    assert "no such file" in refusal("evaluate", "--plugin", "none.py", cwd=tmp_path)
