"""The behaviour signature: digests of seeded games, searches and trainings.

It has an entry for each rule set with each agent that can play it, each game with each algorithm, and some rule sets
with each trainer. A commit that changes how Blockfall plays, searches or trains changes entries, whose names say what
changed. A study keeps the entries that it depends on beside its figures, so anyone can see whether the program still
plays as it did then.

>>> play_digest("nes-no-rotation", "birken-6") == play_digest("nes-no-rotation", "birken-6")
True
>>> list(signature(plays=[("nes", "birken-6")], searches=[("hopeless", "a-star")], trainings=[("tetrisbot", "pso")]))
['nes birken-6', 'hopeless a-star', 'tetrisbot pso']
"""

import json
import zlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall.agents import Agent, WeightedFeatures, agent, agent_names
from blockfall.compute import LocalBackend, evaluate
from blockfall.experiments.provenance import Signature
from blockfall.features import feature_list
from blockfall.games import HopelessBoard, game
from blockfall.games.hopeless import scorings
from blockfall.learning import METHODS
from blockfall.optimisers import OPTIMISERS
from blockfall.rulesets import rules, rules_names
from blockfall.search import GameProblem, SearchSettings, core_algorithms, problem_of, solve
from blockfall.trainers import Trainer

Pairs = Iterable[tuple[str, str]]
"""Pairs of rules and agents, games and algorithms, or rules and trainers."""

GROUPS = ("soster-3",)
"""Groups of features that play like agents: trainings use them, and no shipped agent has all of their features."""

TRAINED: dict[str, dict[str, Any]] = {
    "nes-no-rotation": {"features": "soster-3", "pieces_known": 2, "fitness": "mean"},
    "tetrisbot": {"features": "data-6", "pieces_known": 1, "fitness": "score"},
}
"""The rule sets of the trainings, and the features of their agents."""

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
"""The pieces, board and heuristic of each search."""


def players() -> tuple[str, ...]:
    """Return the names of everything that plays in the signature: the shipped agents, then `GROUPS`."""
    return (*agent_names(), *GROUPS)


def trainers() -> dict[str, type[Trainer]]:
    """Return Blockfall's own trainers that find the same numbers on every processor."""
    return {name: kind for name, kind in {**OPTIMISERS, **METHODS}.items() if kind.repeatable}


def signature(plays: Pairs = (), searches: Pairs = (), trainings: Pairs = ()) -> Signature:
    """Return the entries of pairs of rules and agent, then of game and algorithm, then of rules and trainer."""
    kinds = ((plays, play_digest), (searches, search_digest), (trainings, training_digest))
    return {f"{first} {second}": digest(first, second) for pairs, digest in kinds for first, second in pairs}


def whole_signature() -> Signature:
    """Return all entries: rule sets with the agents that can play them, games with algorithms, and trainings."""
    return signature(
        [(name, player) for name in rules_names() for player in players() if _player(player).can_play(rules(name))],
        [(game, name) for game in _starts() for name, one in core_algorithms().items() if not one.undoes],
        [(rules, trainer) for rules in TRAINED for trainer in trainers()],
    )


@cache
def play_digest(rules: str, player: str) -> str:
    """Return a digest of four short games: lines, pieces, placements, score and termination."""
    played = evaluate(rules, _player(player), games=_GAMES, seed=_SEED, max_pieces=_MAX_PIECES)
    return _digest(played.lines, played.pieces, played.placements, played.score, played.termination)


@cache
def search_digest(game: str, algorithm: str) -> str:
    """Return a digest of searches on small boards, each cut after some nodes: points, moves and nodes."""
    checksum = 0
    for problem in _problems(game):
        found = solve(problem, algorithm, SearchSettings(node_limit=_NODE_LIMIT, seed=_SEED), backend=LocalBackend(1))
        said = f"{found.points} {found.moves} {found.nodes_expanded} {found.nodes_generated}"
        checksum = zlib.crc32(said.encode(), checksum)
    return f"{checksum:08x}"


@cache
def training_digest(rules: str, trainer: str) -> str:
    """Return a digest of the weights, the network or the table that a very short training finds."""
    from blockfall.experiments.configuration import configuration_from
    from blockfall.experiments.run import AGENT_FILE, create_run
    from blockfall.experiments.training import Training
    from blockfall.store import Store

    games = {"training": 3, "validation": 4, "test": 4, "max_pieces": 60}
    keys = {"rules": rules, "restarts": 1, "seed": _SEED, "games": games, **TRAINED[rules]}
    settings = {"name": trainer, **trainers()[trainer].small()}
    if trainer in OPTIMISERS:
        keys["optimiser"] = settings
    else:
        keys |= {"learning": settings, "pieces_known": 1}
        if METHODS[trainer].needs_network:
            keys["hidden"] = [4]
        if not METHODS[trainer].sees_features:
            del keys["features"]
    with TemporaryDirectory() as name, Store(Path(name) / "store.sqlite3") as store:
        run = create_run(store, configuration_from(keys, "the behaviour signature"), Path(name) / "run")
        Training(store, run).complete()
        found = json.loads((run.folder / AGENT_FILE).read_text(encoding="utf-8"))
    value = {key: found[key] for key in ("weights", "network", "table") if key in found}
    return f"{zlib.crc32(json.dumps(value, sort_keys=True).encode()):08x}"


def _digest(*counts: npt.NDArray[np.generic]) -> str:
    checksum = 0
    for one in counts:
        checksum = zlib.crc32(one.tobytes(), checksum)
    return f"{checksum:08x}"


def _player(name: str) -> Agent:
    """Return a shipped agent, or one with a group's features and weights of our choice: -1 and, in turn, less."""
    if name not in GROUPS:
        return agent(name)
    weights = {feature: -1.0 / place for place, feature in enumerate(feature_list(name), 1)}
    return Agent(name, WeightedFeatures(weights), 2)


def _starts() -> dict[str, list[tuple[str, dict[str, object]]]]:
    """Return the boards that are searched, as text, and the options, by game."""
    boards = [(str(HopelessBoard.random(6, 5, 4, _SEED, number)), dict[str, object]()) for number in range(_BOARDS)]
    pieces: list[tuple[str, dict[str, object]]] = [
        (board, {"pieces": letters, "heuristic": name}) for letters, board, name in _IST
    ]
    return {**dict.fromkeys(scorings(), boards), "ist-tetris": pieces}


def _problems(name: str) -> list[GameProblem]:
    kind, found = game(name), []
    for text, options in _starts()[name]:
        of_game, of_search = kind.split(options)
        found.append(problem_of(kind.read(text, 0, **of_game), **of_search))
    return found
