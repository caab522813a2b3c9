"""Training: restarts of an optimiser on training games, the best of them by validation games, tested on test games.

A run is a function of its configuration alone. One that was stopped goes on from the store: the optimiser is told again
what it was told before, and so comes to the same state (see optimisers/base.py). What learns, a network or a table,
goes on from its last checkpoint in the run's folder.
"""

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall.agents import Agent
from blockfall.agents.values.protocol import shortest
from blockfall.compute import Backend, Evaluation, Purpose, evaluate, evaluate_population
from blockfall.errors import SettingError, StoreError
from blockfall.experiments.configuration import PIECES_UP_TO
from blockfall.experiments.fitness import counted, fitness_of
from blockfall.experiments.run import AGENT_FILE, RESULT_FILE, Run
from blockfall.experiments.statistics import describe
from blockfall.experiments.store import Store, StoredIteration, StoredValidation
from blockfall.files import locked, write_atomically
from blockfall.learning import make_learner
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

    def __init__(self, store: Store, run: Run, backend: Backend | None = None, watch: Watch | None = None) -> None:
        self.store, self.run, self.backend, self.watch = store, run, backend, watch
        self.configuration = run.configuration
        self.rules = self.configuration.game_rules(run.folder)
        self.template = self.configuration.template

    def complete(self) -> dict[str, Any]:
        """Trains what is not trained yet, writes the agent and the result, and gives the result."""
        with locked(self.run.folder):
            validations = {row.restart: row for row in self.store.validations(self.run.id)}
            told: dict[int, list[StoredIteration]] = {}
            for row in self.store.iterations(self.run.id):
                told.setdefault(row.restart, []).append(row)
            for restart in range(self.configuration.restarts):
                if restart not in validations:
                    train = self._learn if self.configuration.learned else self._train
                    validations[restart] = train(restart, told.get(restart, []))
                self._forget_checkpoint(restart)
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
        survived = bool(told) and self._survived(told[-1])
        while not (optimiser.finished or survived):
            row = self._iterate(restart, optimiser)
            self.store.add_iteration(self.run.id, row)
            self._report(row)
            survived = self._survived(row)
        return self._validate(restart, "piece limit" if survived else optimiser.stopped_by or "", optimiser.answer)

    def _survived(self, row: StoredIteration) -> bool:
        """Whether all games of a candidate reached the piece limit (data2021, 5.3.1.4.1), told by its score."""
        games = self.configuration.games
        if not games.until_limit or games.max_pieces is None:
            return False
        pieces = np.round(row.fitness * games.training) % PIECES_UP_TO
        return bool((pieces == games.training * games.max_pieces).any())

    def _learn(self, restart: int, told: list[StoredIteration]) -> StoredValidation:
        """Learning in place of an optimiser: an iteration is a stage, after which the agent is tried and kept."""
        configuration, settings = self.configuration, self.configuration.learned
        assert settings
        path = self._checkpoint(restart)
        learner = make_learner(
            self.rules, configuration.features, configuration.hidden, settings, configuration.seed, restart
        )
        kept = learner.load(path)
        answer = learner.parameters if kept is None else kept["answer"]
        stage, best = (0, -np.inf) if kept is None else (int(kept["reached"][0]), float(kept["reached"][1]))
        for iteration in range(stage, settings.stages):
            started = time.perf_counter()
            learner.learn(settings.actions * (iteration + 1) // settings.stages)
            parameters = learner.parameters
            if not np.isfinite(parameters).all():
                raise SettingError(
                    f"{self.run.folder}: learning diverged in stage {iteration + 1} of restart {restart + 1}: the "
                    "network's numbers grew without bound; try a smaller learning_rate, or features of smaller values"
                )
            played = self._play(parameters[None, :], 0)
            fitness = self._fitness(counted(configuration.fitness, played))
            if fitness[0] > best:
                best, answer = float(fitness[0]), parameters
            row = self._row(restart, iteration, best, fitness, played, started, _digest(parameters))
            if iteration >= len(told):
                self.store.add_iteration(self.run.id, row)
            learner.save(path, answer=answer, reached=np.array([iteration + 1, best]))
            self._report(row)
        return self._validate(restart, "actions", answer)

    def _checkpoint(self, restart: int) -> Path:
        return self.run.folder / f"learner-{restart + 1}.npz"

    def _forget_checkpoint(self, restart: int) -> None:
        """Also what a kill left of one that was being written."""
        path = self._checkpoint(restart)
        for left in (path, *path.parent.glob(f".{path.name}.*")):
            left.unlink(missing_ok=True)

    def _optimiser(self, restart: int) -> Optimiser:
        settings = self.configuration.settings
        space = Space(self.configuration.dimensions, *settings.weight_limits)
        table = {key: value for key, value in self.configuration.optimiser.items() if key != "name"}
        return make(self.configuration.optimiser_name, table, space, [self.configuration.seed, restart])

    def _iterate(self, restart: int, optimiser: Optimiser) -> StoredIteration:
        configuration, games = self.configuration, self.configuration.games
        started = time.perf_counter()
        iteration, candidates = optimiser.iteration, optimiser.ask()
        first_game = (restart * configuration.iterations + iteration) * games.training if games.fresh else 0
        played = self._play(candidates, first_game)
        fitness = self._fitness(counted(configuration.fitness, played))
        digest = _digest(candidates)
        optimiser.tell(fitness)
        return self._row(restart, iteration, optimiser.best_fitness, fitness, played, started, digest)

    def _play(self, candidates: npt.NDArray[Any], first_game: int) -> Evaluation:
        games = self.configuration.games
        return evaluate_population(
            self.rules,
            self.template,
            candidates,
            games.training,
            self.configuration.seed,
            first_game=first_game,
            max_pieces=games.max_pieces,
            backend=self.backend,
            purpose=Purpose.TRAINING,
        )

    @staticmethod
    def _row(
        restart: int,
        iteration: int,
        best: float,
        fitness: npt.NDArray[np.float64],
        played: Evaluation,
        started: float,
        digest: str,
    ) -> StoredIteration:
        return StoredIteration(
            restart=restart,
            iteration=iteration,
            best=best,
            mean=float(fitness.mean()),
            spread=float(fitness.std()),
            games=played.lines.size,
            seconds=time.perf_counter() - started,
            candidates=digest,
            fitness=fitness,
        )

    def _validate(self, restart: int, stopped_by: str, answer: npt.NDArray[Any]) -> StoredValidation:
        weights = [shortest(weight) for weight in answer]
        played = evaluate(
            self.rules,
            self.configuration.agent(weights),
            self.configuration.games.validation,
            self.configuration.seed,
            max_pieces=self._test_limit,
            backend=self.backend,
            purpose=Purpose.VALIDATION,
        )
        counts = counted(self.configuration.fitness, played)
        row = StoredValidation(restart, stopped_by, weights, counts.tolist())
        self.store.add_validation(self.run.id, row)
        return row

    def _test(self, validations: list[StoredValidation]) -> dict[str, Any]:
        configuration, games = self.configuration, self.configuration.games
        scores = [float(self._fitness(np.array(row.lines))) for row in validations]
        chosen = validations[int(np.argmax(scores))]
        player = configuration.agent(chosen.weights)
        played = evaluate(
            self.rules, player, games.test, configuration.seed, max_pieces=self._test_limit, backend=self.backend
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
                    **configuration.agent(row.weights).value_as_json(),
                }
                for row, score in zip(validations, scores, strict=True)
            ],
            "chosen_restart": chosen.restart,
            **player.value_as_json(),
            "validation": describe(chosen.lines).as_json(),
            "test": {**describe(played.lines).as_json(), "capped": played.capped},
            **({"score": describe(played.score).as_json()} if configuration.fitness == "score" else {}),
        }
        self._write(player, result)
        return result

    @property
    def _test_limit(self) -> int | None:
        games = self.configuration.games
        return games.max_test_pieces if games.max_test_pieces is not None else games.max_pieces

    def _write(self, player: Agent, result: dict[str, Any]) -> None:
        write_atomically(self.run.folder / AGENT_FILE, json.dumps(player.as_json(), indent=2) + "\n")
        write_atomically(self.run.folder / RESULT_FILE, json.dumps(result, indent=2) + "\n")

    def _fitness(self, counts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        configuration = self.configuration
        return fitness_of(configuration.fitness, counts, configuration.record_weight, configuration.mean_weight)

    def _report(self, row: StoredIteration) -> None:
        if self.watch:
            restarts, iterations = self.configuration.restarts, self.configuration.iterations
            done = row.restart * iterations + row.iteration + 1
            rate = row.games / row.seconds
            self.watch(Progress(row.restart, restarts, row.best, row.mean, rate, done, restarts * iterations))


def _digest(candidates: npt.NDArray[Any]) -> str:
    return hashlib.sha256(np.ascontiguousarray(candidates, "<f8").tobytes()).hexdigest()[:16]
