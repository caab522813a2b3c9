"""Feed a parser with inputs guided by coverage (Atheris), in a separate process.

python -m tests.fuzz.guided TARGET INPUTS FOLDER: the folder gets the inputs that reach new code. A failing input is
written there as `crash-...`; keep it in `tests/fuzz/cases/TARGET`.
"""

import sys
import warnings
from pathlib import Path
from random import Random

import atheris

with atheris.instrument_imports(include=["blockfall", "tomllib", "json"]):
    from tests.fuzz.limits import feed, little_memory
    from tests.fuzz.mutation import SEED, mutated
    from tests.fuzz.targets import TARGETS, kept


def mutate(data: bytes, most: int, seed: int) -> bytes:
    """Mutate an input: half of the mutations are our own, which know the tokens."""
    chance = Random(seed)
    if chance.random() < 0.5:
        return bytes(atheris.Mutate(data, most))
    return mutated([data], chance)[:most]


def main(name: str, inputs: str, folder: str) -> None:
    warnings.simplefilter("ignore")
    target = TARGETS[name]
    seeds = Path(folder) / "seeds"
    seeds.mkdir(parents=True)
    for number, data in enumerate([*target.seeds(), *(path.read_bytes() for path in kept(name))]):
        (seeds / str(number)).write_bytes(data)
    for data in target.seeds():  # fill the caches before memory is counted
        feed(target.parse, data)
    most = max(4096, 2 * max(path.stat().st_size for path in seeds.iterdir()))
    options = [f"-runs={inputs}", f"-max_len={most}", f"-artifact_prefix={folder}/", f"-seed={SEED}"]
    words = [sys.argv[0], *options, "-print_final_stats=1", str(seeds)]
    limits = little_memory()
    begun = False

    def feed_one(data: bytes) -> None:
        nonlocal begun
        if not begun:  # by now the fuzzer has allocated its own memory
            limits.__enter__()
            begun = True
        feed(target.parse, data)

    atheris.Setup(words, feed_one, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
