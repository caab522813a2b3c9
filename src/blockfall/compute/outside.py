"""The games of agents outside the core: a user's function over boards, or a bot in another program."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import count

import numpy as np

from blockfall.agents import Outside
from blockfall.compute.evaluation import Evaluation, GameCounts, InterruptedPlay, PlayProgress
from blockfall.compute.request import Request
from blockfall.errors import BotError
from blockfall.games.many import Games
from blockfall.games.outside import conversation, end_conversations, first_of_largest
from blockfall.games.tetris import Game, Termination

_SEATS = 1024
"""The games that a function sees at once: enough boards to make a Python call cheap."""
_POLL_SECONDS = 0.2


def play(request: Request, threads: int, progress: PlayProgress | None = None) -> Evaluation:
    """Play the games. A function values the boards of many games at once; a bot plays one game in each thread."""
    started = time.perf_counter()
    found = _Found(request.games)
    try:
        value = request.agent.value.outside
        assert value, "the core plays the rest"
        if value.suggests_moves:
            _play_program(request, value, min(threads, request.games), found, progress)
        else:
            _play_function(request, value, found, progress)
    except KeyboardInterrupt:
        played = found.evaluation(time.perf_counter() - started)
        raise InterruptedPlay(played.summary_of_ended()) from None
    return found.evaluation(time.perf_counter() - started)


class _Found:
    """The results of the games so far, by their place in the request."""

    def __init__(self, games: int) -> None:
        self.lines, self.pieces, self.placements, self.score = (np.zeros(games, np.int64) for _ in range(4))
        self.clears = np.zeros((games, 4), np.int64)
        self.termination = np.zeros(games, np.uint8)
        self.attack: GameCounts | None = None

    def evaluation(self, seconds: float) -> Evaluation:
        return Evaluation(**vars(self), seconds=seconds)


def _play_function(request: Request, value: Outside, found: _Found, progress: PlayProgress | None) -> None:
    seats = min(request.games, _SEATS)
    games = Games(
        request.rules,
        seats,
        request.seed,
        pieces_known=1,
        purpose=request.purpose,
        max_pieces=request.max_pieces,
        numbers=range(request.first_game, request.first_game + request.games),
    )
    done, placed = 0, 0
    running = games.outcomes["termination"] == Termination.RUNNING
    valued = np.zeros(seats, np.int64)

    def keep(which: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> None:
        nonlocal done
        outcomes, places = games.outcomes, (games.numbers[which] - np.uint64(request.first_game)).astype(np.int64)
        for name, array in outcomes.items():
            getattr(found, name)[places] = array[which]
        found.placements[places] = valued[which]
        valued[which] = 0
        done += len(places)

    keep(~running)
    while done < request.games:
        after = games.afterstates()
        actions = np.full(seats, -1, np.int64)
        if len(after.action):
            values = value.values(after.cells, after.lines)
            chosen = first_of_largest(values, after.lost, after.game)
            actions[after.game[chosen]] = after.action[chosen]
            valued += np.bincount(after.game, minlength=seats)
            placed += len(chosen)
        stepped = games.step(actions)
        over = stepped.over & (running | stepped.started)
        running = ~stepped.over
        if over.any():
            keep(over)
        if progress:
            progress(done, placed)


def _play_program(
    request: Request, program: Outside, threads: int, found: _Found, progress: PlayProgress | None
) -> None:
    if request.rules.file.attack:
        found.attack = np.zeros(request.games, np.int64)
    numbers, stop = count(), threading.Event()
    pieces_done = [0] * threads
    games_done = [0] * threads

    def work(thread: int) -> None:
        try:
            conversation(program, request.rules)  # a program that never starts is the user's mistake
            for place in _below(numbers, request.games):
                if stop.is_set():
                    return
                for _ in _pieces_of_game(request, place, found, stop):
                    pieces_done[thread] += 1
                games_done[thread] += 1
        except BaseException:
            stop.set()
            raise
        finally:
            end_conversations(threading.get_ident())

    with ThreadPoolExecutor(threads) as pool:
        try:
            waiting = {pool.submit(work, thread) for thread in range(threads)}
            while waiting:
                ended, waiting = wait(waiting, _POLL_SECONDS)
                for one in ended:
                    one.result()
                if progress:
                    progress(sum(games_done), sum(pieces_done))
        except BaseException:
            stop.set()
            raise


def _below(numbers: "count[int]", end: int) -> Iterator[int]:
    while (number := next(numbers)) < end:
        yield number


def _pieces_of_game(request: Request, place: int, found: _Found, stop: threading.Event) -> Iterator[None]:
    """Play a game, and yield after each piece."""
    shown = request.rules.file.play.previews + 1
    game = Game(request.rules, request.seed, request.first_game + place, shown, request.purpose)
    while not game.over and game.outcome.pieces != request.max_pieces and not stop.is_set():
        found.placements[place] += len(game.placements())
        try:
            game.play(game.choose(request.agent))
        except BotError:
            game.forfeit()
        yield
    outcome = game.outcome
    if stop.is_set() and not game.over:
        found.termination[place] = Termination.INTERRUPTED
        return
    capped = outcome.termination == Termination.RUNNING
    found.lines[place], found.pieces[place], found.score[place] = outcome.lines, outcome.pieces, outcome.score
    found.clears[place] = outcome.clears
    if found.attack is not None:
        found.attack[place] = outcome.attack
    found.termination[place] = Termination.PIECE_LIMIT if capped else outcome.termination
