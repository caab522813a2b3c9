"""Board networks in whole numbers: values from the bytes of a file, and a plain player of one to three plies.

Nothing is shared between boards here, and sums are NumPy's 64-bit numbers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall.agents import Agent, BoardNetwork
from blockfall.rulesets import PIECES, Rules
from tests.reference.game import ReferenceGame, lock, sequences
from tests.reference.placements import Spot, cells_of, placements, shifted
from tests.reference.randomizer import law
from tests.reference.rules import Cells, piece_of

Whole = npt.NDArray[np.int64]


@dataclass
class Reader:
    content: bytes
    at: int = 0

    def next(self, kind: str, *shape: int) -> Whole:
        count = int(np.prod(shape))
        found = np.frombuffer(self.content, kind, count, self.at)
        self.at += found.nbytes
        return found.reshape(shape).astype(np.int64)


def cut(numbers: Whole) -> Whole:
    return np.clip(numbers, -32768, 32767)


def times_factor(numbers: Whole, factor: Whole) -> Whole:
    return np.asarray((numbers * factor + 2**14) >> 15)


def steps(x: Whole) -> Whole:
    return np.asarray(np.minimum(cut(x + 32) >> 6, 127))


def sums(inputs: Whole, weight: Whole, bias: Whole, shift: Whole) -> Whole:
    """Return the sums of inputs [..., i] times weights [output, i]."""
    return cut(np.asarray((inputs @ weight.T + bias) >> shift))


def convolution(x: Whole, weight: Whole, bias: Whole, shift: Whole) -> Whole:
    """Convolve x [board, row, channel] with weights [output, tap, input], where taps are rows from below to above."""
    taps = weight.shape[1]
    padded = np.pad(x, ((0, 0), (taps // 2, taps // 2), (0, 0)))
    windows = np.concatenate([padded[:, tap : tap + x.shape[1]] for tap in range(taps)], axis=2)
    return sums(windows, weight.reshape(len(weight), -1), bias, shift)


def values(network: BoardNetwork, boards: Sequence[Sequence[int]]) -> tuple[Whole, int]:
    """Return the values of boards, given as a number per column, and the number of bits after the point."""
    own, bits = outputs(network, boards)
    if not network.mirror:
        return own, bits
    other, _ = outputs(network, [list(reversed(board)) for board in boards])
    if network.outputs > 1:
        other = other[:, ["IOTSZJL".index(piece) for piece in "IOTZSLJ"]]
    return np.asarray((own + other) // 2), bits


def outputs(network: BoardNetwork, boards: Sequence[Sequence[int]]) -> tuple[Whole, int]:
    """Return what the network computes for boards, without mirror images."""
    read = Reader(network.weights)
    d, rows = network.channels, network.rows
    (bits,) = read.next("<i4", 1).tolist()
    table, position = read.next("<i2", 2**network.columns, d), read.next("<i2", rows, d)
    words = [
        [sum((column >> row & 1) << i for i, column in enumerate(board)) for row in range(rows)] for board in boards
    ]
    x = np.maximum(cut(table[np.array(words)] + position), 0)
    for _ in range(network.blocks):
        first = [read.next("i1", d, network.kernel, d), read.next("<i4", d), read.next("<i4", d)]
        y = np.minimum(np.maximum(times_factor(convolution(steps(x), *first), read.next("<i2", d)), 0), 127)
        second = [read.next("i1", d, network.kernel, d), read.next("<i4", d), read.next("<i4", d)]
        x = np.maximum(cut(x + times_factor(convolution(y, *second), read.next("<i2", d))), 0)
    h = network.hidden
    hidden = [read.next("i1", h, rows * d), read.next("<i4", h), read.next("<i4", h)]
    flat = np.minimum(x, 128 * 64 - 1).reshape(len(x), rows * d)
    parts = np.asarray(
        (flat % 64 @ hidden[0].T >> 6) + flat // 64 @ hidden[0].T, np.int64
    )  # in 64ths of a step, and in whole steps
    z = np.maximum(cut((parts + hidden[1]) >> hidden[2]), 0)
    weight, bias = read.next("<i2", network.outputs, h), read.next("<i4", network.outputs)
    assert read.at == len(network.weights)
    return z @ weight.T + bias, bits


def random_parameters(
    seed: int, *, columns: int, rows: int, channels: int, kernel: int, blocks: int, hidden: int, outputs: int
) -> dict[str, npt.NDArray[np.float32]]:
    """Return parameters as at the start of a training: He's scale, and 0.2 of it for second convolutions."""
    draw = np.random.default_rng(seed)
    cells = np.arange(2**columns)[:, None] >> np.arange(columns) & 1

    def normal(scale: float, *shape: int) -> Any:
        return (scale * draw.standard_normal(shape)).astype(np.float32)

    found = {
        "table": (cells @ normal(0.5, columns, channels) + normal(0.3, 2**columns, channels)).astype(np.float32),
        "position": normal(0.3, rows, channels),
    }
    he = (2 / (channels * kernel)) ** 0.5
    for block in range(blocks):
        for which, scale in (("first", he), ("second", 0.2 * he)):
            found[f"blocks.{block}.{which}.weight"] = normal(scale, channels, channels, kernel)
            found[f"blocks.{block}.{which}.bias"] = normal(0.1, channels)
    found["hidden.weight"] = normal((2 / (rows * channels)) ** 0.5, hidden, rows * channels)
    found["hidden.bias"] = normal(0.1, hidden)
    found["output.weight"] = normal((2 / hidden) ** 0.5, outputs, hidden)
    found["output.bias"] = normal(0.1, outputs)
    return found


