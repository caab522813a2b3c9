"""A visitor's Tetris without a browser: keys by the frame, colours, the clock, key maps, high scores."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from blockfall.agents import agent
from blockfall.app.parts import choices
from blockfall.app.play import high_scores
from blockfall.app.play.keyboard import ACTIONS, HALF_TURN, KeyMap, actions_of, is_usable, sign_of
from blockfall.app.play.modes import MODES, PlayerProgress, ending
from blockfall.app.play.playing import HeldKeys, PieceQueue, TetrisSession, most_start_level, playable_rules
from blockfall.app.play.rival import Rival
from blockfall.app.play.ticking import FrameClock, GamesAtOnce
from blockfall.errors import SettingError
from blockfall.games import Game, HumanGame, game
from blockfall.rulesets import rules, rules_names

LEFT, RIGHT, CLOCKWISE, DROP = HumanGame.LEFT, HumanGame.RIGHT, HumanGame.CLOCKWISE, HumanGame.DROP


def frames_of(*masks: int) -> list[int]:
    """Return what the game sees, frame by frame, of masks that all came within one frame."""
    held = HeldKeys()
    for mask in masks:
        held.hold(mask)
    frames = [held.next_frame()]
    while len(frames) < 2 or frames[-1] != frames[-2]:
        frames.append(held.next_frame())
    return frames[:-1]


@pytest.mark.parametrize(
    ("masks", "frames"),
    [
        ([LEFT], [LEFT]),
        ([LEFT, 0], [LEFT, 0]),  # a tap shorter than a frame
        ([LEFT, 0, LEFT, 0], [LEFT, 0, LEFT, 0]),  # two taps stay two
        ([LEFT, 0, DROP, 0], [LEFT, DROP, 0]),  # in their order: the shift is this piece's
        ([DROP, 0, LEFT], [DROP, LEFT]),  # and here the next one's
        ([CLOCKWISE, CLOCKWISE | LEFT], [CLOCKWISE, CLOCKWISE | LEFT]),
        ([LEFT, RIGHT], [LEFT, RIGHT]),
    ],
)
def test_no_tap_is_lost(masks: list[int], frames: list[int]) -> None:
    assert frames_of(*masks) == frames


def test_a_flood_of_keys_ends_with_the_last() -> None:
    held = HeldKeys()
    for number in range(10_000):
        held.hold(number % 2)
    held.hold(RIGHT)
    assert [held.next_frame() for _ in range(200)][-1] == RIGHT
    held.hold(LEFT)
    held.release_all()
    assert held.next_frame() == 0


@pytest.mark.parametrize("name", [one.name for one in playable_rules()])
def test_colours_follow_the_game(name: str) -> None:
    """Under random keys, the painted board always has exactly the cells of the core's."""
    chance = random.Random(name)
    session = TetrisSession(rules(name), seed=3)
    flashed = 0
    for _ in range(20_000):
        pieces = session.game.core.pieces
        session.step(chance.choice([0, LEFT, RIGHT, CLOCKWISE, HumanGame.DOWN, DROP, HumanGame.HOLD]))
        if session.game.core.pieces == pieces:
            continue
        painted = [[mark != "." for mark in row] for row in session.painted.rows]
        assert painted == session.game.board.cells.tolist()
        flashed += len(list(session.picture().cleared))
        if session.over:
            break
    assert session.over
    assert session.ending
    assert flashed == session.game.core.lines
    assert len(session.picture().rows) == session.rows_shown


def test_a_cleared_line_flashes_once(tmp_path: Path) -> None:
    path = tmp_path / "short.toml"
    path.write_text('extends = "guideline"\n[generator]\nname = "script"\npieces = "IIOTTT"\n')
    session = TetrisSession(rules(path), seed=1, shift_repeat_frames=0, shift_delay_frames=1)
    for keys in ([LEFT] * 9, [DROP, 0], [RIGHT, 0], [DROP, 0], [RIGHT] * 9, [DROP, 0]):
        for mask in keys:
            session.step(mask)
    picture = session.picture()
    assert (list(picture.cleared), picture.sound) == ([0], "clear")
    assert picture.rows[-1] == "........OO"
    again = session.picture()
    assert (list(again.cleared), again.sound) == ([], "")


