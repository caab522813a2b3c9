"""Hostile values for the public functions of every room: a one-line error or no harm, never a crash or a hang."""

import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import blockfall
from blockfall import fumen
from blockfall.compute import BACKENDS
from blockfall.errors import BlockfallError, SettingError
from blockfall.games.replay import Replay
from blockfall.tbp import messages as bots
from tests.fuzz.limits import feed

UNFINISHED = [f"{name}:" for name in BACKENDS if name != "cuda"]
WHOLE: tuple[Any, ...] = (
    -1,
    -(2**63),
    2**31,
    2**63,
    10**30,
    10**5000,
    np.zeros((3, 3)),
    math.nan,
    math.inf,
    1.5,
    "x",
    None,
    [],
    True,
)
NUMBERS: tuple[Any, ...] = (math.nan, math.inf, -math.inf, 10**400, "x", [])
NAMES: tuple[Any, ...] = ("", "x" * 5000, "\0", "\ud800", "../../etc/passwd", 3, [], b"x")
ARRAYS: tuple[Any, ...] = (
    np.zeros((3, 3)),
    np.array([math.nan]),
    np.zeros(0),
    np.array(["x"]),
    np.full(2, 2**62),
    None,
    "x",
)

Call = Callable[..., object]

api: Any = blockfall  # hostile callers use no type checker
SIZES = {"columns": 4, "rows": 6, "channels": 4, "kernel": 3, "blocks": 1, "hidden": 4, "outputs": 1}


def games(**given: Any) -> object:
    found = api.Games(**{"rules": "nes-no-rotation", "n": 2} | given)
    found.step([0, 0])
    return found


def stepped(actions: object) -> object:
    return api.Games("nes-no-rotation", 2).step(actions)


def network(**given: Any) -> object:
    return api.BoardNetwork.zeros(**SIZES | given)


def environment(name: str) -> Call:
    def make(**given: Any) -> object:
        gymnasium = pytest.importorskip("gymnasium")
        pytest.importorskip("blockfall.envs")
        action = given.pop("action", 0)
        made = gymnasium.make(name, disable_env_checker=True, **given)
        made.reset(seed=1)
        return made.unwrapped.step(action)

    return make


def search(**given: Any) -> object:
    settings = api.SearchSettings(**{"node_limit": 20} | {k: v for k, v in given.items() if k != "algorithm"})
    position = api.game("hopeless").read("1212\n2121\n1122\n")
    return api.solve(position, given.get("algorithm", "greedy"), settings)


