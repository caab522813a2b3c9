"""The parsers, each with texts to start from. A parser accepts any bytes or raises a BlockfallError."""

import atexit
import hashlib
import io
import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import blockfall
from blockfall import fumen
from blockfall.agents import agent_names
from blockfall.compute import backend
from blockfall.experiments.choices import chosen_configuration
from blockfall.experiments.configuration import load_configuration, stored_configuration
from blockfall.games import game, game_names
from blockfall.games.board import Board
from blockfall.games.hopeless import parse_size
from blockfall.games.replay import Replay
from blockfall.learning.checkpoint import load
from blockfall.rulesets import rules_names, standalone
from blockfall.server import messages as course
from blockfall.server.client import address
from blockfall.tbp import messages as bots
from blockfall.tbp.moves import Move
from tests import ROOT
from tests.registries import restored

PACKAGE = Path(blockfall.__file__).parent
CASES = Path(__file__).parent / "cases"
_MOST_SEED_BYTES = 20_000


@dataclass(frozen=True)
class Target:
    """A parser and its well-formed inputs."""

    parse: Callable[[bytes], object]
    seeds: Callable[[], list[bytes]]


TARGETS: dict[str, Target] = {}


def target(seeds: Callable[[], list[bytes]]) -> Callable[[Callable[[bytes], object]], Callable[[bytes], object]]:
    def add(parse: Callable[[bytes], object]) -> Callable[[bytes], object]:
        TARGETS[parse.__name__.replace("_", "-")] = Target(parse, seeds)
        return parse

    return add


def kept(name: str) -> list[Path]:
    """Return the saved inputs that once failed."""
    return sorted((CASES / name).glob("*")) if (CASES / name).is_dir() else []


@cache
def _folder() -> Path:
    folder = Path(mkdtemp(prefix="blockfall-fuzz-"))
    shutil.copytree(ROOT / "examples" / "rules", folder / "rules")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _file(name: str, data: bytes) -> Path:
    path = _folder() / name
    path.write_bytes(data)
    return path


def _text(data: bytes) -> str:
    """Decode bytes as the command line does."""
    return data.decode("utf-8", "surrogateescape")


def _small(paths: list[Path]) -> list[bytes]:
    """Leave out a board network's weights, which the target `weights` covers."""
    found = [path.read_bytes() for path in paths]
    return [data for data in found if len(data) <= _MOST_SEED_BYTES and b"board_network" not in data]


@target(lambda: _small([PACKAGE / "rulesets" / f"{name}.toml" for name in rules_names()]))
def rules(data: bytes) -> None:
    path = _file("rules.toml", data)
    found = blockfall.rules(path)
    assert blockfall.rules(_file("again.toml", standalone(path).encode())).file.board == found.file.board


@target(lambda: _small([PACKAGE / "agents" / f"{name}.json" for name in agent_names()]))
def agents(data: bytes) -> None:
    blockfall.agent(_file("agent.json", data))


@target(lambda: _small(sorted((ROOT / "examples").glob("*.toml"))))
def runs(data: bytes) -> None:
    load_configuration(_file("run.toml", data))


@target(lambda: _small(sorted((ROOT / "examples").glob("*.toml"))))
def stored_runs(data: bytes) -> None:
    stored_configuration(data.decode(errors="replace"), "the store")


@target(
    lambda: [
        b'optimiser.name="pso"\noptimiser.patience=30\nfitness="mean"',
        b"games.test=3",
        b"hidden=[3,4]",
        b"guard={max_height=3}",
    ]
)
def changes(data: bytes) -> None:
    chosen_configuration({}, changes=_text(data).split("\n"))


@target(lambda: [b"#.........\n##.#######\n" * 3, b"..........\n", b"12.\n121\n", b"555\n123\n", b"v115@vhAAgH"])
def boards(data: bytes) -> None:
    text = data.decode(errors="replace")
    for columns, rows in ((10, 20), (4, 32)):
        with suppress(blockfall.BlockfallError):
            Board.from_text(text, columns, rows).text()
    for name in game_names():
        with suppress(blockfall.BlockfallError):
            game(name).read(text).text()


def _fumens() -> list[bytes]:
    plain = fumen.Page(("XX__IIII__", "XXXX_XXXXX"), comment="a b")
    placed = fumen.Page((), Move.of("T", [(3, 0), (4, 0), (5, 0), (4, 1)]))
    texts = [
        fumen.encode([plain]),
        fumen.encode([placed, plain], 110),
        fumen.encode([placed, fumen.Page(placed.after())]),
    ]
    return [text.encode() for text in [*texts, f"http://fumen.zui.jp/?{texts[0]}"]]


