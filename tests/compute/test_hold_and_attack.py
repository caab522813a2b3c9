"""Evaluation under the Guideline's rules, with the hold queue and attack lines, compared with games in Python."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import blockfall
from blockfall import Agent, Game, LocalBackend, Purpose, Request, WeightedFeatures, _core
from blockfall.errors import SettingError
from blockfall.rulesets import Rules
from tests.program import Call

GUIDELINE = blockfall.rules("guideline")
DELLACHERIE, BIRKEN = blockfall.agent("dellacherie"), blockfall.agent("birken-6")
SPINNER = Agent("spinner", WeightedFeatures({"holes": -1.0, "landing-height": -1.0, "lines-cleared": 3.0}))
PIECES = 80


def in_python(rules: Rules, agent: Agent, seed: int, number: int, hold: bool) -> Game:
    """Play a game placement by placement. With a hold queue the agent plays the first placement of `explain`."""
    game = Game(rules, seed, number, pieces_known=max(2, agent.pieces_known) if hold else agent.pieces_known)
    while not game.over and game.outcome.pieces < PIECES:
        game.play(blockfall.explain(game, agent, hold=True)[0].placement if hold else game.choose(agent))
    return game


@pytest.mark.parametrize("agent", [DELLACHERIE, BIRKEN, SPINNER], ids=lambda agent: agent.name)
@pytest.mark.parametrize("hold", [False, True], ids=["plain", "hold"])
def test_games_and_attacks_are_those_of_python(agent: Agent, hold: bool) -> None:
    games = 6
    played = blockfall.evaluate(GUIDELINE, agent, games, seed=5, max_pieces=PIECES, hold=hold)
    assert played.attack is not None
    for number in range(games):
        game = in_python(GUIDELINE, agent, 5, number, hold)
        expected = game.outcome
        assert (played.lines[number], played.pieces[number]) == (expected.lines, expected.pieces)
        assert (played.score[number], tuple(played.clears[number])) == (expected.score, expected.clears)
        assert played.attack[number] == game.attack.lines


def test_counting_attack_lines_changes_no_game() -> None:
    """Counting attack lines does not change the games: `play_games` plays the same ones."""
    played = blockfall.evaluate(GUIDELINE, BIRKEN, 20, seed=3, max_pieces=200)
    arrays = _core.play_games(
        GUIDELINE.core, BIRKEN.core, 3, 0, 20, 200, 1, _core.Purpose(Purpose.TEST), weights=None, progress=None
    )
    for name in ("lines", "pieces", "placements", "score", "clears", "termination"):
        assert np.array_equal(getattr(played, name), arrays[name])


def test_hold_gains_lines_and_threads_change_nothing() -> None:
    few = blockfall.rules("guideline").starting_at(0)
    plain, held = (
        blockfall.evaluate(few, SPINNER, 60, seed=1, max_pieces=400, hold=hold, backend=LocalBackend(2))
        for hold in (False, True)
    )
    assert held.summary().mean > plain.summary().mean
    assert held == blockfall.evaluate(few, SPINNER, 60, seed=1, max_pieces=400, hold=True, backend=LocalBackend(1))
    first, last = (
        blockfall.evaluate(few, SPINNER, 30, seed=1, first_game=first, max_pieces=400, hold=True) for first in (0, 30)
    )
    assert first.attack is not None
    assert last.attack is not None
    assert held.attack is not None
    assert [*first.attack, *last.attack] == held.attack.tolist()


def test_full_spins_back_to_back_combos_and_perfect_clears_are_sent() -> None:
    """The table's numbers are far apart, so that each part shows in the sum."""
    table = GUIDELINE.file.attack
    assert table
    telling = table.model_copy(
        update={
            "lines": (1, 10, 100, 1000),
            "mini": (10**4, 10**5),
            "spin": (10**5, 2 * 10**5, 3 * 10**5),
            "back_to_back": 7,
            "combo": (0, 3, 5),
            "perfect_clear": 10**6,
        }
    )
    rules = replace(GUIDELINE, name="telling", file=GUIDELINE.file.model_copy(update={"attack": telling}))
    played = blockfall.evaluate(rules, SPINNER, 12, seed=9, max_pieces=PIECES, hold=True)
    assert played.attack is not None
    expected = [in_python(rules, SPINNER, 9, number, hold=True).attack.lines for number in range(12)]
    assert played.attack.tolist() == expected
    assert max(expected) > 10**4, "no spin among these games: choose another seed"


def test_agents_and_rules_that_cannot_hold_are_refused() -> None:
    with pytest.raises(SettingError, match="nes has no hold queue"):
        Request(blockfall.rules("nes"), BIRKEN, 1, 1, hold=True)
    with pytest.raises(SettingError, match="has a board function, which cannot hold"):
        Request(GUIDELINE, blockfall.agent(lambda boards: boards.sum(axis=(1, 2))), 1, 1, hold=True)
    with pytest.raises(SettingError, match="candidates of a population cannot hold"):
        Request(GUIDELINE, BIRKEN, 1, 1, hold=True, population=blockfall.Population([[0.0] * 6]))
    with pytest.raises(SettingError, match="sees no next piece, so it cannot hold"):
        Request(GUIDELINE, DELLACHERIE.looking_ahead(4), 1, 1, hold=True)


def test_the_command_line_gives_attacks(tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("--agent", "birken-6", "--games", "5", "--max-pieces", "60", "--json")
    monkeypatch.setenv("BLOCKFALL_HOME", str(tmp_path))
    _, out, _ = call("evaluate", "--rules", "guideline", "--hold", *asked)
    told = json.loads(out)
    assert told["attack_mean"] == told["attack"] / 5
    _, out, _ = call("evaluate", "--rules", "nes", *asked)
    assert "attack" not in json.loads(out)
    code, _, said = call("evaluate", "--rules", "nes", "--hold", *asked)
    assert (code, said) == (2, "blockfall: nes has no hold queue; omit hold\n")


def test_watch_and_compare_hold_as_evaluate_does(tmp_path: Path, call: Call) -> None:
    words = ["--rules", "guideline", "--hold", "--seed", "5", "--max-pieces", str(PIECES), "--json"]
    _, shown, _ = call("watch", "--agent", "dellacherie", *words, "--record", str(tmp_path / "game.jsonl"))
    assert any(move["piece"] != move["known"][0] for move in json.loads(shown)), "no piece was held"
    played = blockfall.evaluate(GUIDELINE, DELLACHERIE, 2, seed=5, max_pieces=PIECES, hold=True)
    watched = blockfall.Replay.read(tmp_path / "game.jsonl").outcome
    assert (watched.lines, watched.score) == (played.lines[0], played.score[0])
    _, compared, _ = call("compare", "dellacherie", "lee", *words, "--games", "2")
    assert json.loads(compared)[0]["first_mean"] == played.lines.mean()
    for command in (["watch"], ["compare", "lee", "bcts"]):
        code, _, said = call(*command, "--rules", "standard", "--hold")
        assert (code, said) == (2, "blockfall: standard has no hold queue; omit hold\n")
