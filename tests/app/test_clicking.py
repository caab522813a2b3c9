"""A visitor's Hopeless without a browser: blocks, undo all the way, endings, and a solver's advice."""

import random

import pytest

from blockfall.app.play.clicking import LONGEST_SEARCH_S, HopelessSession
from blockfall.errors import BlockfallError, SettingError
from blockfall.games import Hopeless, HopelessBoard, scoring, scorings
from blockfall.search import algorithms


def session_on(text: str, name: str = "hopeless") -> HopelessSession:
    board = HopelessBoard.from_text(text)
    session = HopelessSession(scoring(name), board.columns, board.rows, 3, seed=0)
    session._positions = [Hopeless(board, scoring(name))]
    session.restart()
    return session


def test_a_block_has_its_points() -> None:
    session = session_on("12.\n112")
    block = session.block((1, 0))
    assert block is not None
    assert (set(block.cells), block.points) == ({(0, 0), (0, 1), (1, 0)}, 16)
    assert str(block) == "3 squares: 16 points"
    assert session.block((2, 0)) is None  # a square alone
    assert session.block((2, 1)) is None  # nothing there
    assert session.block(None) is None


def test_a_game_to_an_empty_board() -> None:
    session = session_on("12.\n112")
    assert session.play((0, 0)) == 16
    assert session.board_rows == ["...", "22."]
    assert session.play((1, 0)) == 4
    assert (session.over, session.facts()) == (True, {"Points": 20, "Moves": 2, "Squares left": 0})
    assert session.ending() == "The board is empty!"


def test_samegame_ends_with_a_bonus_or_a_penalty() -> None:
    won = session_on("12.\n112", "samegame")
    won.play((0, 0))
    won.play((0, 0))
    assert won.game.points == 1 + 0 + 1000
    assert won.ending() == "The board is empty: a bonus of 1,000."
    stuck = session_on("112121", "samegame")
    assert stuck.play((0, 0)) == 0 - (0 + 0)  # two 1s and two 2s are left: (2 - 2)^2 each
    more = session_on("22121212", "samegame")
    assert more.play((0, 0)) == 0 - (1 + 1)
    assert more.ending() == "6 squares are left and no two of them hang together. They cost 2 points."


@pytest.mark.parametrize("name", scorings())
def test_undo_goes_all_the_way_and_redo_back(name: str) -> None:
    session = HopelessSession(scoring(name), 8, 7, 3, seed=5)
    chance, seen = random.Random(1), []
    while not session.over:
        seen.append((session.board_rows, session.game.points))
        session.play(chance.choice(session.game.moves()))
    end = session.board_rows, session.game.points
    for position in reversed(seen):
        session.undo()
        assert (session.board_rows, session.game.points, session.over) == (*position, False)
    with pytest.raises(SettingError, match="nothing has been played"):
        session.undo()
    for _ in seen:
        session.redo()
    assert (session.board_rows, session.game.points) == end
    with pytest.raises(SettingError, match="nothing has been taken back"):
        session.redo()
    session.restart()
    session.play(session.game.moves()[-1])
    assert not session.can_redo


def test_the_same_seed_gives_the_board_of_the_command_line() -> None:
    session = HopelessSession(scoring("hopeless"), 6, 5, 4, seed=11)
    assert "\n".join(session.board_rows) == str(HopelessBoard.random(6, 5, 4, 11))


@pytest.mark.parametrize("algorithm", algorithms())
def test_any_solver_gives_advice_that_keeps_its_word(algorithm: str) -> None:
    session = HopelessSession(scoring("samegame"), 4, 4, 3, seed=2)
    session.play(session.game.moves()[0])
    advice = session.advise(algorithm, 0.3)
    for move in advice.moves:
        session.play(move)
    assert session.over
    assert session.game.points == advice.total
    assert algorithm in str(advice)


def test_advice_has_limits() -> None:
    session = session_on("12.\n112")
    with pytest.raises(SettingError, match=f"up to {LONGEST_SEARCH_S} s"):
        session.advise("best", 60)
    with pytest.raises(BlockfallError, match="unknown algorithm"):
        session.advise("psychic", 1)
    session.play((0, 0))
    session.play((0, 0))
    with pytest.raises(SettingError, match="the game is over"):
        session.advise("best", 1)
