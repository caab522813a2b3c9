"""Training: restarts of an optimiser on training games, the best of them by validation games, tested on test games.

A run is a function of its configuration alone. One that was stopped goes on from the store: the optimiser is told again
what it was told before, and so comes to the same state (see optimisers/base.py).
"""

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall._core import Purpose
from blockfall.agents import Agent
from blockfall.agents.network import shortest
from blockfall.compute.local import evaluate, evaluate_population
from blockfall.errors import StoreError
from blockfall.experiments.fitness import fitness_of
from blockfall.experiments.run import AGENT_FILE, RESULT_FILE, Run
from blockfall.experiments.statistics import describe
from blockfall.experiments.store import Store, StoredIteration, StoredValidation
from blockfall.files import locked, write_atomically
from blockfall.optimisers import Optimiser, Space, make


@dataclass(frozen=True)
class Progress:
    """Where a training stands."""

    restart: int
    restarts: int
    best: float
    mean: float
    games_per_second: float
    iterations_done: int
    """Over all restarts."""
    iterations: int


Watch = Callable[[Progress], None]


class Training:
    """One run at work."""

    def __init__(self, store: Store, run: Run, threads: int | None = None, watch: Watch | None = None) -> None:
        self.store, self.run, self.threads, self.watch = store, run, threads, watch
        self.configuration = run.configuration
        self.rules = self.configuration.game_rules(run.folder)
        self.template = self.configuration.agent([0.0] * len(self.configuration.features))

    def complete(self) -> dict[str, Any]:
        """Trains what is not trained yet, writes the agent and the result, and gives the result."""
        with locked(self.run.folder):
            validations = {row.restart: row for row in self.store.validations(self.run.id)}
            told: dict[int, list[StoredIteration]] = {}
            for row in self.store.iterations(self.run.id):
                told.setdefault(row.restart, []).append(row)
            for restart in range(self.configuration.restarts):
                if restart not in validations:
                    validations[restart] = self._train(restart, told.get(restart, []))
            result = self._test([validations[restart] for restart in range(self.configuration.restarts)])
            self.store.finish_run(self.run.id, result)
            return result

    def _train(self, restart: int, told: list[StoredIteration]) -> StoredValidation:
        optimiser = self._optimiser(restart)
        for row in told:
            if row.candidates != _digest(optimiser.ask()):
                version = self.store.run(self.run.id).version
                raise StoreError(
                    f"{self.run.folder}: iteration {row.iteration} of restart {restart} cannot be repeated here; "
                    f"the run was begun with version {version} and its libraries"
                )
            optimiser.tell(row.fitness)
        while not optimiser.finished:
            row = self._iterate(restart, optimiser)
            self.store.add_iteration(self.run.id, row)
            self._report(row)
        return self._validate(restart, optimiser)

    def _optimiser(self, restart: int) -> Optimiser:
        settings = self.configuration.settings
        space = Space(len(self.configuration.features), *settings.weight_limits)
        table = {key: value for key, value in self.configuration.optimiser.items() if key != "name"}
        return make(self.configuration.optimiser_name, table, space, [self.configuration.seed, restart])

    def _iterate(self, restart: int, optimiser: Optimiser) -> StoredIteration:
        configuration, games = self.configuration, self.configuration.games
        started = time.perf_counter()
        iteration, candidates = optimiser.iteration, optimiser.ask()
        first_game = (restart * configuration.settings.iterations + iteration) * games.training if games.fresh else 0
        played = evaluate_population(
            self.rules,
            self.template,
            candidates,
            games.training,
            configuration.seed,
            first_game=first_game,
            max_pieces=games.max_pieces,
            threads=self.threads,
            purpose=Purpose.TRAINING,
        )
        fitness = self._fitness(played.lines)
        digest = _digest(candidates)
        optimiser.tell(fitness)
        return StoredIteration(
            restart=restart,
            iteration=iteration,
            best=optimiser.best_fitness,
            mean=float(fitness.mean()),
            spread=float(fitness.std()),
            games=played.lines.size,
            seconds=time.perf_counter() - started,
            candidates=digest,
            fitness=fitness,
        )

    def _validate(self, restart: int, optimiser: Optimiser) -> StoredValidation:
        weights = [shortest(weight) for weight in optimiser.answer]
        played = evaluate(
            self.rules,
            self.configuration.agent(weights),
            self.configuration.games.validation,
            self.configuration.seed,
            max_pieces=self.configuration.games.max_pieces,
            threads=self.threads,
            purpose=Purpose.VALIDATION,
        )
        row = StoredValidation(restart, optimiser.stopped_by or "", weights, played.lines.tolist())
        self.store.add_validation(self.run.id, row)
        return row

    def _test(self, validations: list[StoredValidation]) -> dict[str, Any]:
        configuration, games = self.configuration, self.configuration.games
        scores = [float(self._fitness(np.array(row.lines))) for row in validations]
        chosen = validations[int(np.argmax(scores))]
        player = configuration.agent(chosen.weights)
        played = evaluate(
            self.rules, player, games.test, configuration.seed, max_pieces=games.max_pieces, threads=self.threads
        )
        self.store.set_test_games(self.run.id, played)
        best = {row.restart: row.best for row in self.store.iterations(self.run.id)}
        result = {
            **configuration.as_table(),
            "restarts": [
                {
                    "training_fitness": best[row.restart],
                    "validation_fitness": score,
                    "validation": describe(row.lines).as_json(),
                    "stopped_by": row.stopped_by,
                    "weights": dict(zip(configuration.features, row.weights, strict=True)),
                }
                for row, score in zip(validations, scores, strict=True)
            ],
            "chosen_restart": chosen.restart,
            "weights": player.weights,
            "validation": describe(chosen.lines).as_json(),
            "test": {**describe(played.lines).as_json(), "capped": played.capped},
        }
        self._write(player, result)
        return result

    def _write(self, player: Agent, result: dict[str, Any]) -> None:
        write_atomically(self.run.folder / AGENT_FILE, json.dumps(player.as_json(), indent=2) + "\n")
        write_atomically(self.run.folder / RESULT_FILE, json.dumps(result, indent=2) + "\n")

    def _fitness(self, lines: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        configuration = self.configuration
        return fitness_of(configuration.fitness, lines, configuration.record_weight, configuration.mean_weight)

    def _report(self, row: StoredIteration) -> None:
        if self.watch:
            restarts, iterations = self.configuration.restarts, self.configuration.settings.iterations
            done = row.restart * iterations + row.iteration + 1
            rate = row.games / row.seconds
            self.watch(Progress(row.restart, restarts, row.best, row.mean, rate, done, restarts * iterations))


def _digest(candidates: npt.NDArray[np.float64]) -> str:
    return hashlib.sha256(np.ascontiguousarray(candidates, "<f8").tobytes()).hexdigest()[:16]
