"""A plugin that registers a thing of every kind, written for Blockfall 0.1.0."""

import blockfall
from blockfall.studies import Report, Study, StudySettings, judged


@blockfall.feature("first-column")
def first_column(board):
    "Height of the first column."
    return board.heights[0]


blockfall.register_rules("thin", {"extends": "nes-no-rotation", "title": "Thin", "board": {"rows": 12}})


@blockfall.register_optimiser
class Draws(blockfall.RandomSearch):
    name, title, source = "draws", "Ten draws", "a test"
    population: int = 10
    luck: float = 0.5


@blockfall.register_problem
class Stairs(blockfall.Problem):
    name = "stairs"
    unit_cost = True

    def start(self):
        return 0

    def actions(self, state):
        return [step for step in (1, 7) if state + step <= 100]

    def result(self, state, action):
        return state + action

    def is_goal(self, state):
        return state == 100


@blockfall.register_algorithm
def first_way(problem):
    "The first action again and again."
    state, moves = problem.start(), []
    while not problem.is_goal(state):
        moves.append(problem.actions(state)[0])
        state = problem.result(state, moves[-1])
    return moves


@blockfall.register_agent
def low(boards):
    return -boards.any(axis=2).sum(axis=1)


class Left(blockfall.Position):
    """Stones on a heap; a move takes one or two, and two earn a point."""

    acyclic = True

    def __init__(self, stones, score=0):
        self.stones, self.score = stones, score

    def actions(self):
        return [count for count in (1, 2) if count <= self.stones]

    def apply(self, action):
        return Left(self.stones - action, self.score + action // 2)

    def text(self):
        return "o" * self.stones


@blockfall.register_game
class Stones(blockfall.GameKind):
    name, title, about = "stones", "Stones", "Take one or two."
    options = (blockfall.Option("heap", 7, "the stones", least=1, most=20),)

    def begin(self, seed, *, heap):
        return Left(heap)


def run(settings, work):
    played = blockfall.evaluate(rules="thin", agent="lee", games=20, seed=settings.seed, backend=work.backend)
    row = judged("lee", played.summary().mean, played.summary().sem, None)
    return blockfall.Findings((row,), Report("Lee", "How lee plays.", ()))


blockfall.register_study(Study("lee-alone", "Lee alone", "a test", StudySettings, run, "a second"))
