"""One set of search algorithms for every game, and for problems and algorithms of your own.

>>> from blockfall.games import game
>>> position = game("hopeless").start(seed=1, columns=5, rows=5, colours=4)
>>> found = solve(position, "a-star")
>>> found.optimal, found.points == solve(position, "brute-force").points
(True, True)
"""

from blockfall.search.algorithm import Algorithm, algorithms, core_algorithms, find_algorithm, register_algorithm
from blockfall.search.checking import check_problem
from blockfall.search.findings import Finding
from blockfall.search.positions import GameProblem, HopelessProblem, IstProblem, problem_of
from blockfall.search.problem import Problem, Searchable
from blockfall.search.registry import find_problem, problem_names, register_problem
from blockfall.search.settings import TIES, SearchSettings
from blockfall.search.solution import Expansion, Improvement, Opened, Solution
from blockfall.search.solving import solve
from blockfall.search.tracing import TracedSearch

__all__ = [
    "TIES",
    "Algorithm",
    "Expansion",
    "Finding",
    "GameProblem",
    "HopelessProblem",
    "Improvement",
    "IstProblem",
    "Opened",
    "Problem",
    "SearchSettings",
    "Searchable",
    "Solution",
    "TracedSearch",
    "algorithms",
    "check_problem",
    "core_algorithms",
    "find_algorithm",
    "find_problem",
    "problem_names",
    "problem_of",
    "register_algorithm",
    "register_problem",
    "solve",
]
