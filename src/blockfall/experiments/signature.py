"""The behaviour signature: digests of seeded games and searches, one entry per rules and agent, or game and algorithm.

A commit that changes how the core plays or searches changes entries, and their names say what changed. A study keeps
the entries that it rests on beside its figures, so anyone can see whether the program still plays as it did then.

>>> play_digest("nes-no-rotation", "birken-6") == play_digest("nes-no-rotation", "birken-6")
True
>>> list(signature(plays=[("nes", "birken-6")], searches=[("hopeless", "a-star")]))
['nes birken-6', 'hopeless a-star']
"""

import zlib
from collections.abc import Iterable
from functools import cache

import numpy as np
import numpy.typing as npt

from blockfall.agents import Agent, WeightedFeatures, agent, agent_names
from blockfall.compute import LocalBackend, evaluate
from blockfall.features import feature_list
from blockfall.games import HopelessBoard, IstState, scoring
from blockfall.rulesets import rules_names
from blockfall.search import HopelessProblem, IstProblem, Searchable, SearchSettings, algorithms, solve

Signature = dict[str, str]
"""Digests by entry. An entry's name is `RULES AGENT` or `GAME ALGORITHM`."""

Pairs = Iterable[tuple[str, str]]
"""Rules and agents, or games and algorithms."""

GROUPS = ("soster-3",)
"""Groups of features that play as agents do: trainings use their features, and no shipped agent has all of them."""

SEARCHED = ("hopeless", "samegame", "ist-tetris")
"""The games that are searched in the signature."""

_SEED = 2024
_GAMES, _MAX_PIECES = 4, 150
_NODE_LIMIT = 2000
_BOARDS = 2  # of Hopeless and SameGame
_IST = (
    ("ojl", "", None),
    ("tis", "#.........\n##......##", None),
    ("ojl", "##.....###", "qualidade"),
    ("oj", "###...####", "ist-h1"),
    ("jl", "###...####", "ist-h2"),
    ("lt", "###...####", "ist-h3"),
)
"""Pieces, board and heuristic."""


def players() -> tuple[str, ...]:
    """The names of everything that plays in the signature: the shipped agents, then `GROUPS`."""
    return (*agent_names(), *GROUPS)


def signature(plays: Pairs, searches: Pairs) -> Signature:
    """The entries of these pairs of rules and agent, then of these pairs of game and algorithm."""
    played = {f"{rules} {player}": play_digest(rules, player) for rules, player in plays}
    return played | {f"{game} {algorithm}": search_digest(game, algorithm) for game, algorithm in searches}


def whole_signature() -> Signature:
    """The entries of every rule set with every agent, and of every game with every algorithm."""
    return signature(
        [(rules, player) for rules in rules_names() for player in players()],
        [(game, algorithm) for game in SEARCHED for algorithm in algorithms()],
    )


def changes(before: Signature, after: Signature) -> list[str]:
    """Says of each entry that is not equal in both what happened to it.

    >>> changes({"nes lee": "1", "nes bdu": "2"}, {"nes lee": "3", "sz lee": "4"})
    ['nes lee: 1 is now 3', 'nes bdu: 2 is gone', 'sz lee: new']
    """
    said = [
        f"{name}: {digest} is {f'now {after[name]}' if name in after else 'gone'}"
        for name, digest in before.items()
        if after.get(name) != digest
    ]
    return said + [f"{name}: new" for name in after if name not in before]


def written(entries: Signature) -> str:
    """The entries as text, one after another: `RULES AGENT DIGEST` or `GAME ALGORITHM DIGEST`."""
    return "".join(f"{name} {digest}\n" for name, digest in entries.items())


def read(text: str) -> Signature:
    """The entries that `written` gave as text."""
    return dict(entry.rsplit(" ", 1) for entry in text.splitlines())


def short(entries: Signature) -> str:
    """One number over all entries, to be shown where there is no room for them."""
    return f"{zlib.crc32(written(entries).encode()):08x}"


@cache
def play_digest(rules: str, player: str) -> str:
    """A digest of four short games: lines, pieces, placements, score and termination."""
    played = evaluate(rules, _player(player), games=_GAMES, seed=_SEED, max_pieces=_MAX_PIECES)
    return _digest(played.lines, played.pieces, played.placements, played.score, played.termination)


@cache
def search_digest(game: str, algorithm: str) -> str:
    """A digest of searches on small boards, each cut after some nodes: points, moves and nodes."""
    checksum = 0
    for problem in _problems(game):
        found = solve(problem, algorithm, SearchSettings(node_limit=_NODE_LIMIT, seed=_SEED), backend=LocalBackend(1))
        said = f"{found.points} {found.moves} {found.nodes_expanded} {found.nodes_generated}"
        checksum = zlib.crc32(said.encode(), checksum)
    return f"{checksum:08x}"


def _digest(*counts: npt.NDArray[np.generic]) -> str:
    checksum = 0
    for one in counts:
        checksum = zlib.crc32(one.tobytes(), checksum)
    return f"{checksum:08x}"


def _player(name: str) -> Agent:
    """A shipped agent, or an agent with the features of a group and weights of our choice: -1 and, in turn, less."""
    if name not in GROUPS:
        return agent(name)
    weights = {feature: -1.0 / place for place, feature in enumerate(feature_list(name), 1)}
    return Agent(name, WeightedFeatures(weights), 2)


def _problems(game: str) -> list[Searchable]:
    if game == "ist-tetris":
        return [IstProblem(IstState.start(pieces, board), heuristic=name) for pieces, board, name in _IST]
    return [HopelessProblem(HopelessBoard.random(6, 5, 4, _SEED, number), scoring(game)) for number in range(_BOARDS)]
