"""Functions that play games: a thin layer over a request and a backend."""

from pathlib import Path

import numpy.typing as npt

from blockfall.agents import AgentLike
from blockfall.agents import agent as find_agent
from blockfall.compute.backends import Backend, Summarising
from blockfall.compute.backends import backend as find_backend
from blockfall.compute.evaluation import Evaluation, InterruptedPlay, PlayProgress
from blockfall.compute.request import GAMES, Population, Request
from blockfall.compute.summary import Summary
from blockfall.games.streams import Purpose
from blockfall.rulesets import Rules
from blockfall.rulesets import rules as find_rules

SLICE_GAMES = 1 << 16
"""The games held at once when only their summary is wanted and the backend does not cut by itself."""


def evaluate(
    rules: Rules | str | Path,
    agent: AgentLike,
    games: int = GAMES,
    seed: int = 1,
    *,
    first_game: int = 0,
    max_pieces: int | None = None,
    tries: int | None = None,
    purpose: Purpose = Purpose.TEST,
    hold: bool = False,
    backend: Backend | str | None = None,
    progress: PlayProgress | None = None,
) -> Evaluation:
    """Play games to their end. The result does not depend on the backend.

    With `hold`, the agent uses the hold queue, which the rules must have. With `tries`, the length of each game is
    estimated by this many tries on each row instead of playing the game to its end (docs/concepts.md).

    >>> evaluate(rules="nes-no-rotation", agent="birken-6", games=5, seed=1).lines.shape
    (5,)
    """
    request = Request(
        find_rules(rules), find_agent(agent), games, seed, purpose, first_game, max_pieces, hold=hold, tries=tries
    )
    return find_backend(backend).play(request, progress)


def evaluate_population(
    rules: Rules | str | Path,
    agent: AgentLike,
    population: npt.ArrayLike,
    games: int,
    seed: int,
    *,
    first_game: int = 0,
    max_pieces: int | None = None,
    tries: int | None = None,
    purpose: Purpose = Purpose.TRAINING,
    backend: Backend | str | None = None,
    progress: PlayProgress | None = None,
) -> Evaluation:
    """Play the same games with each row of numbers instead of the agent's own.

    The first axis of every array in the result is the candidates, the second their games.

    >>> weights = [[-1.0] * 6, [-0.5] * 6, [1.0] * 6]
    >>> played = evaluate_population(rules="nes-no-rotation", agent="birken-6", population=weights, games=5, seed=1)
    >>> played.lines.shape
    (3, 5)
    """
    request = Request(
        find_rules(rules),
        find_agent(agent),
        games,
        seed,
        purpose,
        first_game,
        max_pieces,
        Population(population),
        tries=tries,
    )
    return find_backend(backend).play(request, progress)


def summarise(
    request: Request,
    backend: Backend | str | None = None,
    progress: PlayProgress | None = None,
    slice_games: int = SLICE_GAMES,
) -> Summary:
    """Play a request of any length, a slice at a time, and keep only the figures.

    A backend that knows better how much it can hold, such as a GPU or a cluster, cuts the request itself. `progress`
    gets totals over all slices. An interrupt raises `InterruptedPlay` with the figures of the games that had ended.
    """
    player = find_backend(backend)
    if isinstance(player, Summarising):
        return player.summarise(request, progress)
    total: Summary | None = None
    for part in request.slices(slice_games):
        games_before, pieces_before = (total.games, total.pieces) if total else (0, 0)

        def report(done: int, pieces: int, games: int = games_before, before: int = pieces_before) -> None:
            if progress:
                progress(games + done, before + pieces)

        try:
            found = player.play(part, report).summary()
        except InterruptedPlay as stopped:
            if total is None:
                raise
            raise InterruptedPlay(total + stopped.finished if stopped.finished else total) from None
        total = total + found if total else found
    assert total  # a request has at least one game
    return total