def test_step_returns_whether_something_changed() -> None:
    session = TetrisSession(rules("nes"), seed=1)
    changes = [session.step(0) for _ in range(96)]
    assert [frame for frame, changed in enumerate(changes, 1) if changed] == [48, 96]


def test_every_endless_rule_set_can_be_played() -> None:
    assert set(rules_names()) - {one.name for one in playable_rules()} == {"ist"}


def test_a_start_level_changes_the_speed_and_nothing_else() -> None:
    nes = rules("nes")
    fast = nes.starting_at(18)
    assert most_start_level(nes) == 29
    assert (fast.name, fast.file.placement, nes.file.scoring.start_level) == ("nes", nes.file.placement, 0)
    session = TetrisSession(fast, seed=1)
    assert session.numbers()["Level"] == 18
    assert [session.step(0) for _ in range(6)] == [False, False, True] * 2  # 3 frames a row
    with pytest.raises(SettingError, match="0 to 31"):
        nes.starting_at(32)


def test_the_queue_draws_pieces_one_over_another() -> None:
    queue = PieceQueue(rules("guideline"), 2)
    assert queue.picture("TO").rows == [".T..", "TTT.", "....", ".OO.", ".OO."]
    assert set(queue.picture("").rows) == {"...."}


def test_the_clock_does_not_drift_and_drops_what_is_too_late() -> None:
    clock = FrameClock(100.0)
    assert clock.wait_s(100.0) == pytest.approx(1 / 60)
    played = sum(clock.due(100.0 + late) for late in (0.0171, 0.0352, 0.05, 0.0999, 0.5 / 60 + 0.1))
    assert played == 6
    assert clock.due(110.0) == 4  # ten seconds late: 4 frames, not 600
    assert clock.due(110.0 + 1.5 / 60) == 1


def test_the_number_of_games_at_once_is_limited() -> None:
    seats = GamesAtOnce(1)
    seats.take()
    with pytest.raises(SettingError, match="too many games"):
        seats.take()
    seats.give_back()
    seats.take()


def test_a_key_taken_from_another_action_is_exchanged() -> None:
    keys = KeyMap()
    assert keys.assign("hold", "KeyX") is None
    assert keys.assign("left", "ArrowRight") == ACTIONS["right"]
    assert (keys["left"], keys["right"]) == ("ArrowRight", "ArrowLeft")
    assert keys.masks()["ArrowRight"] == LEFT
    assert KeyMap(keys.as_kept()).as_kept() == keys.as_kept()
    for code in ("Escape", "Tab", "F5", "", None, 7, "KeyÄ"):
        with pytest.raises(SettingError, match="cannot be used"):
            keys.assign("left", code)


@pytest.mark.parametrize(
    "kept", [None, 3, {}, {"left": "KeyA"}, dict.fromkeys(ACTIONS, "KeyA"), dict.fromkeys(ACTIONS, 1)]
)
def test_invalid_key_maps_become_the_usual(kept: object) -> None:
    assert KeyMap(kept).as_kept() == {name: action.code for name, action in ACTIONS.items()}


def test_keys_are_those_of_the_rules() -> None:
    names = {one.name: {action.name for action in actions_of(one)} for one in playable_rules()}
    assert names["nes-no-rotation"] == {"left", "right", "down", "pause", "restart"}
    assert names["guideline"] == set(ACTIONS)
    assert [sign_of(code) for code in ("KeyC", "Digit1", "Numpad7", "ArrowUp")] == ["C", "1", "keypad 7", "↑"]
    assert all(is_usable(action.code) for action in ACTIONS.values())


def test_names_are_cleaned() -> None:
    assert high_scores.clean_name("  Ada \n\t Love\u202elace\x00 ") == "Ada Love lace"
    assert len(high_scores.clean_name("x" * 500)) == high_scores.MOST_NAME
    for nobody in ("", " \n", "\u200b", None, 5, ["Ada"]):
        with pytest.raises(SettingError, match="needs a name"):
            high_scores.clean_name(nobody)