CALLS: dict[str, tuple[Call, dict[str, tuple[Any, ...]]]] = {
    "Games": (
        games,
        {
            "rules": NAMES,
            "n": WHOLE,
            "seed": WHOLE,
            "pieces_known": WHOLE,
            "max_pieces": WHOLE,
            "features": NAMES,
            "numbers": (range(0), range(5, 1), range(-3, 3), 3, "x"),
        },
    ),
    "Games.step": (stepped, {"actions": (*ARRAYS, [-1, 10**9], [0], [0, 0, 0])}),
    "Games.cut": (lambda which: api.Games("nes", 2).cut(which), {"which": ARRAYS}),
    "Games.placement": (
        lambda game=0, action=0: api.Games("nes", 2).placement(game, action),
        {"game": WHOLE, "action": WHOLE},
    ),
    "BoardNetwork.zeros": (
        network,
        dict.fromkeys(SIZES, WHOLE),
    ),
    "BoardNetwork": (
        lambda weights: api.BoardNetwork(4, 6, 4, 3, 1, 4, 1, weights),
        {"weights": (b"", b"x" * 10**6, "x", None, bytearray(3), 7)},
    ),
    "evaluate": (
        lambda **given: api.evaluate(
            **{"rules": "nes-no-rotation", "agent": "lee", "games": 1, "max_pieces": 3} | given
        ),
        {
            "rules": NAMES,
            "agent": NAMES,
            "games": (-1, 0, math.nan, 1.5, "x", None, [], 2**63, 10**30),
            "seed": WHOLE,
            "first_game": WHOLE,
            "max_pieces": WHOLE[:7],
            "backend": ("", "x", "local:0", "local:-1", "local:9999999", "local:x", *UNFINISHED, "cuda:x", 3, []),
        },
    ),
    "tetris environment": (
        environment("blockfall/Tetris-v0"),
        {
            "rules": NAMES,
            "observation": NAMES,
            "features": NAMES,
            "reward": NAMES,
            "illegal_penalty": NUMBERS,
            "loss_penalty": NUMBERS,
            "pieces_known": WHOLE,
            "max_pieces": WHOLE,
            "action": (-1, 10**30, math.nan, "x", None, np.zeros(3)),
        },
    ),
    "hopeless environment": (environment("blockfall/Hopeless-v0"), {"action": (-1, 10**30, math.nan, "x", None)}),
    "keys environment": (environment("blockfall/TetrisKeys-v0"), {"action": (-1, 10**30, math.nan, "x", None)}),
    "solve": (
        search,
        {
            "algorithm": NAMES,
            "node_limit": WHOLE,
            "time_limit_s": NUMBERS,
            "width": WHOLE,
            "level": WHOLE,
            "seed": WHOLE,
        },
    ),
    "fumen.decode": (fumen.decode, {"text": NAMES[:5]}),
    "fumen.encode": (
        lambda rows=(), version=115: fumen.encode([fumen.Page(rows)], version),
        {"rows": (("x",), ("X" * 11,), ("X" * 10,) * 50, ("\ud800" * 10,)), "version": (0, -1, 116, "x", None)},
    ),
    "fumen comment": (
        lambda comment: fumen.encode([fumen.Page((), None, comment)]),
        {"comment": ("x" * 10**5, "\ud800")},
    ),
    "Replay": (Replay.parse, {"text": ("", "{}", "[]", "\0", "{" * 3000, '{"rules": "nes"}\n{"end": 1}')}),
    "Replay.from_fumen": (Replay.from_fumen, {"text": ("v115@vhAAgH", "v115@", "x")}),
    "tbp start": (
        lambda message: bots.read_start(message),
        {"message": ({}, {"type": "start"}, {"board": [[None]]}, {"queue": ["I"] * 10**4})},
    ),
    "HopelessBoard": (api.HopelessBoard.from_text, {"text": ("", "\0", "1" * 10**5, "9" * 300 + "\n", "12\n1")}),
    "HopelessBoard.random": (
        lambda **given: api.HopelessBoard.random(**{"columns": 3, "rows": 3, "colours": 2, "seed": 1} | given),
        {"columns": WHOLE, "rows": WHOLE, "colours": WHOLE, "seed": WHOLE},
    ),
    "Board.empty": (
        lambda columns=4, rows=4: api.Board.empty(columns, rows),
        {"columns": WHOLE, "rows": WHOLE},
    ),
    "Board": (
        lambda columns: api.Board(columns, 20),
        {"columns": (np.full(10, 2**31), np.full(40, 1), np.zeros(0), [], np.array([-1]), [math.nan])},
    ),
    "Game": (
        lambda **given: api.Game(**{"rules": "nes"} | given),
        {"rules": NAMES, "seed": WHOLE, "number": WHOLE, "pieces_known": WHOLE, "purpose": NAMES, "board": ARRAYS[:6]},
    ),
    "Game.at": (
        lambda **given: api.Game.at(**{"rules": "nes", "board": api.Board.empty(10, 20), "known": "IT"} | given),
        {"board": ARRAYS, "known": NAMES, "dealt": (*NAMES[1:], None), "lines": WHOLE, "seed": WHOLE},
    ),
    "HumanGame": (
        lambda **given: api.HumanGame(**{"rules": "nes"} | given),
        {"seed": WHOLE, "shift_delay_frames": WHOLE, "shift_repeat_frames": WHOLE, "board": ARRAYS[:5]},
    ),
    "Board.from_text": (
        lambda text="", columns=4, rows=4: api.Board.from_text(text, columns, rows),
        {"text": NAMES, "columns": WHOLE, "rows": WHOLE},
    ),
    "Population": (api.Population, {"parameters": ARRAYS}),
    "FeatureNetwork.zeros": (
        lambda features=("holes",), hidden=(2,): api.FeatureNetwork.zeros(features, hidden),
        {"features": (NAMES, "x"), "hidden": tuple((one,) for one in WHOLE)},
    ),
    "BoardNetwork.values": (
        lambda boards: api.BoardNetwork.zeros(**SIZES).values(boards),
        {"boards": (np.zeros((3, 3)), *ARRAYS[2:], -1, np.zeros((2, 99), np.uint32))},
    ),
    "SearchSettings": (lambda weight: api.SearchSettings(weight=weight), {"weight": NUMBERS}),
    "explain": (lambda game: api.explain(game, "lee"), {"game": NAMES}),
    "check_problem": (
        lambda **given: api.check_problem(None, **given),
        {"states": (-1, 0, *WHOLE[5:]), "time_limit_s": (*NUMBERS, 0, -1)},
    ),
    "game": (api.game, {"name": NAMES}),
    "run": (api.run, {"name": NAMES[:5]}),
    "load_plugin": (api.load_plugin, {"path": NAMES[2:5]}),
    "HopelessBoard cells": (api.HopelessBoard, {"cells": ARRAYS[2:]}),
    "Lstd": (
        lambda **given: api.Lstd(**given),
        {"actions": WHOLE, "stages": WHOLE, "discount": NUMBERS, "trace_decay": NUMBERS, "ridge": NUMBERS},
    ),
    "TemporalDifference": (
        lambda **given: api.TemporalDifference(**given),
        {"actions": WHOLE, "learning_rate": NUMBERS, "exploration": NUMBERS},
    ),
    "Space": (
        lambda **given: api.Space(**{"dimensions": 2, "least": 0.0, "most": 1.0} | given),
        {"dimensions": WHOLE, "least": NUMBERS, "most": NUMBERS},
    ),
    "compare": (
        lambda **given: api.compare(**{"rules": "nes", "agents": ("lee", "lee"), "games": 2, "max_pieces": 2} | given),
        {"agents": tuple((name, "lee") for name in NAMES), "games": (-1, 0, 1.5, "x", None, 10**30)},
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_hostile_value_is_refused_or_harmless(name: str) -> None:
    """`feed` allows only a BlockfallError of one short line, within a second."""
    call, hostile = CALLS[name]
    for key, values in hostile.items():
        for value in values:
            try:
                feed(lambda _, key=key, value=value: call(**{key: value}), b"")  # type: ignore[misc]
            except Exception as error:
                pytest.fail(f"{name}({key}={value!r}) gave {error!r}")


def test_a_missing_gpu_is_refused_in_one_line() -> None:
    try:
        import cupy

        pytest.skip(f"there is CuPy {cupy.__version__}")
    except ImportError:
        pass
    with pytest.raises(BlockfallError) as caught:
        blockfall.evaluate("nes", "lee", 2, backend="cuda")
    assert "\n" not in str(caught.value)


def test_a_part_keeps_its_object_alive() -> None:
    game = blockfall.Game("nes", seed=1)
    words = game.board.columns
    mask = blockfall.Games("nes", 3).mask()
    known = blockfall.Games("nes", 3).known
    network = blockfall.BoardNetwork.zeros(columns=4, rows=6, channels=4, kernel=3, blocks=1, hidden=4, outputs=1)
    agent = blockfall.Agent("mine", network).core
    del game, network
    for _ in range(3):
        np.zeros(10**6)
    assert not words.any()
    assert mask.shape[0] == len(known) == 3
    assert agent.image()


def test_threads_share_objects() -> None:
    games = blockfall.Games("nes-no-rotation", 8, seed=1)
    agent, rules = blockfall.agent("birken-6"), blockfall.rules("nes-no-rotation")
    expected = blockfall.evaluate(rules, agent, 4, seed=1).lines.tolist()
    faults: list[BaseException] = []

    def play() -> None:
        try:
            for _ in range(20):
                games.step(np.zeros(8, np.int64))
                games.observe("both")
                assert blockfall.evaluate(rules, agent, 4, seed=1, backend="local:2").lines.tolist() == expected
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=play) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert faults == []


def test_a_wrong_seed_says_what_it_must_be() -> None:
    with pytest.raises(SettingError, match="it must be a whole number, or one for each game"):
        blockfall.Games("nes", 2, seed="x")  # type: ignore[arg-type]
