"""Named workloads, timed on one thread in every instruction set that the machine has.

Machines are noisy, so the instruction sets take turns. The figures are medians over many short runs, and medians of the
ratios to the scalar run beside each.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from blockfall.agents import Agent, BoardNetwork, FeatureNetwork, WeightedFeatures, agent
from blockfall.compute.local import LocalBackend
from blockfall.compute.playing import evaluate
from blockfall.errors import SettingError
from blockfall.features import feature_list
from blockfall.rulesets import rules
from blockfall.simd import simd_levels


@dataclass(frozen=True)
class Workload:
    """The same games every time, to be timed."""

    rules: str
    agent: Agent
    games: int
    max_pieces: int | None = None

    @property
    def name(self) -> str:
        """The rules and the agent."""
        return f"{self.rules}/{self.agent.name}"


@dataclass(frozen=True)
class Measurement:
    """The speed at which one instruction set played a workload."""

    workload: str
    simd: str
    placements_per_second: float
    pieces_per_second: float
    ratio_to_scalar: float


def _soster_3() -> Agent:
    """Return an agent with all seventeen metrics of soster2024: Birken's weights for his five, -1 for the rest.

    The thesis prints no weights. These play as well as Birken's six, so the boards are those of sensible play.
    """
    birken = agent("birken-6")
    weights = {name: birken.weights.get(name, -1.0) for name in feature_list("soster-3")}
    return Agent("soster-3", WeightedFeatures(weights), birken.pieces_known, source=birken.source)


def _network() -> Agent:
    """Return data2021's network (5.4.4) with weights of -1 and 1: every neuron works and the games are short."""
    zeros = FeatureNetwork.zeros(feature_list("data-6"), (32, 32, 32))
    signs = [1.0 if (number * 7) % 5 < 2 else -1.0 for number in range(len(zeros.parameters))]
    return Agent("network", zeros.with_parameters(signs))


def _board_network(name: str, channels: int, blocks: int, hidden: int) -> Agent:
    """Return a board network with random bytes, and shifts and factors that keep its layers alive.

    Its speed depends on its sizes alone. It plays as badly as possible, so the games are short.
    """
    sizes = {"columns": 10, "rows": 20, "channels": channels, "kernel": 3, "blocks": blocks, "hidden": hidden}
    draw = np.random.default_rng(1)

    def drawn(kind: str, most: int, count: int) -> bytes:
        return draw.integers(-most, most + 1, count).astype(kind).tobytes()

    def constant(kind: str, number: int, count: int) -> bytes:
        return np.full(count, number, kind).tobytes()

    convolution = [drawn("i1", 127, 3 * channels**2), drawn("<i4", 1000, channels), constant("<i4", 4, channels)]
    parts = [constant("<i4", 16, 1), drawn("<i2", 4000, (1024 + 20) * channels)]
    parts += 2 * blocks * [*convolution, constant("<i2", 1000, channels)]
    parts += [drawn("i1", 127, 20 * channels * hidden), drawn("<i4", 1000, hidden), constant("<i4", 4, hidden)]
    parts += [drawn("<i2", 2**15 // hidden - 1, 7 * hidden), drawn("<i4", 1000, 7)]
    return Agent(name, BoardNetwork(**sizes, outputs=7, weights=b"".join(parts), mirror=False), 2)


def workloads() -> tuple[Workload, ...]:
    """Return the workloads that are timed."""
    return (
        Workload("standard", agent("dellacherie"), games=1, max_pieces=150_000),
        Workload("nes-no-rotation", agent("birken-6"), games=800),
        Workload("nes", agent("birken-6"), games=1, max_pieces=4_000),
        Workload("nes-no-rotation", _soster_3(), games=200),
        Workload("tetrisbot", _network(), games=400),
        Workload("nes-no-rotation", _board_network("board-network-small", 32, 3, 128), games=40),
        Workload("nes-no-rotation", _board_network("board-network-large", 128, 6, 256), games=1),
    )


def run_count(repeats: int) -> int:
    """Return the number of runs that `measure` makes: `repeats` of each workload in each instruction set."""
    if repeats < 1:
        raise SettingError(f"{repeats} repeats; run at least 1")
    return len(workloads()) * repeats * len(simd_levels())


def measure(repeats: int = 9, progress: Callable[[int], None] | None = None) -> list[Measurement]:
    """Time every workload in every instruction set. `progress` is called with the number of runs done."""
    rows = []
    done = 0
    for workload in workloads():
        placements: dict[str, list[float]] = {level: [] for level in simd_levels()}
        pieces: dict[str, list[float]] = {level: [] for level in simd_levels()}
        for _ in range(repeats):
            for level in simd_levels():
                placed, valued = _run(workload, level)
                pieces[level].append(placed)
                placements[level].append(valued)
                done += 1
                if progress:
                    progress(done)
        for level in simd_levels():
            ratios = [fast / slow for fast, slow in zip(placements[level], placements["scalar"], strict=True)]
            rows.append(
                Measurement(
                    workload.name,
                    level,
                    statistics.median(placements[level]),
                    statistics.median(pieces[level]),
                    statistics.median(ratios),
                )
            )
    return rows


def _run(workload: Workload, level: str) -> tuple[float, float]:
    """Return the pieces and placements per second."""
    game_rules = rules(workload.rules)
    started = time.perf_counter()
    played = evaluate(
        game_rules,
        workload.agent,
        workload.games,
        seed=1,
        max_pieces=workload.max_pieces,
        backend=LocalBackend(threads=1, simd=level),
    )
    seconds = time.perf_counter() - started
    return int(played.pieces.sum()) / seconds, int(played.placements.sum()) / seconds
