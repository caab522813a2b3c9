"""The contract of every registered game: positions are values, seeds decide them, text can be read back."""

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from blockfall.errors import BlockfallError, SettingError
from blockfall.games import GameKind, HopelessPosition, Position, game, game_names, register_game
from blockfall.games.hopeless import scorings
from blockfall.games.protocol import Option, OptionValue
from blockfall.games.registry import _registered
from blockfall.search import GameProblem, SearchSettings, algorithms, problem_of, solve
from tests import ROOT
from tests.game_playthroughs import COLUMNS_FILE, by_itself, kinds, path_of, small, text_of
from tests.program import output_of

ENDLESS = {"nmcs", "nrpa", "annealing", "tabu", "hill-climbing"}  # they search until a limit stops them
each_game = pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.name)

# Games that are small enough to be searched completely.
TINY: dict[str, dict[str, OptionValue]] = {
    **{name: {"columns": 3, "rows": 3, "colours": 2} for name in scorings()},
    "tetris": {"rules": "standard-10x10", "pieces": 2},
    "ist-tetris": {"pieces": "oj"},
    "columns": {"columns": 4, "rows": 7, "colours": 2, "pieces": 3},
}


def a_game(kind: GameKind, seed: int = 3) -> Iterator[Position]:
    """Return the positions of a random game, to its end."""
    chance, position = random.Random(seed), kind.start(seed, **small(kind))
    yield position
    while not position.over:
        position = position.apply(chance.choice(position.actions()))
        yield position


def of_drawn(kind: GameKind) -> dict[str, OptionValue]:
    """Return the options that do not follow from a drawn board."""
    return {option.name: small(kind)[option.name] for option in kind.options if not option.start_only}


@each_game
def test_a_golden_playthrough(kind: GameKind) -> None:
    assert path_of(kind).exists(), "write one: python -m tests.game_playthroughs --write"
    assert text_of(kind, by_itself) == path_of(kind).read_text()


@each_game
def test_a_game_has_a_name_a_title_and_options(kind: GameKind) -> None:
    assert kind.title
    assert kind.source
    assert kind.about
    for option in (*kind.options, *kind.search_options):
        assert option.what
        assert option.checked(option.default) == option.default


@each_game
def test_positions_are_values(kind: GameKind) -> None:
    first, second = list(a_game(kind)), list(a_game(kind))
    assert first == second
    assert [hash(one) for one in first] == [hash(one) for one in second]
    assert len(set(first)) == len(first)


@each_game
def test_an_action_leaves_its_position_as_it_was(kind: GameKind) -> None:
    for position in a_game(kind):
        before = position.text(), position.score, list(position.actions()), hash(position)
        for action in position.actions():
            position.apply(action)
            position.preview(action)
        assert (position.text(), position.score, list(position.actions()), hash(position)) == before


@each_game
def test_a_game_ends_when_no_action_is_left(kind: GameKind) -> None:
    for seed in range(5):
        *others, last = a_game(kind, seed)
        assert last.over
        assert not last.actions()
        assert last.ending().title
        assert all(position.actions() for position in others)
        assert len(others) < 1000


@each_game
def test_actions_are_plain_and_different(kind: GameKind) -> None:
    for position in a_game(kind):
        actions = list(position.actions())
        assert len(set(actions)) == len(actions)
        for action in actions:
            assert json.loads(json.dumps(action)) == (list(action) if isinstance(action, tuple) else action)


@each_game
@pytest.mark.parametrize("wrong", ["nonsense", None, -1, (), (99, 99), (0, 0, 0, 0), ("x", "y"), (0, [])], ids=str)
def test_an_impossible_action_is_refused(kind: GameKind, wrong: Any) -> None:
    *_, before, last = a_game(kind)
    for position in (before, last):
        with pytest.raises(SettingError, match="no action"):
            position.apply(wrong)


