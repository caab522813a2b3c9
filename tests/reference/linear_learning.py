"""Temporal differences of a weighted sum, plainly: whole games as lists, NumPy in binary64, the textbook's formulas."""

import numpy as np
import numpy.typing as npt

from blockfall import Agent, Game
from blockfall.agents import WeightedFeatures
from blockfall.games.streams import Purpose
from blockfall.learning import LinearLearning, Lstd, TemporalDifference
from blockfall.rulesets import Rules
from tests.reference.randomizer import words

Vector = npt.NDArray[np.float64]


class PlainLinearLearner:
    def __init__(self, rules: Rules, features: tuple[str, ...], settings: LinearLearning, seed: int) -> None:
        self.rules, self.features, self.set, self.seed = rules, features, settings, seed
        self.reward = "points" if settings.reward == "points" else "lines-cleared"
        self.names = features if self.reward in features else (*features, self.reward)
        self.weights = np.zeros(len(features) + 1)
        self.agent_weights = {name: float(name == self.reward) for name in self.names}
        self.seen: list[Vector] = []  # the sums of squares over all states
        self.left, self.right = np.zeros((len(self.weights),) * 2), np.zeros(len(self.weights))
        self.squares = np.zeros(len(self.weights))
        self.actions = self.games = self.solved_at = 0

    def learn(self, until: int) -> None:
        self.predictions: list[tuple[float, float]] = []  # values and errors since this call
        while self.actions < until:
            self._play_game()
            since = self.actions - self.solved_at
            if isinstance(self.set, Lstd) and self.actions >= self.set.warm_up and since >= self.set.policy_actions:
                self._solve(self.set)

    def _play_game(self) -> None:
        game = Game(self.rules, self.seed, self.games, 1, Purpose.LEARNING)
        draws = words(self.seed, self.games | 1 << 63, 3)
        empty = np.zeros(self.rules.columns, dtype=np.uint32)
        state = self._state(self._player().core.measure_board(self.rules.core, empty).tolist())
        trace = np.zeros_like(state)
        while not game.over and not (self.set.max_pieces and game.outcome.pieces == self.set.max_pieces):
            random = self.actions < self.set.warm_up
            if not random and self.set.exploration > 0:
                random = next(draws) < self.set.exploration * 2**32
            if random:
                for count, option in enumerate(game.placements(), 1):
                    if next(draws) * count >> 32 == 0:
                        placement = option
            else:
                placement = game.choose(self._player())
            after = self._state(game.measure(self._player(), placement))
            lines, points = game.outcome.lines, game.outcome.score
            game.play(placement)
            self.actions += 1
            reward = game.outcome.score - points if self.set.reward == "points" else game.outcome.lines - lines
            if game.over:
                after, reward = np.zeros_like(state), self.set.end_reward
            trace = self.set.discount * self.set.trace_decay * trace + state
            self.seen.append(state)
            self._step(trace, state, after, reward)
            state = after
        self.games += 1

    def _state(self, measured: list[float]) -> Vector:
        return np.array([*measured[: len(self.features)], 1.0])

    def _player(self) -> Agent:
        return Agent("", WeightedFeatures(self.agent_weights))

    def _step(self, trace: Vector, state: Vector, after: Vector, reward: float) -> None:
        gamma = self.set.discount
        value = float(self.weights @ state)
        self.predictions.append((value, reward + gamma * float(self.weights @ after) - value))
        if isinstance(self.set, TemporalDifference):
            error = reward + gamma * self.weights @ after - self.weights @ state
            mean_squares = np.mean(np.square(self.seen), axis=0)
            scale = np.divide(1.0, mean_squares, out=np.zeros_like(mean_squares), where=mean_squares > 0)
            self.weights = self.weights + self.set.learning_rate / len(state) * error * trace * scale
            if self.actions >= self.set.warm_up:
                self._use_weights()
        else:
            self.left += np.outer(trace, state - gamma * after)
            self.right += trace * reward
            self.squares += state**2

    def _solve(self, settings: Lstd) -> None:
        diagonal = np.where(self.squares > 0, settings.ridge * self.squares, 1.0)
        self.weights = np.linalg.solve(self.left + np.diag(diagonal), self.right)
        self._use_weights()
        self.left, self.right, self.squares = (part * settings.memory for part in (self.left, self.right, self.squares))
        self.solved_at = self.actions

    def _use_weights(self) -> None:
        learned = dict(zip(self.features, self.set.discount * self.weights[:-1], strict=True))
        self.agent_weights = {name: float(learned.get(name, 0.0) + (name == self.reward)) for name in self.names}