@dataclass
class Player:
    """A player that chooses as the core does: values are whole numbers, and so are means, rounded to the nearest."""

    rules: Rules
    agent: Agent
    valued: int = 0
    """The number of placements whose boards were valued, losing ones included."""

    def __post_init__(self) -> None:
        assert isinstance(self.agent.value, BoardNetwork)
        self.network = self.agent.value
        self.knows_next = self.network.outputs > 1
        self.bits = values(self.network, [[0] * self.rules.columns])[1]

    def choose(self, game: ReferenceGame) -> Spot:
        piece, following = game.known[0], game.known[1] if self.knows_next else None
        assert piece
        best, best_value = None, 0
        for spot, value in self.worth(game.board, piece, following, game.lines, game.dealt, self.agent.plies).items():
            if best is None or value > best_value:
                best, best_value = spot, value
        if best is None:  # every placement loses, but one may survive the first of two pieces
            every = sequences(self.rules, game.board, [p for p in game.known if p], game.lines, [])
            longest = max(sequence.lives for sequence in every)
            best = next(sequence.first for sequence in every if sequence.lives == longest)
        return best

    def worth(
        self, board: Cells, piece: str, following: str | None, lines: int, dealt: list[str], plies: int
    ) -> dict[Spot, int]:
        """Return the lines and the value of every placement that does not lose, looking this number of plies ahead."""
        after = list(self.after(board, piece, lines))
        self.valued += (plies == 1) * len(placements(self.rules, board, piece, lines))
        if plies == 1:
            found = self.values([left for _, left, _ in after])
            further = [self.with_piece(left, following, row) for (_, left, _), row in zip(after, found, strict=True)]
        else:
            further = [self.mean(left, following, lines + gone, dealt, plies - 1) for _, left, gone in after]
        return {spot: (gone << self.bits) + more for (spot, _, gone), more in zip(after, further, strict=True)}

    def after(self, board: Cells, piece: str, lines: int) -> Iterator[tuple[Spot, Cells, int]]:
        for spot in placements(self.rules, board, piece, lines):
            locked = lock(self.rules, board, cells_of(self.rules, piece, spot))
            if not locked.loss:
                yield spot, locked.after, locked.lines

    def values(self, boards: list[Cells]) -> list[list[int]]:
        columns = [[sum(1 << y for a, y in board if a == x) for x in range(self.rules.columns)] for board in boards]
        return values(self.network, columns)[0].tolist() if boards else []

    def with_piece(self, board: Cells, piece: str | None, row: list[int]) -> int:
        if not self.knows_next:
            return row[0]
        return row[PIECES.index(piece)] if piece and self.can_appear(board, piece) else 0

    def can_appear(self, board: Cells, letter: str) -> bool:
        piece = piece_of(self.rules, letter)
        return not (self.rules.file.game_over.block_out and shifted(piece.states[0], *piece.spawn) & board)

    def mean(self, board: Cells, piece: str | None, lines: int, dealt: list[str], plies: int) -> int:
        """Return the mean over this number of further plies. The piece in hand is known or is the one averaged over."""
        if self.knows_next and (piece is None or not self.can_appear(board, piece)):
            return 0
        total, shares, before = 0, 0, self.valued
        for letter, chance in law(self.rules, dealt).items():
            share = int(chance * np.float32(2**24))
            if not share:
                continue
            shares += share
            placed, following = (piece, letter) if self.knows_next else (letter, None)
            assert placed
            if self.can_appear(board, placed):
                found = self.worth(board, placed, following, lines, [*dealt, letter], plies)
                total += share * max(found.values(), default=0)
        if self.knows_next and plies == 1 and piece:  # the core values each of these boards once for all pieces
            self.valued = before + len(placements(self.rules, board, piece, lines))
        return (2 * total + shares) // (2 * shares)
