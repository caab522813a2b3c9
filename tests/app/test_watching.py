"""Watched games without a browser: history, races, pace and fair shares of the core."""

import pytest

from blockfall.agents import agent
from blockfall.app.parts.reasons import heat, reasons
from blockfall.app.watch.racing import Score, many_games, winner
from blockfall.app.watch.watching import SPEEDS, Pacer, Show, Slices, Watched, speed_of, step_of
from blockfall.compute import evaluate
from blockfall.errors import SettingError
from blockfall.games.board import Board
from blockfall.games.explanation import explain
from blockfall.games.tetris import Game
from blockfall.rulesets import rules
from tests.agents.test_feature_network import random_network


class Hand:
    """A clock set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_plays_as_the_agent_does_and_remembers_every_position() -> None:
    player = agent("dellacherie")
    watched, game = Watched("standard", player, seed=5), Game("standard", seed=5)
    texts = []
    for number in range(60):
        position = watched.position
        assert position.number == number
        assert position.game.board == game.board
        assert position.painted.replace(".", " ").translate(str.maketrans("IOTSZJL", "#######")) == str(
            game.board
        ).replace(".", " ")
        assert position.chosen == game.choose(player)
        texts.append(position.painted)
        game.play(position.chosen)
        assert watched.step()
    for number in range(59, -1, -1):
        assert watched.back()
        assert (watched.number, watched.position.painted) == (number, texts[number])
    assert not watched.back()


def test_an_earlier_position_is_explained_as_it_stood() -> None:
    """The placements depend on the level, and the probabilities of pieces on the game's history."""
    player = agent("lee")
    watched = Watched("nes-no-rotation-timed", player, seed=3)
    then = []
    for _ in range(25):
        then.append(watched.position.explain(player))
        assert watched.step()
    for ranked in reversed(then):
        watched.back()
        again = watched.position.explain(player)
        assert [(one.placement, one.value) for one in again] == [(one.placement, one.value) for one in ranked]


def test_going_on_after_going_back_gives_the_same_game() -> None:
    there, straight = (Watched("nes", agent("birken-6"), seed=9) for _ in range(2))
    for _ in range(30):
        there.step()
        straight.step()
    for _ in range(12):
        there.back()
    for _ in range(20):
        there.step()
    for _ in range(8):
        straight.step()
    assert there.position.painted == straight.position.painted
    assert there.position.game.outcome == straight.position.game.outcome


def test_history_is_bounded() -> None:
    show = Show("standard", [agent("dellacherie")], seed=1, history=10)
    show.play(50, 60.0)
    assert (show.number, show.first) == (50, 41)
    show.to_start()
    assert show.number == 41
    show.back()
    assert show.number == 41


def test_cleared_rows_are_reported_once() -> None:
    watched = Watched("standard", agent("dellacherie"), seed=1)
    lines = 0
    for _ in range(80):
        watched.step()
        lines += len(watched.position.cleared)
        assert lines == watched.position.game.outcome.lines
    assert lines > 10


def test_a_game_ends_and_stays_ended() -> None:
    watched = Watched("nes-no-rotation", agent("ist-h1"), seed=1)
    for _ in range(10_000):
        if not watched.step():
            break
    assert watched.over
    assert watched.position.chosen is None
    assert watched.position.explain(watched.agent) == []
    assert not watched.step()
    assert watched.back()
    assert not watched.over


def test_a_race_is_on_the_same_pieces_and_in_step() -> None:
    show = Show("nes-no-rotation", [agent("birken-6"), agent("ist-h1")], seed=4)
    while not show.games[1].over:
        assert show.step()
        one, other = (game.position for game in show.games)
        if not show.games[0].over and not show.games[1].over:
            assert one.number == other.number
            assert one.game.known == other.game.known
    ended = show.games[1].number
    show.play(5, 60.0)
    assert show.games[1].number == ended
    assert show.lead == show.games[0].lines - show.games[1].lines != 0
    assert show.leads[-1] == (show.number, show.lead)
    for _ in range(8):
        show.back()
    assert show.games[0].number == show.games[1].number


def test_leads_stay_few_and_keep_their_ends() -> None:
    show = Show("standard", [agent("dellacherie"), agent("lee")], seed=4)
    for _ in range(1000):
        show.play(1, 60.0)
    numbers = [number for number, _ in show.leads]
    assert len(numbers) <= 300
    assert (numbers[0], numbers[-1]) == (0, 1000)
    assert numbers == sorted(set(numbers))


def test_plays_for_a_time_but_one_piece_at_least() -> None:
    clock = Hand()
    show = Show("standard", [agent("dellacherie")], seed=1)
    show.play(None, 0.0, clock)
    assert show.number == 1

    def ticking() -> float:
        clock.now += 0.001
        return clock.now

    show.play(None, 0.010, ticking)
    assert 8 <= show.number <= 12


def test_pace_catches_up_but_not_after_a_stall() -> None:
    clock = Hand()
    pace = Pacer(clock)
    given = 0
    for _ in range(100):
        clock.now += 0.026
        given += pace.due(10)
    assert given in (25, 26)
    clock.now += 60
    assert pace.due(10) <= 3
    clock.now += 0.01
    assert pace.due(1000) == 10


