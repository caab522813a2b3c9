"""Compare the CUDA backend with this machine's threads, game by game, and measure its speed.

Where Blockfall is installed:

    python benchmarks/gpu.py compare
    python benchmarks/gpu.py speed
    python benchmarks/gpu.py together

For a machine with a GPU, CuPy, NumPy, CMake and a compiler, but neither Blockfall nor a network, put the few packages
that Blockfall needs into a folder here, for that machine's Python, and build the core there:

    pip install --target build/packages --python-version 3.12 --only-binary=:all: pydantic nanobind==3.1.0
    # copy the repository with build/packages to that machine; there:
    export PYTHONPATH=src:build/packages
    cmake -G Ninja -B build/there -DPython_EXECUTABLE=$(which python3) && cmake --build build/there
    cmake --install build/there --prefix src
    python3 benchmarks/gpu.py compare
    python3 benchmarks/gpu.py speed
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from blockfall.agents import Agent, FeatureNetwork, LookAhead, Table, WeightedFeatures, agent
from blockfall.compute import LocalBackend, Population, Request
from blockfall.compute.bench import workloads
from blockfall.compute.cuda import CudaBackend
from blockfall.compute.cuda.seating import THREADS_THAT_SHARE
from blockfall.features import built_in_features
from blockfall.rulesets import Rules, rules, rules_names
from blockfall.rulesets.compile import GENERATORS


def soster() -> Agent:
    """soster2024's seventeen metrics with two pieces known, as in `blockfall bench`."""
    return next(work.agent for work in workloads() if work.agent.name == "soster-3")


def shuffled(place: int, count: int = 17) -> Agent:
    """The same with some of the metrics, in another order."""
    weights = dict(soster().weights)
    names = np.random.default_rng(place).permutation(list(weights))[:count].tolist()
    return replace(soster(), value=WeightedFeatures({name: weights[name] for name in names}))


