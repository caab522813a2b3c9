"""Games that take hours: a warning appears, they can be stopped, and the finished games are reported."""

import inspect
import json
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

import blockfall
from blockfall.cli.evaluation import evaluate_command
from blockfall.cli.runs import compare_agents
from blockfall.compute import GAMES, Evaluation, InterruptedPlay, LocalBackend, PlayProgress, Request, summarise
from blockfall.compute.patience import Patience
from blockfall.errors import SettingError
from tests.program import next_line, refusal, start_program


def test_the_default_number_of_games_is_the_same_everywhere() -> None:
    for function in (blockfall.evaluate, blockfall.compare, evaluate_command, compare_agents):
        assert inspect.signature(function).parameters["games"].default == GAMES


def test_too_many_games_are_refused_in_one_line() -> None:
    with pytest.raises(SettingError, match=r"1,000,000,000,000 games; play at most 10,000,000,000"):
        blockfall.evaluate(rules="standard", agent="lee", games=10**12)
    refusal("evaluate", "--games", "1000000000000")


def test_long_games_are_announced_once_and_early() -> None:
    patience = Patience(1000)
    assert patience.judge(0, 10**6, 1.0) is None
    said = patience.judge(0, 10**7, 3.5)
    assert said == "no game has ended in 4 s, after 10,000,000 pieces: these games may take hours"
    assert patience.judge(1, 10**7, 4.0) is None
    assert Patience(1000).judge(1, 10**7, 4.0) is not None
    assert "about 3 days" in (Patience(10**6).judge(10, 10, 3.0) or "")
    short = Patience(100)
    assert [short.judge(done, 10, done * 0.1) for done in range(0, 100, 10)] == [None] * 10
    assert Patience(10).judge(10, 10, 100.0) is None


ENDLESS = ["evaluate", "--rules", "standard", "--agent", "dellacherie", "--games", "4", "--threads", "1"]


def test_the_command_warns_at_once_and_an_interrupt_reports_the_finished_games(tmp_path: Path) -> None:
    """A game of 600,000 lines takes seconds; none of four ends before the interrupt."""
    script = tmp_path / "slow.py"
    script.write_text(
        "import time, blockfall\n\n\n@blockfall.register_agent\ndef slow(boards):\n"
        "    time.sleep(0.2)\n    return -boards.any(axis=2).sum(axis=1)\n"
    )
    process = start_program(*ENDLESS, "--agent", "slow", "--plugin", script, "--json", env={"COLUMNS": "400"})
    assert process.stderr
    first = next_line(process.stderr)
    assert first.startswith("blockfall: no game has ended in ")
    assert "--max-pieces" in first
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "blockfall: stopped; " in rest


def test_an_interrupt_keeps_the_games_that_had_ended() -> None:
    """The finished games are games of the same seed, for agents in the core and outside of it."""

    def stop(done: int, _pieces: int) -> None:
        if done >= 20:
            raise KeyboardInterrupt

    for agent in ("lee", lambda boards: -boards.sum(axis=(1, 2))):
        with pytest.raises(InterruptedPlay) as raised:
            blockfall.evaluate(rules="standard-10x10", agent=agent, games=3000, backend="local:1", progress=stop)
        finished = raised.value.finished
        assert finished
        assert 20 <= finished.games <= 3000
        assert set(dict(finished.terminations)) == {"overflow"}


class Stopping:
    """A backend that is interrupted in its third request."""

    threads, requests = 1, 0

    def play(self, request: Request, progress: PlayProgress | None = None) -> Evaluation:
        self.requests += 1
        if self.requests == 3:
            raise InterruptedPlay(LocalBackend(1).play(replace(request, games=7)).summary())
        return LocalBackend(1).play(request, progress)


def test_interrupted_games_are_summarised_over_slices() -> None:
    request = Request(blockfall.rules("nes-no-rotation"), blockfall.agent("lee"), 1000, seed=1)
    with pytest.raises(InterruptedPlay) as raised:
        summarise(request, Stopping(), slice_games=40)
    expected = blockfall.evaluate(rules="nes-no-rotation", agent="lee", games=87, seed=1).summary()
    assert raised.value.finished
    assert raised.value.finished.as_json() | {"seconds": 0} == expected.as_json() | {
        "seconds": 0,
        **{key: raised.value.finished.as_json()[key] for key in ("pieces_per_second", "placements_per_second")},
    }


def test_json_of_an_interrupted_evaluation_says_so() -> None:
    agent = ("--rules", "standard-10x10", "--agent", "dellacherie")
    process = start_program("evaluate", *agent, "--games", "1000000", "--json")
    assert process.stderr
    next_line(process.stderr)  # it will take long
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=30)
    assert process.returncode == 130
    if out:
        found = json.loads(out)
        assert found["interrupted"]
        assert f"{found['games']:,} of 1,000,000 games had ended" in said
    else:
        assert "no game had ended" in said
