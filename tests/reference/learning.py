"""Learning a network from play, plainly: lists of states, NumPy in binary64, one step after another."""

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from blockfall import Agent, Game
from blockfall.agents import FeatureNetwork
from blockfall.games.streams import Purpose
from blockfall.learning import NetworkLearning, initial_weights
from blockfall.rulesets import Rules
from tests.reference.randomizer import words

LIVES, ENDED, CUT = 0, 1, 2
Vector = npt.NDArray[np.float64]


class PlainLearner:
    def __init__(
        self, rules: Rules, inputs: tuple[str, ...], hidden: tuple[int, ...], settings: NetworkLearning, seed: int
    ) -> None:
        self.rules, self.inputs, self.hidden, self.set, self.seed = rules, inputs, hidden, settings, seed
        self.parameters = np.array(initial_weights(len(inputs), hidden, [seed, 0]))
        self.target = self.parameters.copy()
        self.first = np.zeros_like(self.parameters)
        self.second = np.zeros_like(self.parameters)
        self.states: list[list[float]] = []
        self.rewards: list[float] = []
        self.links: list[int] = []
        self.actions = self.games = self.updates = 0

    def learn(self, until: int) -> None:
        self.predictions: list[tuple[float, float]] = []  # values and errors since this call
        while self.actions < until:
            self._play_game()

    def _play_game(self) -> None:
        game = Game(self.rules, self.seed, self.games, 1, Purpose.LEARNING)
        self._draws = words(self.seed, self.games | 1 << 63, 3)
        empty = np.zeros(self.rules.columns, dtype=np.uint32)
        self._add(self._player().core.measure_board(self.rules.core, empty).tolist(), 0.0)
        while not game.over:
            if game.outcome.pieces == self.set.max_pieces:
                self.links[-1] = CUT
                break
            random = self.actions < self.set.warm_up
            if not random and self.set.exploration > 0:
                random = bool((next(self._draws) >> 8) < np.float32(self.set.exploration) * 2**24)
            if random:
                for seen, option in enumerate(game.placements(), 1):
                    if self._below(seen) == 0:
                        placement = option
            else:
                placement = game.choose(self._player())
            seen_after = game.measure(self._player(), placement)
            before = game.outcome.lines
            game.play(placement)
            self.actions += 1
            if game.over:
                self.links[-1] = ENDED
            else:
                lines = game.outcome.lines - before
                self._add(seen_after, self.set.piece_reward + (self.set.line_reward[lines - 1] if lines else 0.0))
            if self.actions > self.set.warm_up and self.actions % self.set.train_every == 0:
                self._train()
        self.games += 1

    def _below(self, n: int) -> int:
        return next(self._draws) * n >> 32

    def _player(self) -> Agent:
        return Agent("", FeatureNetwork(self.inputs, self.hidden, tuple(self.parameters.tolist())))

    def _add(self, state: list[float], reward: float) -> None:
        self.states.append(state)
        self.rewards.append(reward)
        self.links.append(LIVES)

    def _train(self) -> None:
        chosen, targets = [], []
        for _ in range(self.set.sample):
            while self.links[number := self._below(len(self.states) - 1)] == CUT:
                pass
            chosen.append(number)
            targets.append(self._target(number))
        for _ in range(self.set.epochs):
            order = list(range(self.set.sample))
            for i in range(self.set.sample - 1, 0, -1):
                j = self._below(i + 1)
                order[i], order[j] = order[j], order[i]
            for start in range(0, self.set.sample, self.set.batch):
                batch = order[start : start + self.set.batch]
                self._update(np.array([self.states[chosen[i]] for i in batch]), np.array([targets[i] for i in batch]))

    def _target(self, number: int) -> float:
        """Return the rewards of the next steps, plus the value that is still to come unless the game ends."""
        rewards: list[float] = []
        at = number
        while len(rewards) < self.set.steps and at + 1 < len(self.states) and self.links[at] == LIVES:
            at += 1
            rewards.append(self.rewards[at])
        if self.links[at] == ENDED and len(rewards) < self.set.steps:
            rewards.append(self.set.end_reward)
        else:
            estimator = self.target if self.set.target_every else self.parameters
            rewards.append(float(self._forward(estimator, np.array([self.states[at]]))[-1][0, 0]))
        value = sum(self.set.discount**k * reward for k, reward in enumerate(rewards))
        return self.rewards[number] + self.set.discount * value if self.set.own_reward else value

    def _layers(self, parameters: Vector) -> list[tuple[Vector, Vector]]:
        layers, start = [], 0
        for before, width in pairwise((len(self.inputs), *self.hidden, 1)):
            end = start + before * width
            layers.append((parameters[start:end].reshape(before, width), parameters[end : end + width]))
            start = end + width
        return layers

    def _forward(self, parameters: Vector, x: Vector) -> list[Vector]:
        """Return the inputs, the outputs of every hidden layer, and the values."""
        layers, seen = self._layers(parameters), [x]
        for weights, biases in layers[:-1]:
            seen.append(np.maximum(seen[-1] @ weights + biases, 0))
        return [*seen, seen[-1] @ layers[-1][0] + layers[-1][1]]

    def _update(self, x: Vector, y: Vector) -> None:
        *seen, values = self._forward(self.parameters, x)
        self.predictions += zip(values[:, 0].tolist(), (y - values[:, 0]).tolist(), strict=True)
        error = 2 * (values - y[:, None]) / len(y)
        parts: list[Vector] = []
        for (weights, _), into in zip(reversed(self._layers(self.parameters)), reversed(seen), strict=True):
            parts = [(into.T @ error).ravel(), error.sum(axis=0), *parts]
            error = (error @ weights.T) * (into > 0)
        gradient = np.concatenate(parts)
        self.updates += 1
        self.first = 0.9 * self.first + 0.1 * gradient
        self.second = 0.999 * self.second + 0.001 * gradient**2
        step = self.set.learning_rate * np.sqrt(1 - 0.999**self.updates) / (1 - 0.9**self.updates)
        self.parameters = self.parameters - step * self.first / (np.sqrt(self.second) + 1e-7)
        if self.set.target_every and self.updates % self.set.target_every == 0:
            self.target = self.parameters.copy()