def with_generator(name: str) -> Rules:
    """The standard rules with another generator of pieces."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.toml"
        path.write_text(f'extends = "standard"\n[generator]\nname = "{name}"\npieces = "{"TSZIOJLTTSZIIOLJ" * 40}"\n')
        return rules(path)


def comparisons(games: int) -> Iterator[tuple[str, Request, Collection[str]]]:
    """The compared requests: every rule set and generator, every kind of agent, and agents that share a program.

    Each comes with the features for which the GPU is prepared.
    """
    for name, request in own_programs(games):
        yield name, request, ()
    for place, count in enumerate((1, 4, 7, 10, 17)):
        request = Request(rules("nes-no-rotation"), shuffled(place, count), games // 8, seed=10)
        yield f"{count} of 17 metrics", request, soster().weights


def own_programs(games: int) -> Iterator[tuple[str, Request]]:
    """Games played by a program for their own agent and rules."""
    random = np.random.default_rng(1)
    dellacherie = agent("dellacherie")
    for name in rules_names():
        yield name, Request(rules(name), dellacherie, games, seed=1, max_pieces=1000)
    for name in GENERATORS:
        yield f"generator {name}", Request(with_generator(name), dellacherie, games, seed=2, max_pieces=500)
    for name in ("nes-no-rotation", "standard-10x10", "guideline"):
        yield f"two pieces, {name}", Request(rules(name), soster(), games // 8, seed=3, max_pieces=200)
        ahead = replace(dellacherie, look_ahead=LookAhead(best=5))
        yield f"look-ahead, {name}", Request(rules(name), ahead, games // 8, seed=4, max_pieces=200)
    every = WeightedFeatures({one.name: float(random.normal()) for one in built_in_features()})
    yield "every feature", Request(rules("standard"), Agent("every", every), games, seed=5, max_pieces=500)
    zeros = FeatureNetwork.zeros(("holes", "bumpiness", "heights-sum", "lines-cleared"), (32, 32))
    network = zeros.with_parameters(random.normal(-0.1, 1, len(zeros.parameters)).tolist())
    yield "network", Request(rules("tetrisbot"), Agent("network", network), games, seed=6, max_pieces=500)
    table = Table(tuple(random.normal(0, 1, len(Table.zeros().parameters)).tolist()))
    yield "table", Request(rules("tetrisbot"), Agent("table", table), games, seed=7, max_pieces=500)
    timed = rules("nes-no-rotation-timed")
    for name, plies in (("noro-small", 1), ("noro-small", 2), ("noro-large", 1)):
        request = Request(timed, agent(name).with_plies(plies), games // 8, seed=9)
        yield f"{name}, {plies} plies", request
    population = Population(random.normal(-1, 2, (64, 6)))
    yield (
        "population",
        Request(rules("nes-no-rotation"), dellacherie, games // 64 or 1, seed=8, population=population),
    )


def compare(games: int) -> bool:
    """Play everything on both backends and print a row for each. Return False if a game differs."""
    gpu, threads = CudaBackend(), LocalBackend()
    all_equal, total = True, 0
    for name, request, features in comparisons(games):
        here, there = threads.play(request), gpu.prepared_for(features).play(request)
        differing = int((here.lines != there.lines).sum() + (here.placements != there.placements).sum())
        equal = here == there
        all_equal, total = all_equal and equal, total + here.lines.size
        said = "equal" if equal else f"DIFFERENT ({differing} counts)"
        print(f"{name:32} {here.lines.size:8,} games {int(here.pieces.sum()):12,} pieces  {said}", flush=True)
    print(f"{total:,} games: {'all equal' if all_equal else 'NOT ALL EQUAL'}")
    return all_equal


def measured(name: str, request: Request, threads_per_game: int | None = None) -> None:
    """Play a request twice, because the first time compiles, and print the speed of the second time."""
    gpu = CudaBackend(threads_per_game=threads_per_game)
    first, played = gpu.play(request), gpu.play(request)
    speed = played.summary()
    billions, millions = speed.placements_per_second / 1e9, speed.pieces_per_second / 1e6
    times = f"{played.seconds:7.2f} s (the first time {first.seconds:.2f} s)"
    each = f"{played.seconds / max(int(played.pieces.max()), 1) * 1e6:7.2f} us/piece of the longest game"
    print(f"{name:52} {billions:8.2f} G placements/s {millions:10.1f} M pieces/s {times} {each}", flush=True)


def speed() -> None:
    """Print the speed of several workloads: many short games, and a few long ones in both ways."""
    dellacherie, standard, nes = agent("dellacherie"), rules("standard"), rules("nes-no-rotation")
    for games, pieces in ((2**18, 2000), (2**14, 4000), (1000, 200_000), (4000, 50_000)):
        request = Request(standard, dellacherie, games, seed=1, max_pieces=pieces)
        for threads in (1, THREADS_THAT_SHARE[1]):
            if threads == 1 or games < 2**15:
                measured(f"standard/dellacherie, {games:,} x {pieces:,}, {threads} threads each", request, threads)
    for games in (2**10, 2**12, 2**15, 2**17, 2**20):
        for threads in (1, THREADS_THAT_SHARE[2]):
            request = Request(nes, soster(), games, seed=1)
            measured(f"nes-no-rotation/soster-3, {games:,} games, {threads} threads each", request, threads)
    measured("nes-no-rotation/birken-6, 2^20 games", Request(nes, agent("birken-6"), 2**20, seed=1), 1)
    timed = rules("nes-no-rotation-timed")
    for name, plies, games in (("noro-small", 1, 2**17), ("noro-large", 1, 2**14), ("noro-small", 2, 2**13)):
        request = Request(timed, agent(name).with_plies(plies), games, seed=1, max_pieces=100)
        measured(f"{timed.name}/{name}, {plies} plies, {games:,} games", request)
    measured("standard/bcts, 2^18 x 1000", Request(standard, agent("bcts"), 2**18, seed=1, max_pieces=1000), 1)


def together() -> None:
    """Print the time of concurrent requests, with one program for all and with one program each."""
    apart, prepared = CudaBackend(), CudaBackend().prepared_for(soster().weights)
    ways = (
        ("one agent", apart, lambda _place: soster()),
        ("an agent and a program each", apart, shuffled),
        ("an agent each, one program", prepared, shuffled),
    )
    for at_once in (1, 4, 8, 16):
        for name, gpu, player_of in ways:
            players = [player_of(place) for place in range(at_once)]
            with ThreadPoolExecutor(at_once) as pool:
                list(pool.map(partial(requests_in_turn, gpu, 1), players))  # compiles
                began = time.perf_counter()
                list(pool.map(partial(requests_in_turn, gpu, 8), players))
            milliseconds = (time.perf_counter() - began) / (8 * at_once) * 1000
            print(f"{at_once:2} requests of 3,750 games at once, {name:28} {milliseconds:6.2f} ms each", flush=True)


def requests_in_turn(gpu: CudaBackend, count: int, player: Agent) -> None:
    """Play a number of requests like an iteration of soster2024's training: 150 candidates, 25 games each."""
    weights = np.array(list(player.weights.values()))
    for seed in range(count):
        candidates = weights + np.random.default_rng(seed).normal(0, 0.2 * np.abs(weights).mean(), (150, len(weights)))
        gpu.play(Request(rules("nes-no-rotation-drop"), player, 25, seed=1, population=Population(candidates)))


def main() -> int:
    """Run the chosen benchmark and return the exit status: 1 if games differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("what", choices=["compare", "speed", "together"])
    parser.add_argument("--games", type=int, default=2000, help="games of each comparison")
    options = parser.parse_args()
    if options.what == "compare":
        return 0 if compare(options.games) else 1
    {"speed": speed, "together": together}[options.what]()
    return 0


if __name__ == "__main__":
    sys.exit(main())
