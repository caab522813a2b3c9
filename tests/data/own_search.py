"""Algorithms and problems that a student might write."""

# ruff: noqa: ARG001
# mypy: ignore-errors

from collections import deque

import blockfall


def breadth_first(problem):
    "The fewest moves, as in the textbook."
    start = problem.start()
    ways, waiting = {start: []}, deque([start])
    while waiting:
        state = waiting.popleft()
        if problem.is_goal(state):
            return ways[state]
        for action in problem.actions(state):
            result = problem.result(state, action)
            if result not in ways:
                ways[result] = [*ways[state], action]
                waiting.append(result)
    return None


def better_and_better(problem):
    "Random walks; each better one is yielded."
    import random

    draw, best = random.Random(1), None
    while True:
        state, moves, earned = problem.start(), [], 0
        while not problem.is_goal(state):
            actions = problem.actions(state)
            if not actions:
                break
            moves.append(draw.choice(actions))
            result = problem.result(state, moves[-1])
            earned += problem.reward(state, moves[-1], result)
            state = result
        else:
            if best is None or earned > best:
                best = earned
                yield moves


def gives_a_number(problem):
    return 42


def gives_up(problem):
    return None


def stops_early(problem):
    return []


def cheats(problem):
    return [(31, 31)] * 3


def divides_by_zero(problem):
    return 1 // len(problem.start().text()[:0])


def never_asks(problem):
    while True:
        pass


def hoards(problem):
    hoard = []
    while True:
        hoard.append(bytearray(1_000_000))


def yields_for_ever(problem):
    while True:
        yield None


class Stairs(blockfall.Problem):
    "Up some steps, one or seven at a time."

    unit_cost = True

    def __init__(self, steps=100):
        self.steps = steps

    def start(self):
        return 0

    def actions(self, state):
        return [step for step in (1, 7) if state + step <= self.steps]

    def result(self, state, action):
        return state + action

    def is_goal(self, state):
        return state == self.steps


class Needs(Stairs):
    def __init__(self, steps):
        super().__init__(steps)


class Wrong(Stairs):
    admissible = True

    def heuristic(self, state):
        return 2 * (state - self.steps)


not_a_problem = 3
