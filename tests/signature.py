"""The behaviour signature as a file: a digest for each rule set with each agent, and each game with each algorithm.

A commit that changes how the core plays or searches changes some of them, and says so; every other commit leaves all
alone. `python -m tests.signature` says what changed; with `--write` it also writes today's.
"""

import sys
from pathlib import Path

from blockfall.experiments.signature import changes, read, whole_signature, written

PATH = Path(__file__).parent / "data" / "signature.txt"


def changed() -> list[str]:
    """Says which entries of the file are not today's."""
    return changes(read(PATH.read_text()), whole_signature())


if __name__ == "__main__":
    print("\n".join(changed()) or "nothing changed")
    if "--write" in sys.argv:
        PATH.write_text(written(whole_signature()))
