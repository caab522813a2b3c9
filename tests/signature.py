"""The behaviour signature: one number over seeded games of every rule set and agent.

A commit that changes how the core plays changes it, and says so; every other commit leaves it alone.

    python -m tests.signature --write
"""

import sys
import zlib
from pathlib import Path

from blockfall import agent_names, evaluate, rules_names

PATH = Path(__file__).parent / "data" / "signature.txt"


def signature() -> str:
    checksum = 0
    for name in rules_names():
        for player in agent_names():
            played = evaluate(name, player, games=4, seed=2024, max_pieces=150)
            for counts in (played.lines, played.pieces, played.placements, played.score, played.termination):
                checksum = zlib.crc32(counts.tobytes(), checksum)
    return f"{checksum:08x}\n"


if __name__ == "__main__" and "--write" in sys.argv:
    PATH.write_text(signature())