def test_pace_measures_the_last_second() -> None:
    clock = Hand()
    pace = Pacer(clock)
    for number in range(0, 1000, 5):
        clock.now += 0.01
        rate = pace.rate(number)
    assert rate == pytest.approx(500)


@pytest.mark.parametrize("watchers", [1, 4, 20])
def test_slices_share_a_quarter_of_a_core(watchers: int) -> None:
    clock = Hand()
    slices = Slices(share=0.25, clock=clock)
    spent = dict.fromkeys(range(watchers), 0.0)
    for _ in range(380):
        clock.now += 1 / 38
        for who in spent:
            seconds = slices.ask(who)
            slices.spent(who, seconds)
            spent[who] += seconds
    assert sum(spent.values()) == pytest.approx(0.25 * 10, rel=0.1)
    assert max(spent.values()) == pytest.approx(min(spent.values()), rel=0.1)


def test_late_frames_do_not_get_longer() -> None:
    """Twenty watchers with two frames per second, as on a busy machine, still get slices of two frames."""
    clock = Hand()
    slices = Slices(share=0.25, clock=clock)
    for _ in range(10):
        clock.now += 0.5
        given = [slices.ask(who) for who in range(20)]
        for who, seconds in enumerate(given):
            slices.spent(who, seconds)
    assert sum(given) == pytest.approx(2 * 0.25 / 38, rel=0.01)


def test_a_slow_watcher_waits_but_not_forever() -> None:
    clock = Hand()
    slices = Slices(share=0.25, clock=clock)
    assert slices.ask("slow") > 0
    for seconds, wait in ((0.05, 0.2), (0.1, 0.4), (60.0, 0.5)):
        slices.spent("slow", slices.ask("slow") + seconds)
        waited = 0.0
        while slices.ask("slow") <= 0:
            clock.now += 0.01
            waited += 0.01
        assert waited == pytest.approx(wait, abs=0.03)


def test_speeds() -> None:
    assert speed_of(0) == 1
    assert speed_of(SPEEDS) == pytest.approx(1000)
    assert speed_of(SPEEDS + 1) is None
    for wrong in (-1, SPEEDS + 2, "fast", None):
        with pytest.raises(SettingError):
            speed_of(wrong)
    assert [step_of(said, 6) for said in ("1", "10", "1000", "full", "1e9", "0.1")] == [0, 10, 30, 31, 30, 0]
    assert [step_of(said, 6) for said in (None, "", "x", "-3", "0", "nan", "inf")] == [6] * 7


BOARD = Board.from_text("###...####\n####.#####", 10, 20)


def test_heat_is_best_where_the_piece_fits() -> None:
    ranked = explain(Game.at("standard", BOARD, "T"), agent("dellacherie"))
    found = heat(ranked, 10)
    assert found[3:6] == [1.0, 1.0, 1.0]
    assert min(value for value in found if value is not None) == 0.0
    assert heat([], 3) == [None, None, None]


def test_reasons_add_up_to_the_difference() -> None:
    player = agent("dellacherie")
    best, second, *_ = explain(Game.at("standard", BOARD, "T"), player)
    found = reasons(player, best, second)
    assert best.value is not None
    assert second.value is not None
    assert sum(one.share or 0.0 for one in found) == pytest.approx(best.value)
    assert sum(one.ahead or 0.0 for one in found) == pytest.approx(best.value - second.value)
    assert [one.ahead for one in reasons(player, best, None)] == [None] * len(found)


def test_a_network_gives_values_and_no_shares() -> None:
    player = random_network(("holes", "max-height", "bumpiness"), (4,), seed=2)
    best, second, *_ = explain(Game.at("standard", BOARD, "T"), player)
    found = reasons(player, best, second)
    assert len(found) == len(player.feature_names)
    assert all(one.share is None and one.ahead is None and one.weight is None for one in found)


def test_a_race_ends_at_its_goal_with_a_winner() -> None:
    race = Show("standard", [agent("dellacherie"), agent("ist-h1")], seed=1, goal_lines=5)
    while race.step():
        pass
    assert race.over
    lines = [game.lines for game in race.games]
    assert max(lines) >= 5
    assert winner(race) == (None if lines[0] == lines[1] else lines.index(max(lines)))
    race.back()
    assert not race.over


def test_many_games_are_the_games_of_evaluate() -> None:
    players = [agent("birken-6"), agent("lee")]
    *_, found = many_games(rules("nes-no-rotation"), players, seed=3)
    expected = [evaluate("nes-no-rotation", player, 100, 3, max_pieces=1000).lines for player in players]
    assert [lines.tolist() for lines in found.lines] == [lines.tolist() for lines in expected]
    first, second = expected
    won = [int((first > second).sum()), int((second > first).sum())]
    assert found.score == Score(won, 100 - sum(won))
    assert f"birken-6 {(first > second).sum()}" in str(found)


def test_many_games_end_when_time_is_up() -> None:
    times = iter([0.0, 1.0, 11.0])
    found = list(many_games(rules("nes-no-rotation"), [agent("lee")] * 2, seed=3, clock=lambda: next(times)))
    assert [len(one.lines[0]) for one in found] == [10, 20]
    assert found[-1].score == Score([0, 0], 20)
