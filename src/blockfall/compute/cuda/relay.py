"""Few long games on a GPU: each is cut into parts, which are played at the same time and joined where they meet.

A good player forgets: from two different boards, the same pieces lead it to the same board, after some ten thousand
pieces on 10x20. So the parts of a game are played at once, each from an empty board with the game's pieces from there
on. A part continues past its end until its board equals the one that the next part had at the same piece. From there on
both place every piece alike, so the game continues with the next part. The joined parts are the game itself, to the
last count; nothing is estimated. If a part ends too early, or does not meet the next one, the game continues from there
in the next round.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall.compute.cuda.device import Device, sources_digest
from blockfall.compute.cuda.seating import COUNTS, Counts, Seating, evaluation, value_policy
from blockfall.compute.evaluation import Evaluation
from blockfall.compute.request import Population, Request
from blockfall.errors import SettingError
from blockfall.games.tetris import Termination

SEATS = 2**17
"""The parts played at once, enough to fill a GPU."""
MOST_PARTS = 2**12
"""The most parts of a game."""
STEP = 20_000
"""The pieces between two looks at the boards."""
STEPS = 20
"""The steps of a part. It then looks for the next part for as many: ten times what two boards of 10x20 need to meet."""
_FEW = 20
"""The round ends once fewer than one in this many games has a part that still looks for the next one."""
_ENOUGH = 3
"""The length of a game's parts together, in average games: 19 of 20 games end within it."""

_PIECES, _TERMINATION = 1, COUNTS - 1  # rows of counts
_RUNNING = Termination.RUNNING.value

Mask = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.uint8]
State = dict[str, npt.NDArray[Any]]
"""Games kept between two rounds: arrays of whole numbers by name."""


def check_relay(request: Request) -> None:
    """Raise a SettingError for a request whose games cannot be cut into parts."""
    rules, agent = request.rules, request.agent
    value_policy(rules, agent)
    if rules.file.generator.name != "uniform":
        raise SettingError(f"the pieces of {rules.name} depend on earlier ones; only games of uniform pieces are cut")
    if request.looks_at_lines:
        raise SettingError(f"{rules.name} or {agent.name} depends on the lines so far; such games cannot be cut")
    if request.max_pieces or request.population or request.hold or request.tries:
        raise SettingError("games with a piece limit, a population, a hold queue or tries cannot be cut")


def can_relay(request: Request) -> bool:
    """Return whether the request's games can be cut into parts."""
    try:
        check_relay(request)
    except SettingError:
        return False
    return True


@dataclass(frozen=True)
class _Look:
    """All parts as they stand after the same number of pieces."""

    boards: npt.NDArray[np.uint32]
    counts: Counts
    running: Mask


class _Parts(Seating):
    """The seats of one round: the first parts of all games, then their second parts, and so on."""

    def seat(self, request: Request, number: Counts, piece: Counts, kept: Bytes | None) -> None:
        """Seat the parts of these numbers from these pieces on. The first ones continue the games that were kept."""
        self._prepare(request)
        self._seated = len(number)
        if kept is not None:
            self._seats[: len(kept)] = self._device.copy(kept)
            piece = np.where(np.arange(len(piece)) < len(kept), -1, piece)
        self._numbers, first_pieces = self._device.copy(number), self._device.copy(piece)
        self._program(self._ways[0]).run(
            *("seat_parts", self._seated, self._played, np.int64(self._seated)),
            *(self._numbers, first_pieces, self._seats, self._lists[0]),
        )

    def play(self, pieces: int) -> int:
        """Play this many pieces in every running part. Return the pieces of all parts since the beginning."""
        program = self._program(self._ways[0])
        self._play_listed(program, self._ways[0], pieces)
        program.run("look", 1, self._played, self._counts)
        self._seated, _over, placed, _begun = (int(count) for count in self._device.bring(self._counts))
        self._write_running()
        return placed

    def play_on(self, running: Mask) -> None:
        """Continue only these parts."""
        seats = np.flatnonzero(running).astype(np.int32)
        self._seated = len(seats)
        self._lists[0][: self._seated] = self._device.copy(seats)

    def running(self) -> Mask:
        """Return which parts are running."""
        mask = np.zeros(self._most_seats, dtype=bool)
        mask[self._device.bring(self._lists[0])[: self._seated]] = True
        return mask

    def boards(self) -> npt.NDArray[np.uint32]:
        """Return the boards, a word per column: a seat begins with its board."""
        words: Bytes = self._device.bring(self._seats[:, : 4 * self._request.rules.columns])
        return np.ascontiguousarray(words).view(np.uint32)

    def counts(self) -> Counts:
        """Return the rows of counts of all parts."""
        found: Counts = self._device.bring(self._outcomes.reshape(COUNTS, -1)[:, self._numbers])
        return found

    def games(self, seats: Counts) -> Bytes:
        """Return the games of these seats, to be kept."""
        found: Bytes = self._device.bring(self._seats[self._device.copy(seats)])
        return found