def test_high_scores_by_game_and_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKFALL_HOME", str(tmp_path))
    nes = high_scores.key_of(game("tetris"), {"rules": "nes"})
    small = high_scores.key_of(game("hopeless"), {"columns": 5, "rows": 6, "colours": 3})
    assert (nes, small) == ("play/nes", "play/hopeless/5x6/3")  # existing stores have these keys
    high_scores.add(nes, "Ada", 100)
    assert high_scores.add(nes, "Bob", 300) == [("Bob", 300), ("Ada", 100)]
    assert high_scores.load(small) == []
    ranking = high_scores.load(nes)
    assert [high_scores.place_of(score, ranking) for score in (400, 300, 100, 1, 0)] == [1, 2, 3, 3, None]
    assert high_scores.place_of(5, [("x", 9)] * 10) is None


def test_fields_are_not_trusted() -> None:
    assert choices.whole(3.0, "level", 0, 9) == 3
    for wrong in (None, "3", 3.5, -1, 10, True, float("nan"), float("inf"), [3]):
        with pytest.raises(SettingError, match="level: it must be a whole number from 0 to 9"):
            choices.whole(wrong, "level", 0, 9)
    assert choices.seed(" 42 ") == 42
    assert 0 <= choices.seed("") < 2**64
    for wrong in ("-1", "1e3", "abc", str(2**64), "²", "9" * 5000):
        with pytest.raises(SettingError, match="the seed must be"):
            choices.seed(wrong)


def test_a_half_turn_is_two_presses() -> None:
    held = HeldKeys()
    held.hold(HALF_TURN | HumanGame.LEFT)
    held.hold(HumanGame.LEFT)
    turn, left = HumanGame.CLOCKWISE | HumanGame.LEFT, HumanGame.LEFT
    frames = [held.next_frame() for _ in range(6)]
    # The shift may come with the first turn; each turn is a press of its own.
    assert [one & HumanGame.CLOCKWISE for one in frames] in ([8, 0, 8, 0, 0, 0], [0, 8, 0, 8, 0, 0])
    assert frames[-1] == left
    assert turn in frames


@pytest.mark.parametrize("seed", [0, 7])
@pytest.mark.parametrize("name", ["guideline", "nes", "standard"])
def test_the_rival_gets_the_same_pieces(name: str, seed: int) -> None:
    """Without hold, a person who only drops gets the same pieces as the agent."""
    session, rival = TetrisSession(rules(name), seed), Rival(rules(name), agent("dellacherie"), seed, 0)
    seen = []
    while session.game.pieces < 5 and not session.over:
        before = session.game.pieces
        piece = session.game.piece
        session.step(HumanGame.DOWN | (HumanGame.DROP if session.frames % 2 else 0))
        if session.game.pieces > before:
            seen.append(piece)
            assert rival.is_due(session.frames, session.game.pieces)
            rival.play()
    game = Game(name, seed=seed)
    placed = []
    for _ in seen:
        chosen = game.choose(agent("dellacherie"))
        placed.append(chosen.piece)
        game.play(chosen)
    assert seen == placed
    assert rival.progress.lines == game.core.lines


YOU, AGENT = PlayerProgress("you", 12, False), PlayerProgress("lee", 20, False)


@pytest.mark.parametrize(
    ("mode", "you", "rival", "title", "counts"),
    [
        ("endless", replace(YOU, lines=200), None, None, None),
        ("endless", replace(YOU, over=True), None, "Game over", True),
        ("sprint", replace(YOU, over=True), None, "Game over", False),
        ("sprint", replace(YOU, lines=41), None, "40 lines in 0:10.00", True),
        ("marathon", replace(YOU, lines=150), None, "1,234 points", True),
        ("versus", YOU, AGENT, None, None),
        ("versus", replace(YOU, lines=40), AGENT, "You win", False),
        ("versus", YOU, replace(AGENT, lines=40), "lee wins", False),
        ("versus", YOU, replace(AGENT, over=True), "You win", False),
        ("versus", replace(YOU, over=True), AGENT, "lee wins", False),
    ],
)
def test_how_games_end(
    mode: str, you: PlayerProgress, rival: PlayerProgress | None, title: str | None, counts: bool
) -> None:
    found = ending(MODES[mode], 600, 1234, you, rival, "The stack passed the top.")
    assert (found and found.title) == title
    assert found is None or found.counts is counts