@each_game
def test_text_is_a_board_of_one_size(kind: GameKind) -> None:
    sizes = set()
    for position in a_game(kind):
        for rows in (position.text().splitlines(), position.rows()):
            assert len({len(row) for row in rows}) == 1
        sizes.add((len(position.text().splitlines()), len(position.rows()), len(position.rows()[0])))
    assert len(sizes) == 1


@each_game
def test_text_is_read_back(kind: GameKind) -> None:
    start, *others = a_game(kind, seed=3)
    if not kind.reads_boards:
        with pytest.raises(SettingError, match="reads no boards"):
            kind.read(start.text(), 3, **of_drawn(kind))
        return
    assert kind.read(start.text(), 3, **of_drawn(kind)) == start
    for position in others:
        assert kind.read(position.text(), 3, **of_drawn(kind)).text() == position.text()


@each_game
def test_every_action_can_be_pointed_at(kind: GameKind) -> None:
    for position in a_game(kind):
        rows = position.rows()
        cells = [(x, y) for y in range(len(rows)) for x in range(len(rows[0]))]
        pointed = {cell: position.actions_at(cell) for cell in cells}
        assert {action for found in pointed.values() for action in found} == set(position.actions())
        if not kind.turns:
            assert max(map(len, pointed.values())) <= 1


@each_game
def test_a_preview_shows_the_board_and_what_is_earned(kind: GameKind) -> None:
    start, *_ = a_game(kind)
    rows = start.rows()
    for action in start.actions():
        shown = start.preview(action)
        assert [len(row) for row in shown.rows] == [len(row) for row in rows]
        assert shown.cells
        assert "point" in shown.title
    assert str(start.score) in start.drawing()
    assert start.drawing(start.actions()[0]) != start.drawing()


@each_game
def test_facts_keep_their_titles(kind: GameKind) -> None:
    assert len({tuple(position.numbers()) for position in a_game(kind)}) == 1


@each_game
def test_options_are_checked(kind: GameKind) -> None:
    with pytest.raises(SettingError, match=f"{kind.name} has no option 'weather'"):
        kind.start(1, weather="fine")
    with pytest.raises(SettingError, match="has no option 'weather'; its options are"):
        kind.split({"weather": "fine"})
    with pytest.raises(SettingError, match="a seed is a whole number"):
        kind.start(-1, **small(kind))
    for option in kind.options:
        if isinstance(option.default, int):
            for wrong in (option.least - 1, option.most + 1, "many", 1.5, True, None):
                with pytest.raises(SettingError, match=f"{option.name} is .* from {option.least} to {option.most}"):
                    kind.start(1, **small(kind) | {option.name: wrong})
            assert option.checked(str(option.most)) == option.most


@each_game
def test_high_scores_and_boards_have_names(kind: GameKind) -> None:
    assert kind.ranking(**small(kind))
    assert kind.boards in {other.boards for other in kinds()}
    others = [other for other in kinds() if other.name != kind.name]
    assert kind.ranking(**small(kind)) not in {other.ranking(**small(other)) for other in others}


def most_points(position: Position) -> int | None:
    """Return the most points, by trying everything."""
    if position.over:
        return position.score if position.solved else None
    found = [most_points(position.apply(action)) for action in position.actions()]
    return max((points for points in found if points is not None), default=None)


@each_game
@pytest.mark.parametrize("algorithm", algorithms(undoes=False))
def test_every_game_is_searched_by_every_algorithm(kind: GameKind, algorithm: str) -> None:
    start = kind.start(2, **TINY[kind.name])
    limits = SearchSettings(node_limit=300, level=1) if algorithm in ENDLESS else SearchSettings()
    problem, optimum = problem_of(start), most_points(start)
    found = solve(problem, algorithm, limits)
    assert found.points is not None
    assert optimum is not None
    assert found.points == problem.replay(found.moves)
    assert found.points <= optimum - start.score
    if algorithm == "brute-force":
        assert (found.points, found.optimal) == (optimum - start.score, True)
    if found.optimal:
        assert found.points == optimum - start.score