@target(_fumens)
def fumens(data: bytes) -> None:
    pages = fumen.decode(_text(data))
    version = 115 if len(pages[0].rows) == 23 else 110
    assert fumen.decode(fumen.encode(pages, version)) == pages


@cache
def _replays() -> list[bytes]:
    found = []
    for rules, seed in (("nes-no-rotation", 1), ("guideline", 2)):
        played = blockfall.Game(rules, seed=seed)
        placements = []
        for _ in range(8):
            placements.append(played.choose("dellacherie"))
            played.play(placements[-1])
        found.append(Replay(blockfall.rules(rules), placements, seed).text().encode())
        found.append(Replay(blockfall.rules(rules), placements).text().encode())
    return found


@target(_replays)
def replays(data: bytes) -> None:
    replay = Replay.parse(data.decode(errors="replace"))
    assert Replay.parse(replay.text()) == replay


@target(lambda: [b'{"cmd": "join", "name": "me"}', b'{"cmd": "key", "key": "w"}'])
def commands(data: bytes) -> None:
    found = course.parse_command(data)
    if isinstance(found, course.Join):
        course.player_name(found)


@target(
    lambda: [
        b'{"dimensions": [10, 30], "grid": [[0, 1]], "game_speed": 10, "score": 3, "player": "me"}',
        b'{"game": [[1, 2]], "piece": [[3, 4]], "next_pieces": [[[2, 2]]], "game_speed": 9.5, "score": 0}',
        b'{"error": "no"}',
        b'{"dimensions": [8, 3], "grid": [], "highscores": [["me", 3]]}',
    ]
)
def said(data: bytes) -> None:
    course.parse_said(data)


@target(
    lambda: [
        json.dumps({"type": "start", "hold": None, "queue": ["I"], "board": [[None] * 10] * 40}).encode(),
        b'{"type": "suggestion", "moves": [{"location": {"type": "I", "orientation": "east", "x": 1, "y": 2}}]}',
        b'{"type": "play", "move": {"location": {"type": "T", "orientation": "north", "x": 4, "y": 0}}}',
        b'{"type": "new_piece", "piece": "S"}',
    ]
)
def bot_messages(data: bytes) -> None:
    message = bots.parsed(data)
    for read in (bots.read_play, bots.read_suggestion, bots.read_new_piece, bots.read_start):
        with suppress(blockfall.BlockfallError):
            read(message)


_SIZES = {"columns": 4, "rows": 6, "channels": 4, "kernel": 3, "blocks": 1, "hidden": 4, "outputs": 1}


def _weights() -> list[bytes]:
    empty = blockfall.BoardNetwork.zeros(**_SIZES).weights
    return [empty, bytes(16) + b"\x01" * (len(empty) - 16), bytes(16) + b"\xff" * (len(empty) - 16)]


@cache
def _tiny() -> blockfall.Rules:
    text = 'extends = "standard"\n[board]\ncolumns = 4\nrows = 6\n[spawn]\ncolumn = 0\n'
    return blockfall.rules(_file("tiny.toml", text.encode()))


@target(_weights)
def weights(data: bytes) -> None:
    """Read a board network from a file of weights, and let it play."""
    _file("net.weights", data)
    keys = {**_SIZES, "weights": "net.weights", "sha256": hashlib.sha256(data).hexdigest()}
    made = blockfall.agent(_file("net.json", json.dumps({"board_network": keys}).encode()))
    blockfall.evaluate(_tiny(), made, 1, seed=1, max_pieces=3, backend="local:1")


def _checkpoints() -> list[bytes]:
    buffer = io.BytesIO()
    np.savez(buffer, answer=np.arange(5.0), reached=np.array([1.0, 2.0]))
    return [buffer.getvalue()]


@target(_checkpoints)
def checkpoints(data: bytes) -> None:
    load(_file("learner.npz", data))


@target(lambda: [b"my-feature", b"holes", b"mine", b"a b", b""])
def names(data: bytes) -> None:
    """Check the names that a plugin gives to its features, and names that a user types."""
    text = _text(data)
    with restored(), suppress(blockfall.BlockfallError):
        blockfall.feature(text)(float)
    for find in (blockfall.find_feature, game):
        with suppress(blockfall.BlockfallError):
            find(text)


@target(
    lambda: [b"local:2", b"cuda:", b"dask:tcp://127.0.0.1:8786", b"10x20", b"ws://127.0.0.1:8000/player", b"tbp:cat -n"]
)
def options(data: bytes) -> None:
    text = _text(data)
    for read in (
        lambda: text.startswith(("dask", "cuda")) or backend(text),
        lambda: parse_size(text),
        lambda: address(text, "/player"),
        lambda: blockfall.agent(f"tbp:{text}"),
    ):
        with suppress(blockfall.BlockfallError):
            read()
