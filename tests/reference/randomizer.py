"""Philox4x32-10 and the generators, in Python's whole numbers."""

from collections.abc import Iterator

from blockfall.rulesets import PIECES, Rules

WORD = 0xFFFFFFFF


def philox(counter: list[int], key: list[int]) -> list[int]:
    """Salmon et al. 2011, ten rounds."""
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
        while True:
            yield PIECES[below(7)]
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
    elif name == "snake":
        while True:
            yield "S"
            yield "Z"
    else:
        yield from "".join(rules.file.generator.pieces.split()).upper()


NES_ORDER = "TJZOSLI"
NES_LAW = {  # 64ths, in the console's order; reference: nes_rng.json, which a test compares
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
