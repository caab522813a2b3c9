"""Runs that take a second, in this process and as programs."""

from pathlib import Path

from blockfall.experiments.configuration import Configuration, configuration_from
from blockfall.experiments.result import Result
from blockfall.experiments.run import create_run
from blockfall.experiments.training import Training
from blockfall.store import Store

SMALL = """\
rules = "nes-no-rotation-drop"
features = "soster-1"
fitness = "mean"
restarts = 2
seed = 5

[optimiser]
name = "pso"
iterations = 30
particles = 10
speed_limits = [-0.05, 0.05]

[games]
training = 10
validation = 30
test = 200
"""


def configured(**changes: object) -> Configuration:
    small = {
        "rules": "nes-no-rotation-drop",
        "features": "soster-1",
        "restarts": 2,
        "optimiser": {"name": "pso", "iterations": 4, "particles": 5},
        "games": {"training": 4, "validation": 6, "test": 20},
    }
    return configuration_from(small | changes, "a test")


def finished(store: Store, configuration: Configuration, folder: Path) -> Result:
    return Training(store, create_run(store, configuration, folder)).complete()
