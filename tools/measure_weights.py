"""Record how CMA-ES found the weights of `ten` and `twenty`, for tools/plot_records.py.

    blockfall train --config examples/ten.toml --out runs/ten --backend cuda
    python tools/measure_weights.py ten runs/ten

It writes docs/data/ten.json: the mean of the candidates' lines in each iteration. Those of `twenty` are estimates,
which spread widely, so its mean is harmonic.
"""

import json
import statistics
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from blockfall.experiments.run import ID_FILE
from blockfall.store import Store

MEANS: dict[str, Callable[[Sequence[float]], float]] = {"ten": statistics.fmean, "twenty": statistics.harmonic_mean}


def write(name: str, iterations: Sequence[Sequence[float]]) -> None:
    """Write an agent's file from the fitness of all candidates in each iteration."""
    means = [MEANS[name]([max(float(lines), 1.0) for lines in fitness]) for fitness in iterations]
    rows = [json.dumps({"iteration": place, "lines": round(mean)}) for place, mean in enumerate(means, 1)]
    file = Path(__file__).parents[1] / "docs" / "data" / f"{name}.json"
    file.write_text(f'{{\n "{name}": [\n  ' + ",\n  ".join(rows) + "\n ]\n}\n")


if __name__ == "__main__":
    agent, folder = sys.argv[1:]
    run = (Path(folder) / ID_FILE).read_text().strip()
    write(agent, [one.fitness.tolist() for one in Store().runs.iterations(run)])
