"""Trains the runs of the study soster2024 in many processes, for machines with many cores.

    python docs/train_soster2024.py studies/soster2024 16          # at the full budget, with --extended
    blockfall study soster2024 --budget full --extended --out studies/soster2024

The study itself trains one run after the other. A run's iteration is a few milliseconds of games, too short to keep
many cores busy; several runs at once do. The second command then finds all runs finished, and writes the report. Both
may be stopped and started again.
"""

import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from blockfall.compute import LocalBackend
from blockfall.store import Store
from blockfall.studies import STUDIES, Work
from blockfall.studies.running import _begun
from blockfall.studies.soster2024 import Settings, cells_of
from blockfall.studies.soster2024.plan import OWN, Cell
from blockfall.studies.soster2024.trainings import trainings

SETTINGS = Settings(budget="full", extended=True)


def particles(cell: Cell) -> int:
    """How large the cell's swarm is."""
    found: int = cell.changes.get("optimiser", {}).get("particles", 30)
    return found


def train(out: Path, cells: list[Cell]) -> str:
    """Trains these cells one after the other, on one core; the largest swarms on some, or they would end last."""
    work = Work(out, Store(), LocalBackend(threads=max(1, particles(cells[0]) // 60)))
    return trainings(cells, SETTINGS.budget, SETTINGS.seed, work)[-1].name


def main() -> None:
    """Trains all runs, the longest first; those of our own groups follow the group 3 that chooses them."""
    out, processes = Path(sys.argv[1]), int(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    _begun(STUDIES["soster2024"], Work(out, Store()))
    cells = cells_of(SETTINGS)
    alone = [[cell] for cell in cells if cell.group not in OWN]
    after = [[Cell(cell.rules, "soster-3", cell.fitness), cell] for cell in cells if cell.group in OWN]
    alone.sort(key=lambda job: -particles(job[0]) * (2 if job[0].group in ("soster-2", "soster-3", "wide") else 1))
    for jobs in (alone, after):
        with ProcessPoolExecutor(processes) as pool:
            waiting = [pool.submit(train, out, job) for job in jobs]
            for number, done in enumerate(as_completed(waiting), 1):
                print(f"{number} of {len(jobs)}: {done.result()}", flush=True)


if __name__ == "__main__":
    main()
