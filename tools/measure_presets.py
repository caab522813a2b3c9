"""Measure the results of the presets on the app's page Train: `PYTHONPATH=. python tools/measure_presets.py`.

It trains each preset once and writes src/blockfall/app/train/measured.json. The seconds are CPU time
divided by the cores, as a training takes on a quiet machine.
"""

import json
import os
import platform
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from blockfall.app.train import presets
from blockfall.experiments.run import create_run
from blockfall.experiments.training import Training
from blockfall.store import Store


def measure(preset: presets.Preset, folder: Path) -> dict[str, object]:
    """Train the preset in the folder."""
    store = Store(folder / "store.sqlite3")
    began = time.process_time()  # others may use the machine
    Training(store, create_run(store, preset.configuration, folder / preset.name)).complete()
    seconds = (time.process_time() - began) / (os.cpu_count() or 1)
    test = json.loads((folder / preset.name / "result.json").read_text())["test"]
    figures = {key: test[key] for key in ("n", "mean", "sem", "capped")}
    return figures | {"seconds": round(seconds, 1)}


def main() -> None:
    """Measure all presets."""
    reached = {}
    with tempfile.TemporaryDirectory() as folder:
        for preset in presets.presets():
            reached[preset.name] = measure(preset, Path(folder))
            print(preset.name, reached[preset.name])
    made = {
        "command": "PYTHONPATH=. python tools/measure_presets.py",
        "version": version("blockfall"),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "date": time.strftime("%Y-%m-%d"),
    }
    presets.MEASURED.write_text(json.dumps({"made": made, "reached": reached}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
