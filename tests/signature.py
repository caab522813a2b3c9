"""The behaviour signature as a file: digests of games, searches and trainings.

A commit that changes how we play, search or train changes some of them, and says so; every other commit leaves all of
them alone. `python -m tests.signature` prints what changed; with `--write` it also updates the file.
"""

import sys

from blockfall.experiments.provenance import changes, read, written
from blockfall.experiments.signature import whole_signature
from tests import ROOT

PATH = ROOT / "tests" / "data" / "signature.txt"


def changed() -> list[str]:
    """Return a line for each entry of the file that is out of date."""
    return changes(read(PATH.read_text()), whole_signature())


if __name__ == "__main__":
    print("\n".join(changed()) or "nothing changed")
    if "--write" in sys.argv:
        PATH.write_text(written(whole_signature()))
