"""The choice of the instruction set for a request: the faster one by a measurement of a few milliseconds.

The widest instruction set is not always the fastest: sixteen lanes stay half empty if a piece has nine placements, and
some processors lower their clock for them. All play the same games, so only the speed depends on the choice.
"""

import os
import time
from math import prod

from blockfall import _core
from blockfall.agents import Agent
from blockfall.compute.request import Request
from blockfall.games.streams import Purpose
from blockfall.rulesets import Rules
from blockfall.simd import VARIABLE, simd_levels

MANY_GAMES = 200
"""Requests of fewer games are too short for a measurement to pay."""

_ENOUGH_SECONDS = 0.001
"""The least time of a timed run, so that starting a thread counts little."""
_ROUNDS = 3
_GAMES = 2
_MOST_PIECES = 2**14

_measured: dict[tuple[object, ...], str] = {}
"""The faster instruction set, by the kind of work."""


def fastest_simd(request: Request) -> str | None:
    """Return the instruction set for this request; None to use the process's own.

    It is None for few games, if BLOCKFALL_SIMD names one, and if a measurement would not help: agents that look ahead
    by plies are fastest in the widest one, and a user's own features take nearly all the time.
    """
    agent = request.agent
    candidates = simd_levels()[1:]  # one lane never wins
    if len(candidates) < 2 or os.environ.get(VARIABLE) or prod(request.shape) < MANY_GAMES:
        return None
    if "plies" in agent.value.options or any(feature.custom for feature in agent.features):
        return None
    kind = (request.rules, type(agent.value), agent.value.features, agent.pieces_known, agent.look_ahead)
    if kind not in _measured:
        _measured[kind] = _fastest(request.rules, agent, candidates)
    return _measured[kind]


def _fastest(rules: Rules, agent: Agent, candidates: list[str]) -> str:
    """Time the instruction sets in turn. The best time of each counts, because a busy machine lengthens the others."""
    pieces = 4
    while _seconds(rules, agent, pieces, candidates[-1]) < _ENOUGH_SECONDS and pieces < _MOST_PIECES:
        pieces *= 2
    best = dict.fromkeys(candidates, float("inf"))
    for _ in range(_ROUNDS):
        for level in candidates:
            best[level] = min(best[level], _seconds(rules, agent, pieces, level))
    return min(best, key=lambda level: best[level])


def _seconds(rules: Rules, agent: Agent, pieces: int, level: str) -> float:
    """Return the time of a few games of this many pieces."""
    started = time.perf_counter()
    _core.play_games(
        rules=rules.core,
        agent=agent.core,
        seed=0,
        first_game=0,
        games=_GAMES,
        max_pieces=pieces,
        threads=1,
        purpose=_core.Purpose(Purpose.TRAINING),
        weights=None,
        progress=_nothing,
        simd=level,
    )
    return time.perf_counter() - started


def _nothing(_games: int, _pieces: int) -> None:
    pass