@pytest.mark.parametrize("algorithm", ["a-star", "brute-force", "best"])
def test_searches_in_the_core_find_what_searches_of_positions_find(algorithm: str) -> None:
    for name in (*scorings(), "ist-tetris"):
        for seed in range(6):
            start = game(name).start(seed, **TINY[name])
            fast, plain = problem_of(start), GameProblem(start)
            assert type(fast) is not GameProblem
            wanted = "brute-force" if name == "ist-tetris" else algorithm  # ist2015's a-star minimises costs
            assert solve(fast, wanted).points == solve(plain, wanted).points


def test_a_search_starts_from_any_position() -> None:
    start = game("samegame").start(5, columns=4, rows=4, colours=2)
    later = start.apply(start.actions()[0])
    assert isinstance(later, HopelessPosition)
    found = solve(problem_of(later), "brute-force")
    assert found.points == (most_points(later) or 0) - later.score


class Coin(GameKind):
    """A game of one coin flip."""

    name, title, source = "coin", "Coin", "a test"

    def begin(self, seed: int) -> Position:
        raise NotImplementedError


def test_a_game_is_registered_once() -> None:
    try:
        register_game(Coin)
        assert "coin" in game_names()
        other = Coin()
        register_game(other)
        assert game("coin") is other
    finally:
        _registered.pop("coin", None)


@pytest.mark.parametrize(
    ("name", "part"),
    [("tetris", "belongs to"), ("Big Coin", "lowercase letters"), ("", "lowercase letters"), (7, "have a name")],
)
def test_an_invalid_name_is_refused(name: Any, part: str) -> None:
    coin = Coin()
    coin.name = name
    with pytest.raises(BlockfallError, match=part):
        register_game(coin)


def test_an_unknown_game_is_refused_with_the_known_names() -> None:
    with pytest.raises(BlockfallError, match="unknown game 'chess'; known: tetris, hopeless"):
        game("chess")


def test_an_option_of_words_takes_only_them() -> None:
    option = Option("mood", "good", "how it feels", choices=("good", "bad"))
    assert option.checked("bad") == "bad"
    with pytest.raises(BlockfallError, match="unknown mood 'ugly'; known: good, bad"):
        option.checked("ugly")


def test_a_plugins_game_is_solved_on_the_command_line(tmp_path: Path) -> None:
    small_game = ["--game", "columns", "--set", "pieces=4", "--set", "colours=3", "--plugin", str(COLUMNS_FILE)]
    found = json.loads(output_of("solve", *small_game, "--algorithm", "greedy", "--seed", "4", "--json", cwd=tmp_path))
    position = game("columns").start(4, pieces=4, colours=3)
    for column, order in found["moves"]:
        position = position.apply((column, order))
    assert (found["points"], found["game"]) == (position.score, "columns")


@pytest.mark.parametrize(
    ("stacks", "left", "earned"),
    [
        (("111", "3", "3"), ("", "3", "3"), 3 * 10),
        (("1112", "2", "2"), ("", "", ""), 3 * 10 + 3 * 20),  # a chain: the 2 falls beside the others
        (("12", "312", "3312"), ("", "3", "33"), 6 * 10),  # two diagonals at once
        (("1", "1", "2"), ("1", "1", "2"), 0),
        (("1", "1", "1", "1"), ("", "", "", ""), 4 * 10),
    ],
)
def test_columns_by_hand(stacks: tuple[str, ...], left: tuple[str, ...], earned: int) -> None:
    assert sys.modules["blockfall_plugin_columns"].settled(stacks) == (left, earned)


def test_the_games_page_shows_the_example() -> None:
    assert f"```py\n{COLUMNS_FILE.read_text()}```" in (ROOT / "docs" / "games.md").read_text()
