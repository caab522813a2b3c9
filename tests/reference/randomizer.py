"""Philox4x32-10 and the generators, in Python's whole numbers."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from blockfall.rulesets import PIECES, Rules

WORD = 0xFFFFFFFF


def philox(counter: list[int], key: list[int]) -> list[int]:
    """Compute Philox4x32-10: ten rounds (Salmon et al. 2011)."""
    c, k = list(counter), list(key)
    for turn in range(10):
        if turn:
            k = [(k[0] + 0x9E3779B9) & WORD, (k[1] + 0xBB67AE85) & WORD]
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & WORD, (a >> 32) ^ c[3] ^ k[1], a & WORD]
    return c


def words(seed: int, game: int, purpose: int = 0) -> Iterator[int]:
    block = 0
    while True:
        counter = [block & WORD, purpose + ((block >> 32) << 16), game & WORD, game >> 32]
        yield from philox(counter, [seed & WORD, seed >> 32])
        block += 1


def pieces(rules: Rules, seed: int, game: int, purpose: int = 0) -> Iterator[str]:
    draw = words(seed, game, purpose)

    def below(n: int) -> int:
        return next(draw) * n >> 32

    name = rules.file.generator.name
    if name == "uniform":
        drawn = rules.file.generator.only or PIECES
        while True:
            yield drawn[below(len(drawn))]
    elif name == "nes":
        yield from _nes(draw)
    elif name == "nes-lfsr":
        yield from _nes_lfsr(below(32767), rules.file.generator.frames_per_piece)
    elif name == "7-bag":
        while True:
            bag = list(PIECES)
            for i in range(6, 0, -1):
                j = below(i + 1)
                bag[i], bag[j] = bag[j], bag[i]
            yield from bag
    elif name in ("tgm1", "tgm2"):
        history = list("ZZZZ" if name == "tgm1" else "ZSSZ")
        piece = "ITJL"[below(4)]
        while True:
            yield piece
            history = [piece, *history[:3]]
            for _ in range(4 if name == "tgm1" else 6):
                piece = PIECES[below(7)]
                if piece not in history:
                    break
    elif name == "tgm3":
        pool = list(PIECES * 5)
        seen: list[str] = []  # oldest first
        while True:
            place = below(35)
            piece = pool[place]
            yield piece
            seen = [other for other in seen if other != piece] + [piece]
            never = [other for other in PIECES if other not in seen]
            pool[place] = (never or seen)[0]
    elif name == "tgm3-real":
        yield from _tgm3_real(below)
    elif name == "snake":
        while True:
            yield "S"
            yield "Z"
    else:
        yield from "".join(rules.file.generator.pieces.split()).upper()


def law(rules: Rules, dealt: Sequence[str]) -> dict[str, np.float32]:
    """Return the probability of each piece after these, which are all of the game's pieces so far.

    Probabilities are binary32, because values are multiplied by them: quotients and sums in the order written here.
    """
    name = rules.file.generator.name
    one, seven = np.float32(1), np.float32(7)
    if name in ("nes", "nes-lfsr") and dealt:
        return {piece: np.float32(NES_LAW[dealt[-1]][NES_ORDER.index(piece)] / 64) for piece in PIECES}
    if name == "7-bag":
        taken: set[str] = set()
        for piece in dealt:
            taken = {piece} if piece in taken else taken | {piece}
        left = [piece for piece in PIECES if piece not in taken] or list(PIECES)
        return {piece: one / np.float32(len(left)) if piece in left else np.float32(0) for piece in PIECES}
    if name in ("tgm1", "tgm2"):
        recent = {*[*reversed("ZZZZ" if name == "tgm1" else "ZSSZ"), *dealt][-4:]}
        tries = 4 if name == "tgm1" else 6
        all_failed = [one]  # the chance that all tries so far gave pieces of the history
        for _ in range(tries - 1):
            all_failed.append(all_failed[-1] * (np.float32(len(recent)) / seven))
        fresh = np.float32(0)
        for failed in all_failed:
            fresh += failed / seven
        return {piece: all_failed[-1] / seven if piece in recent else fresh for piece in PIECES}
    if name == "tgm3":
        pool, seen = Counter(PIECES * 5), list[str]()  # seen has the oldest first
        for piece in dealt:
            seen = [other for other in seen if other != piece] + [piece]
            never = [other for other in PIECES if other not in seen]
            pool[piece] -= 1
            pool[(never or seen)[0]] += 1
        shares = {piece: np.float32(0) for piece in PIECES}
        for piece in pool.elements():
            shares[piece] += one / np.float32(35)
        return shares
    if name == "tgm3-real" and dealt:
        return _law_of_rolls(*tgm3_real_state(dealt))
    if name == "snake":
        return {piece: np.float32(piece == "SZ"[len(dealt) % 2]) for piece in PIECES}
    drawn = rules.file.generator.only or PIECES
    return {piece: one / np.float32(len(drawn)) if piece in drawn else np.float32(0) for piece in PIECES}


def _tgm3_real(below: Callable[[int], int]) -> Iterator[str]:
    """S. Laroche, "The history of Tetris randomizers" (data2021, [13]): a pool of 35 with 6 rolls."""
    pool, order = list(PIECES * 5), list[str]()  # order has the longest unseen first
    first = "ITJL"[below(4)]
    history = ["S", "Z", "S", first]  # newest last
    yield first
    while True:
        for roll in range(6):
            place = below(35)
            piece = pool[place]
            if piece not in history or roll == 5:
                break
            if order:
                pool[place] = order[0]
        order = [other for other in order if other != piece] + [piece]
        pool[place] = order[0]
        history = [*history[1:], piece]
        yield piece


def tgm3_real_state(dealt: Sequence[str]) -> tuple[Counter[str], set[str], str | None]:
    """Return the pool, the history, and the longest unseen piece, as if every first roll had counted."""
    pool, order = Counter(PIECES * 5), list[str]()
    for piece in dealt[1:]:
        order = [other for other in order if other != piece] + [piece]
        if pool[piece]:
            pool[piece] -= 1
            pool[order[0]] += 1
    return pool, set([*"ZSZS", *dealt][-4:]), order[0] if order else None


def _law_of_rolls(pool: Counter[str], history: set[str], rarest: str | None) -> dict[str, np.float32]:
    """Return the law of six rolls. tests/core/test_randomizer.py compares it with a tree of all rolls."""
    number = np.float32
    recent = sum(pool[piece] for piece in history)
    freshens = rarest is not None and rarest not in history
    reached, shares = number(1), {piece: number(0) for piece in PIECES}
    for roll in range(6):
        left = recent - freshens * roll
        if left < 0:
            return shares
        if roll:
            reached = reached * (number(left + freshens) / number(35))
        for piece in PIECES:
            if piece not in history:
                shares[piece] += reached * (number(pool[piece] + (roll if piece == rarest else 0)) / number(35))
    last = recent - freshens * 5
    if last <= 0:
        return shares
    stays = number(last) / number(recent) if freshens else number(1)
    moves = rarest in history
    if moves:
        for _ in range(5):
            stays = stays * (number(recent - 1) / number(recent))
    for piece in history:
        shares[piece] = reached * (stays * number(pool[piece]) / number(35))
    if rarest is not None and moves:
        shares[rarest] += reached * ((number(1) - stays) * number(recent) / number(35))
    return shares


NES_ORDER = "TJZOSLI"
NES_LAW = {  # in 64ths, in the console's order; a test compares it with nes_rng.json
    "T": (2, 10, 12, 10, 10, 10, 10),
    "J": (12, 2, 10, 10, 10, 10, 10),
    "Z": (10, 12, 2, 10, 10, 10, 10),
    "O": (10, 10, 10, 4, 10, 10, 10),
    "S": (10, 10, 10, 10, 4, 10, 10),
    "L": (12, 10, 10, 10, 10, 2, 10),
    "I": (10, 10, 10, 10, 12, 10, 2),
}


def _nes(draw: Iterator[int]) -> Iterator[str]:
    previous = PIECES[next(draw) * 7 >> 32]
    while True:
        yield previous
        point = next(draw) >> 26
        for piece in PIECES:
            share = NES_LAW[previous][NES_ORDER.index(piece)]
            if point < share:
                previous = piece
                break
            point -= share


def _nes_lfsr(idle: int, frames_per_piece: int) -> Iterator[str]:
    orientation = {"T": 2, "J": 7, "Z": 8, "O": 10, "S": 11, "L": 14, "I": 18}

    def step(value: int) -> int:
        return value >> 1 | ((value >> 1 ^ value >> 9) & 1) << 15

    register, spawns, previous = 0x8988, 0, None
    for _ in range(idle):
        register = step(register)
    while True:
        for _ in range(frames_per_piece):
            register = step(register)
        spawns += 1
        i = (register >> 8) + spawns & 7
        if i == 7 or NES_ORDER[i] == previous:
            register = step(register)
            i = ((register >> 8 & 7) + (orientation[previous] if previous else 0)) % 7
        previous = NES_ORDER[i]
        yield previous
