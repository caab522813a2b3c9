"""The playing of games: a request says what to play, a backend plays it, and an evaluation holds the results.

>>> evaluate(rules="nes-no-rotation", agent="birken-6", games=20, seed=1, backend="local:2").lines.shape
(20,)
"""

from blockfall.compute.backends import BACKENDS, Backend, Cluster, Shared, backend, device_of
from blockfall.compute.cuda import CudaBackend
from blockfall.compute.dask import DaskBackend
from blockfall.compute.evaluation import Evaluation, InterruptedPlay, PlayProgress
from blockfall.compute.local import LocalBackend
from blockfall.compute.playing import evaluate, evaluate_population, summarise
from blockfall.compute.request import GAMES, Population, Request
from blockfall.compute.summary import Summary
from blockfall.games.streams import Purpose

__all__ = [
    "BACKENDS",
    "GAMES",
    "Backend",
    "Cluster",
    "CudaBackend",
    "DaskBackend",
    "Evaluation",
    "InterruptedPlay",
    "LocalBackend",
    "PlayProgress",
    "Population",
    "Purpose",
    "Request",
    "Shared",
    "Summary",
    "backend",
    "device_of",
    "evaluate",
    "evaluate_population",
    "summarise",
]
