"""Training: restarts on training games, the best of them chosen by validation games and tested on test games.

A run is a function of its configuration alone. A stopped run continues from the store: its optimiser is told the same
fitness again, and so reaches the same state (see optimisers/base.py). A learner continues from its last checkpoint in
the run's folder.
"""

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall.agents import Agent, Value
from blockfall.agents.loading import value_from
from blockfall.agents.values.base import shortest
from blockfall.compute import Backend, Evaluation, Purpose, Shared, evaluate, evaluate_population
from blockfall.errors import SettingError, StoreError
from blockfall.experiments.fitness import counted, fitness_of
from blockfall.experiments.result import Figures, RestartResult, Result, restart_stem
from blockfall.experiments.run import AGENT_FILE, RESULT_FILE, Run
from blockfall.experiments.statistics import describe
from blockfall.files import delete_file, locked, write_atomically
from blockfall.games.tetris import Termination
from blockfall.learning import Learner, LearningMethod
from blockfall.learning.checkpoint import Arrays, damaged
from blockfall.optimisers import Optimisation, Optimiser
from blockfall.store import Store, StoredIteration, StoredValidation


@dataclass(frozen=True)
class TrainingProgress:
    """The progress of a training after an iteration, or after a stage of learning."""

    restart: int
    """From 0."""
    restarts: int
    best: float
    """The best fitness of this restart so far."""
    mean: float
    """The mean fitness of this iteration's candidates."""
    games_per_second: float
    """The speed while playing; the time of learning does not count."""
    iterations_done: int
    """The iterations done over all restarts."""
    iterations: int
    """The most iterations over all restarts."""


TrainingWatch = Callable[[TrainingProgress], None]