class Relay:
    """Games of one agent, each played in parts. Games kept between two rounds can continue in another process."""

    def __init__(
        self, device: Device, request: Request, seats: int = SEATS, step: int = STEP, steps: int = STEPS
    ) -> None:
        """Look at the boards every `step` pieces, or a few more; a part has `steps` such steps.

        Raise a SettingError for games that cannot be cut.
        """
        check_relay(request)
        columns = request.rules.columns
        self._device, self._request = device, request
        self._most, self._steps = seats, steps
        self._step = -(-step // columns) * columns  # otherwise two boards never have equally many cells
        self._counts = np.zeros((COUNTS, request.games), dtype=np.int64)
        self._counts[_TERMINATION] = _RUNNING
        self._kept: Bytes | None = None
        """The running games, after the first round."""
        self._pieces = 0
        self.rounds_played = 0

    @property
    def _running(self) -> Counts:
        return np.flatnonzero(self._counts[_TERMINATION] == _RUNNING)

    def rounds(self) -> Iterator[tuple[int, int]]:
        """Play until all games are over. Yield the finished games and all parts' pieces several times a round."""
        while len(games := self._running):
            for _ in self._play_round(games):
                yield self._request.games - len(games), self._pieces
            self.rounds_played += 1
            yield self._request.games - len(self._running), self._pieces

    def outcomes(self, seconds: float = 0.0) -> Evaluation:
        """Return the results at the end of the last round."""
        return evaluation(self._counts, seconds)

    def state(self) -> State:
        """Return all games as they stood at the end of the last round."""
        kept = np.zeros((0, 0), dtype=np.uint8) if self._kept is None else self._kept
        return {"counts": self._counts, "kept": kept, "digest": _digest(self._request, self._counts, kept)}

    def go_on(self, state: State) -> None:
        """Continue games from a `state`. Raise a SettingError if it is of another request."""
        if set(state) != {"counts", "kept", "digest"} or not np.array_equal(
            state["digest"], _digest(self._request, state["counts"], state["kept"])
        ):
            raise SettingError("these games are damaged, or belong to another request or version of Blockfall")
        self._counts, self._kept = state["counts"], state["kept"] if state["kept"].size else None

    def _parts_of(self, running: int) -> int:
        """Return the number of parts of each game while this many games are running.

        Games end by chance: however long a game already is, it is expected to last another average game.
        """
        over = self._request.games - running
        likely = self._counts[_PIECES].sum() / over if over else np.inf
        enough = _ENOUGH * likely / (self._steps * self._step)
        return int(np.clip(enough, 1, min(self._most // running or 1, MOST_PARTS)))

    def _play_round(self, games: Counts) -> Iterator[None]:
        """Play the next parts of these games, and join them."""
        parts = self._parts_of(len(games))
        own = np.array(self._request.agent.value.parameters, dtype=np.float32)
        request = replace(self._request, population=Population(np.tile(own, (parts, 1))))
        seating = _Parts(self._device, request, parts * len(games), parts * request.games, threads_per_game=1)
        part, game = np.repeat(np.arange(parts), len(games)), np.tile(games, parts)
        first_piece = self._counts[_PIECES, game] + part * (self._steps * self._step)
        seating.seat(request, part * request.games + game, first_piece, self._kept)
        looks: list[_Look] = []
        met, met_at = np.full(len(part), -1), np.zeros(len(part), dtype=np.int64)
        yield from self._play_parts(seating, part, len(games), looks, met, met_at)
        self._join(seating, games, looks, met, met_at)

    def _play_parts(
        self, seating: _Parts, part: Counts, games: int, looks: list[_Look], met: Counts, met_at: Counts
    ) -> Iterator[None]:
        """Play all parts until each has met the next one of its game: `met` is that part, `met_at` its look."""
        seating.play(0)
        steps, running, before = self._steps, seating.running(), 0
        looks.append(_Look(seating.boards(), seating.counts(), running))
        first_over = np.full(games, part[-1] + 1)  # the part in which each game most likely ends
        for step in range(1, 2 * steps):
            placed = seating.play(self._step)
            self._pieces, before = self._pieces + placed - before, placed
            now = seating.running()
            ended = np.flatnonzero(running & ~now)
            likely = ended if 2 * step >= steps else ended[part[ended] == 0]
            np.minimum.at(first_over, likely % games, part[likely])
            running = now & (part <= np.tile(first_over, part[-1] + 1))
            if step < steps:
                looks.append(_Look(seating.boards(), seating.counts(), running))
            else:
                running &= part < part[-1]
                seeking = np.flatnonzero(running) if step > steps else np.zeros(0, dtype=np.int64)
                look, nexts = looks[step - steps], seeking + games
                same = look.running[nexts] & (seating.boards()[seeking] == look.boards[nexts]).all(axis=1)
                met[seeking[same]], met_at[seeking[same]] = nexts[same], step - steps
                running[seeking[same]] = False
                if running.sum() * _FEW < games:
                    break
            seating.play_on(running)
            yield

    def _join(self, seating: _Parts, games: Counts, looks: list[_Look], met: Counts, met_at: Counts) -> None:
        """Add up the counts of each game: in each of its parts, from where it entered to where it left."""
        counted = seating.counts()
        part = np.arange(len(games))  # the part that each game has reached
        added = counted[:, part] - looks[0].counts[:, part]
        while len(on := np.flatnonzero(met[part] >= 0)):
            came, part[on] = met_at[part[on]], met[part[on]]
            for game, look in zip(on, came, strict=True):
                added[:, game] += counted[:, part[game]] - looks[look].counts[:, part[game]]
        self._counts[:, games] += added
        self._counts[_TERMINATION, games] = counted[_TERMINATION, part]
        self._kept = seating.games(part[counted[_TERMINATION, part] == _RUNNING])


def _digest(request: Request, *kept: npt.NDArray[Any]) -> Bytes:
    """Return a digest of a request, the programs that play it, and its games."""
    numbers = (request.games, request.seed, int(request.purpose), request.first_game)
    weights = np.array(request.agent.value.parameters, dtype=np.float32)
    found = hashlib.sha256(f"{sources_digest()} {numbers} {weights.tolist()}".encode())
    for image in (request.rules.core.image(), request.agent.core.image()):
        found.update(hashlib.sha256(image).digest())
    for array in kept:
        found.update(f"{array.shape} {array.dtype.str}".encode() + np.ascontiguousarray(array).tobytes())
    return np.frombuffer(found.digest(), dtype=np.uint8)
