"""Reviews: the agent's choice beside each placement, and grades by the loss of value."""

import random
from statistics import median

import pytest

from blockfall.agents import agent
from blockfall.app.parts.placing import Placing
from blockfall.app.play.playing import TetrisSession
from blockfall.app.review.reviewing import Grade, Judged, Review, agents_game, judged, persons_game
from blockfall.errors import BlockfallError
from blockfall.games import Board, Game, Placement, Replay
from blockfall.games.explanation import explain
from blockfall.rulesets import rules

HERE = Placement("O", 0, 0, 0, ((0, 0), (1, 0), (0, 1), (1, 1)))
THERE = Placement("O", 0, 4, 0, ((4, 0), (5, 0), (4, 1), (5, 1)))


@pytest.mark.parametrize(
    ("placement", "value", "best_value", "grade"),
    [
        (HERE, 10.0, 10.0, Grade.BEST),
        (THERE, 10.0, 10.0, Grade.BEST),  # another one of the same value
        (THERE, 11.0, 10.0, Grade.BEST),  # a guard may choose another than the highest value
        (THERE, 9.0, 10.0, Grade.GOOD),
        (THERE, 8.9, 10.0, Grade.MISTAKE),
        (THERE, 6.0, 10.0, Grade.MISTAKE),
        (THERE, 5.9, 10.0, Grade.BLUNDER),
        (THERE, None, 10.0, Grade.BLUNDER),  # it loses a game that could be saved
        (THERE, None, None, Grade.BEST),  # every placement loses
    ],
)
def test_grades_follow_the_loss_in_units(
    placement: Placement, value: float | None, best_value: float | None, grade: Grade
) -> None:
    assert Judged(placement, HERE, value, best_value, 4.0).grade(4.0) is grade


def reviewed(replay: Replay, by: str = "dellacherie") -> Review:
    review = Review(replay, agent(by))
    while not review.done:
        review.judge(7)
    return review


def test_an_agent_agrees_with_itself() -> None:
    review = reviewed(agents_game(rules("guideline"), agent("dellacherie"), 3, 40))
    assert review.counts()[Grade.BEST] == 40
    assert review.accuracy() == 100


def test_a_review_is_what_explanations_say() -> None:
    """Loss, unit and accuracy equal those computed from the explanations."""
    replay = agents_game(rules("nes"), agent("ist-h1"), 5, 25)
    review = reviewed(replay, "bcts")
    losses, spreads = [], []
    for game, placement in replay.steps():
        ranked = explain(game, "bcts")
        values = {one.placement: one.value for one in ranked}
        mine, best = values[placement], ranked[0].value
        assert best is not None
        losses.append(0.0 if placement == ranked[0].placement else None if mine is None else best - mine)
        spreads.append(best - median(value for value in values.values() if value is not None))
    unit = median(spreads)
    assert review.unit == unit
    assert [one.loss for one in review.judged] == losses
    assert review.accuracy() == pytest.approx(
        100 * sum(0 if loss is None else max(0, 1 - loss / unit) for loss in losses) / len(losses)
    )
    assert [step.game.board for step in review.steps[:-1]] == [game.board for game, _ in replay.steps()]
    assert sum(review.counts().values()) == len(replay.placements)


def test_only_the_last_placements_of_a_long_game_are_reviewed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blockfall.app.review.reviewing.MOST_REVIEWED", 10)
    replay = agents_game(rules("standard"), agent("lee"), 1, 30)
    review = reviewed(replay)
    assert (review.first, len(review.judged)) == (20, 10)
    assert [one.placement for one in review.judged] == list(replay.placements[20:])
    assert review.steps[0].game.core.pieces == 20


def test_a_game_without_placements_is_refused() -> None:
    with pytest.raises(BlockfallError, match="no placement"):
        Review(Replay(rules("standard"), (), 1), agent("lee"))


def test_a_game_that_holds_is_reviewed() -> None:
    game, placed = Game("guideline", seed=2, pieces_known=6), []
    for number in range(9):
        placed.append(game.placements(hold=True)[-1 if number % 3 else 0])
        game.play(placed[-1])
    review = reviewed(Replay(game.rules, placed, 2))
    assert any(one.best.piece != one.placement.piece for one in review.judged)
    assert [one.placement.piece for one in review.judged] == [one.piece for one in placed]
    assert review.steps[-1].game.board == game.board


@pytest.mark.parametrize("name", ["guideline", "nes", "tetrisbot"])
def test_a_persons_game_is_a_replay(name: str) -> None:
    """After random keys, the replay ends with the same board and the same number of lines."""
    chance = random.Random(4)
    session = TetrisSession(rules(name).starting_at(2), 9)
    while not session.over and session.game.core.pieces < 12:
        session.step(chance.choice([0, 1, 2, 4, 8, 16, 32, 64]))
    replay = persons_game(rules(name), 9, session.placements, "you")
    assert len(replay.placements) == len(session.placements)
    assert replay.outcome.lines == session.game.lines
    assert Replay.parse(replay.text()).placements == replay.placements
    if not session.over:
        *_, (game, last) = replay.steps()
        game.play(last)
        assert game.board == session.game.board


def test_the_pointer_chooses_the_nearest_placement() -> None:
    tiny = Game.at("standard", Board.empty(10, 20), "I")
    placing = Placing(tiny.placements())
    flat = placing.at((4, 9))
    assert flat
    assert {y for _, y in flat.cells} == {0}
    assert {x for x, _ in flat.cells} <= {2, 3, 4, 5, 6}
    placing.turn()
    upright = placing.at((4, 9))
    assert upright
    assert {x for x, _ in upright.cells} == {4}
    assert Placing([]).at((0, 0)) is None


def test_a_placement_that_the_rules_forbid_is_refused() -> None:
    with pytest.raises(BlockfallError, match="cannot come to rest"):
        judged(Game("nes", seed=1), Placement("I", 0, 0, 9, ((0, 9), (1, 9), (2, 9), (3, 9))), agent("lee"))
