"""Mutations of well-formed inputs: of bytes, tokens, numbers and lengths, and with parts of others."""

import os
from collections.abc import Iterator
from random import Random

SEED = int(os.environ.get("BLOCKFALL_FUZZ_SEED", "1"))
"""The seed of all random inputs: `make check-long FUZZ_SEED=2` tries others."""

_TOKENS = [
    *(b"0 -1 1e308 1e999 -0.0 nan inf 9223372036854775807 9223372036854775808 -2147483649 4294967296 0x7f 1_0".split()),
    *(b"true null [] {} [[ ]] {{ }} = : , . \" ' # \\u0000 \\ud800 v115@ AgH".split()),
    *(b"\x00", b"\x1b[2J", b"\xff", b"\xef\xbb\xbf", b"\r\n", b"\n"),
    b"9" * 5000,
    b"[" * 2000,
    b'{"a":' * 500,
    "\N{SUPERSCRIPT TWO}\N{ARABIC-INDIC DIGIT THREE}\N{LATIN SMALL LETTER DOTLESS I}\u202e".encode(),
]


def mutated(seeds: list[bytes], chance: Random) -> bytes:
    """Return one of the inputs with one to four changes."""
    data = bytearray(chance.choice(seeds))
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(data))
        length = min(len(data) - at, chance.choice((1, 1, 2, 8, 64)))
        match chance.randrange(7):
            case 0 if data:
                data[at % len(data)] ^= 1 << chance.randrange(8)
            case 1:
                data[at : at + length] = chance.randbytes(length)
            case 2:
                del data[at : at + length]
            case 3:
                data[at:at] = chance.choice(_TOKENS)
            case 4:
                data[at : at + length] = chance.choice(_TOKENS)
            case 5:
                data[at:at] = data[at : at + length] * chance.choice((2, 10, 200))
            case _:
                other = chance.choice(seeds)
                start = chance.randint(0, len(other))
                data[at : at + length] = other[start : start + chance.choice((1, 8, 64, 512))]
    return bytes(data)


def many(seeds: list[bytes], count: int, seed: int) -> Iterator[bytes]:
    """Return this number of mutations, the same for the same seed."""
    chance = Random(seed)
    for _ in range(count):
        yield mutated(seeds, chance)
