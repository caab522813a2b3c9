"""Keeps how CMA-ES found the weights of `twenty`, for docs/plot_records.py.

    blockfall train --config examples/twenty.toml --out runs/twenty
    python docs/measure_twenty.py runs/twenty

It writes docs/data/twenty.json: of each iteration the harmonic mean of its candidates' estimates.
"""

import json
import statistics
import sys
from pathlib import Path

from blockfall.experiments.run import ID_FILE
from blockfall.store import Store

FILE = Path(__file__).parent / "data" / "twenty.json"


if __name__ == "__main__":
    run = (Path(sys.argv[1]) / ID_FILE).read_text().strip()
    rows = [
        {
            "iteration": one.iteration + 1,
            "lines": round(statistics.harmonic_mean([max(float(lines), 1.0) for lines in one.fitness])),
        }
        for one in Store().runs.iterations(run)
    ]
    FILE.write_text('{\n "twenty": [\n  ' + ",\n  ".join(json.dumps(row) for row in rows) + "\n ]\n}\n")
