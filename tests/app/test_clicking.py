"""A visitor's game without a browser: undo all the way, redo, turns, and a solver's advice."""

import random

import pytest

from blockfall.app.play.clicking import LONGEST_SEARCH_S, GameSession
from blockfall.errors import BlockfallError, SettingError
from blockfall.games import HopelessBoard, game, game_names
from blockfall.search import algorithms

SMALL: dict[str, dict[str, int | str]] = {
    "hopeless": {"columns": 8, "rows": 7, "colours": 3},
    "samegame": {"columns": 8, "rows": 7, "colours": 3},
    "tetris": {"rules": "standard-10x10", "pieces": 12},
}
TINY = {"columns": 4, "rows": 4, "colours": 3}


def session_of(name: str, seed: int = 5) -> GameSession:
    kind = game(name)
    usual = {option.name: option.default for option in kind.options}
    return GameSession(kind, seed, usual | SMALL.get(name, {}))


@pytest.mark.parametrize("name", game_names())
def test_undo_goes_all_the_way_and_redo_back(name: str) -> None:
    session = session_of(name)
    chance, seen = random.Random(1), []
    while not session.over:
        seen.append((session.rows, session.position.score))
        session.play(chance.choice(session.position.actions()))
    end = session.rows, session.position.score
    for position in reversed(seen):
        session.undo()
        assert (session.rows, session.position.score, session.over) == (*position, False)
    with pytest.raises(SettingError, match="nothing to undo"):
        session.undo()
    for _ in seen:
        session.redo()
    assert (session.rows, session.position.score) == end
    with pytest.raises(SettingError, match="nothing to redo"):
        session.redo()
    session.restart()
    session.play(session.position.actions()[-1])
    assert not session.can_redo


def test_the_same_seed_gives_the_board_of_the_command_line() -> None:
    session = GameSession(game("hopeless"), 11, {"columns": 6, "rows": 5, "colours": 4})
    assert "\n".join(session.rows) == str(HopelessBoard.random(6, 5, 4, 11))
    assert session.numbers() == {"Points": 0, "Moves": 0, "Squares left": 30}


def test_a_cell_stands_for_several_actions() -> None:
    """A T at the left wall has four shapes, then the first again. It does not fit into the last column."""
    session = GameSession(game("ist-tetris"), 0, {"pieces": "to"})
    assert [session.action_at((0, 5), turn) for turn in range(5)] == [
        (0, "t0"),
        (0, "t1"),
        (0, "t2"),
        (0, "t3"),
        (0, "t0"),
    ]
    assert [session.action_at((9, 0), turn) for turn in range(4)] == [(7, "t0"), (8, "t1"), (7, "t2"), (8, "t3")]
    assert session.action_at(None) is None


@pytest.mark.parametrize("algorithm", algorithms(undoes=False))
@pytest.mark.parametrize("name", ["samegame", "tetris"])
def test_every_solvers_advice_earns_what_it_expects(algorithm: str, name: str) -> None:
    session = GameSession(game(name), 2, TINY if name == "samegame" else {"rules": "standard-10x10", "pieces": 3})
    session.play(session.position.actions()[0])
    advice = session.advise(algorithm, 0.3)
    for move in advice.moves:
        session.play(move)
    assert session.over
    assert session.position.score == advice.total
    assert algorithm in str(advice)


def test_advice_has_limits() -> None:
    session = GameSession(game("ist-tetris"), 0, {"pieces": "o"})
    with pytest.raises(SettingError, match=f"up to {LONGEST_SEARCH_S} s"):
        session.advise("best", 60)
    with pytest.raises(BlockfallError, match="unknown algorithm"):
        session.advise("psychic", 1)
    session.play((0, "o0"))
    with pytest.raises(SettingError, match="the game is over"):
        session.advise("best", 1)