class Training:
    """One run at work."""

    def __init__(
        self, store: Store, run: Run, backend: Backend | None = None, watch: TrainingWatch | None = None
    ) -> None:
        self.store, self.run, self.backend, self.watch = store, run, backend, watch
        self.configuration = run.configuration
        self.rules = self.configuration.game_rules(run.folder)
        self._done: dict[int, int] = {}
        """The iterations that are done or no longer needed, by restart."""

    def complete(self) -> Result:
        """Train the missing restarts, write the agent and the result, and return the result."""
        with locked(self.run.folder):
            validations = {row.restart: row for row in self.store.runs.validations(self.run.id)}
            told: dict[int, list[StoredIteration]] = {}
            for row in self.store.runs.iterations(self.run.id):
                told.setdefault(row.restart, []).append(row)
            self._done = dict.fromkeys(validations, self.configuration.iterations)
            left = [restart for restart in range(self.configuration.restarts) if restart not in validations]
            for found in self._train({restart: told.get(restart, []) for restart in left}):
                validations[found.restart] = found
            for restart in range(self.configuration.restarts):
                self._forget_checkpoint(restart)
            result = self._test([validations[restart] for restart in range(self.configuration.restarts)])
            self.store.runs.finish(self.run.id, result.as_json())
            return result

    def _train(self, left: dict[int, list[StoredIteration]]) -> Iterator[StoredValidation]:
        """Train these restarts from their state in the store."""
        learning, optimiser = self.configuration.learning, self.configuration.optimiser
        if learning is not None:
            for restart, told in left.items():
                yield self._learn(learning, restart, told)
                self._forget_checkpoint(restart)
            return
        assert optimiser is not None, "a configuration has one of the two"
        together = [list(left)] if isinstance(self.backend, Shared) else [[restart] for restart in left]
        for restarts in together:
            yield from self._optimise([self._search(optimiser, restart, left[restart]) for restart in restarts])

    def _search(self, optimiser: Optimiser, restart: int, told: list[StoredIteration]) -> "_Search":
        """Return the search of a restart in its state in the store."""
        optimisation, survived = self.optimisation(optimiser, restart), False
        for row in told:
            candidates = optimisation.ask()
            if row.candidates != _digest(candidates):
                version = self.store.runs.find(self.run.id).version
                raise StoreError(
                    f"{self.run.folder}: iteration {row.iteration} of restart {restart} cannot be repeated here; "
                    f"the run was begun with version {version} and its libraries"
                )
            survived = row.survived
            optimisation.tell(row.fitness)
        self._done[restart] = len(told)
        return _Search(restart, optimisation, self.configuration.games.until_limit, survived)

    def _optimise(self, searches: list["_Search"]) -> Iterator[StoredValidation]:
        """Run these searches to their end, side by side, so that all their candidates form one batch."""
        while searches:
            for search in searches:
                if search.stopped_by:
                    value = self.configuration.agent(search.optimisation.answer.tolist()).value
                    self._done[search.restart] = self.configuration.iterations
                    yield self._validate(search.restart, search.stopped_by, value)
            searches = [search for search in searches if not search.stopped_by]
            for together in self._batches(searches):
                self._iterate(together)

    def _batches(self, searches: list["_Search"]) -> list[list["_Search"]]:
        """Return the searches in groups that play the same games next."""
        batches: dict[int, list[_Search]] = {}
        for search in searches:
            batches.setdefault(self._first_game(search.restart, search.optimisation.iteration), []).append(search)
        return list(batches.values())

    def _learn(self, method: LearningMethod, restart: int, told: list[StoredIteration]) -> StoredValidation:
        """Learn instead of optimising: an iteration is a stage, after which the agent is tried and kept."""
        configuration = self.configuration
        path = self._checkpoint(restart)
        learner = method.start(configuration.beginning(self.run.folder, restart, self.backend))
        kept = learner.load(path)
        answer, stage, best = np.empty(0), 0, -np.inf
        if kept is not None:
            answer, stage, best = _reached(path, kept, learner, method.stages)
        for iteration in range(stage, method.stages):
            started = time.perf_counter()
            while learner.learn(method.actions * (iteration + 1) // method.stages):
                learner.save(path, answer=answer, reached=np.array([iteration, best]))
            parameters = learner.parameters
            if not np.isfinite(parameters).all():
                raise SettingError(
                    f"{self.run.folder}: learning diverged in stage {iteration + 1} of restart {restart + 1}: the "
                    "agent's numbers grew without bound; try a smaller learning_rate, or features of smaller values"
                )
            played = self._try(configuration.playing_by(learner.value(parameters)))
            fitness = self._fitness(counted(configuration.fitness, played))[None]
            if fitness[0] > best:
                best, answer = float(fitness[0]), parameters
            row = self._row(restart, iteration, best, fitness, played, started, _digest(parameters))
            predicted = learner.figures
            if predicted is not None and math.isfinite(predicted.loss):
                row = replace(row, loss=predicted.loss, value=predicted.value)
            if iteration >= len(told):
                self.store.runs.add_iteration(self.run.id, row)
            learner.save(path, answer=answer, reached=np.array([iteration + 1, best]))
            self._report(row, row.games / played.seconds)
        return self._validate(restart, "actions", learner.value(answer))

    def _checkpoint(self, restart: int) -> Path:
        return self.run.folder / f"learner-{restart + 1}.npz"

    def _forget_checkpoint(self, restart: int) -> None:
        """Delete the checkpoint, and any part of one that a kill left behind."""
        path = self._checkpoint(restart)
        for left in (path, *path.parent.glob(f".{path.name}.*")):
            delete_file(left)

    def optimisation(self, optimiser: Optimiser, restart: int) -> Optimisation[Any]:
        """Return the search of a restart at its beginning."""
        return optimiser.start(optimiser.space(self.configuration.dimensions), [self.configuration.seed, restart])

    def _iterate(self, searches: list["_Search"]) -> None:
        """Run the next iteration of restarts whose candidates play the same games."""
        started = time.perf_counter()
        asked = [search.optimisation.ask() for search in searches]
        first_game = self._first_game(searches[0].restart, searches[0].optimisation.iteration)
        all_played = self._play(np.concatenate(asked), first_game)
        rows, before = [], 0
        for search, candidates in zip(searches, asked, strict=True):
            played = all_played.of_candidates(before, before + len(candidates))
            before += len(candidates)
            iteration, digest = search.optimisation.iteration, _digest(candidates)
            fitness = self._fitness(counted(self.configuration.fitness, played))
            search.optimisation.tell(fitness)
            best = search.optimisation.best_fitness
            row = self._row(search.restart, iteration, best, fitness, played, started, digest)
            search.survived = row.survived
            rows.append(replace(row, seconds=row.seconds / len(searches)))
        self.store.runs.add_iteration(self.run.id, *rows)
        for row in rows:
            self._report(row, all_played.lines.size / all_played.seconds)

    def _first_game(self, restart: int, iteration: int) -> int:
        """Return the number of an iteration's first training game."""
        games = self.configuration.games
        return (restart * self.configuration.iterations + iteration) * games.training if games.fresh else 0

    def _play(self, candidates: npt.NDArray[Any], first_game: int) -> Evaluation:
        games = self.configuration.games
        return evaluate_population(
            self.rules,
            self.configuration.template,
            candidates,
            games.training,
            self.configuration.seed,
            first_game=first_game,
            max_pieces=games.max_pieces,
            tries=games.tries,
            backend=self.backend,
            purpose=Purpose.TRAINING,
        )

    def _try(self, player: Agent) -> Evaluation:
        """Play the training games with an agent that learns: the same after every stage."""
        games = self.configuration.games
        return evaluate(
            self.rules,
            player,
            games.training,
            self.configuration.seed,
            max_pieces=games.max_pieces,
            tries=games.tries,
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
            survived=_some_survived(played),
        )

    def _validate(self, restart: int, stopped_by: str, value: Value) -> StoredValidation:
        value = value.with_parameters([shortest(number) for number in value.parameters])
        player = self.configuration.playing_by(value)
        played = evaluate(
            self.rules,
            player,
            self.configuration.games.validation,
            self.configuration.seed,
            max_pieces=self.configuration.test_limit,
            backend=self.backend,
            purpose=Purpose.VALIDATION,
        )
        stem = restart_stem(restart)
        for suffix, content in value.files.items():
            write_atomically(self.run.folder / f"{stem}{suffix}", content)
        row = StoredValidation(
            restart,
            stopped_by,
            list(value.parameters),
            played.lines.tolist(),
            played.score.tolist(),
            played.capped,
            player.value_as_json(stem) if value.files else None,
        )
        self.store.runs.set_validation(self.run.id, row)
        return row

    def _test(self, validations: list[StoredValidation]) -> Result:
        configuration = self.configuration
        best = {row.restart: row.best for row in self.store.runs.iterations(self.run.id)}
        restarts = tuple(self._restart_result(row, best[row.restart]) for row in validations)
        chosen = int(np.argmax([restart.validation_fitness for restart in restarts]))
        player = restarts[chosen].agent
        played = evaluate(
            self.rules,
            player,
            configuration.games.test,
            configuration.seed,
            max_pieces=configuration.test_limit,
            backend=self.backend,
        )
        self.store.runs.set_test_games(self.run.id, played)
        test = Figures(describe(played.lines), describe(played.score), played.capped)
        result = Result(self.run.folder, configuration, restarts, chosen, test)
        player.save(self.run.folder / AGENT_FILE)
        write_atomically(self.run.folder / RESULT_FILE, json.dumps(result.as_json(), indent=2) + "\n")
        return result

    def _restart_result(self, row: StoredValidation, training_fitness: float) -> RestartResult:
        games = row.points if self.configuration.fitness == "score" else row.lines
        return RestartResult(
            self.configuration.playing_by(self._value(row)),
            training_fitness,
            float(self._fitness(np.array(games))),
            Figures(describe(row.lines), describe(row.points), row.capped),
            row.stopped_by,
        )

    def _value(self, row: StoredValidation) -> Value:
        """Return the value that a restart found, from the store or from a file in the run's folder."""
        if row.value is not None:
            return value_from(row.value, self.run.folder, str(self.run.folder))
        return self.configuration.agent(row.weights).value

    def _fitness(self, counts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        configuration = self.configuration
        return fitness_of(configuration.fitness, counts, configuration.record_weight, configuration.mean_weight)

    def _report(self, row: StoredIteration, games_per_second: float) -> None:
        self._done[row.restart] = row.iteration + 1
        if self.watch:
            restarts, iterations = self.configuration.restarts, self.configuration.iterations
            done = sum(self._done.values())
            self.watch(
                TrainingProgress(
                    row.restart, restarts, row.best, row.mean, games_per_second, done, restarts * iterations
                )
            )


@dataclass
class _Search:
    """A restart of an optimiser at work."""

    restart: int
    optimisation: Optimisation[Any]
    until_limit: bool
    """Whether it ends once a candidate survives all its games."""
    survived: bool
    """Whether a candidate did in the last iteration."""

    @property
    def stopped_by(self) -> str:
        """The reason for its end; empty while it is running."""
        if self.until_limit and self.survived:
            return "piece limit"
        return (self.optimisation.stopped_by or "") if self.optimisation.finished else ""


def _reached(path: Path, kept: Arrays, learner: Learner, stages: int) -> tuple[npt.NDArray[Any], int, float]:
    """Return the best agent's parameters, the stages done and the best fitness from a checkpoint."""
    answer, reached = kept.get("answer"), kept.get("reached")
    if reached is None or reached.dtype != np.float64 or reached.shape != (2,) or np.isnan(reached).any():
        raise damaged(path, "`reached` is missing, or is not two numbers")
    stage, best = reached.tolist()
    if not (0 <= stage <= stages and stage == int(stage)):
        raise damaged(path, f"`reached` says stage {stage:g} of {stages}")
    if stage == 0:
        return np.empty(0), 0, -np.inf
    try:
        learner.value(np.empty(0) if answer is None else answer)
    except SettingError:
        raise damaged(path, "`answer` is missing, or does not fit the agent") from None
    assert answer is not None, "the learner would have refused it"
    return answer, int(stage), best


def _digest(candidates: npt.NDArray[Any]) -> str:
    return hashlib.sha256(np.ascontiguousarray(candidates, "<f8").tobytes()).hexdigest()[:16]


def _some_survived(played: Evaluation) -> bool:
    """Return whether the piece limit ended all games of a candidate (data2021, 5.3.1.4.1)."""
    return bool((played.termination == Termination.PIECE_LIMIT.value).all(axis=-1).any())
