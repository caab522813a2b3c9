"""The Tetris Bot Protocol: agents as bots, and bots in other programs as agents."""

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import blockfall
from blockfall import Board, Game, Termination
from blockfall.errors import BlockfallError, BotError, SettingError
from blockfall.games.bot import Bot
from blockfall.games.outside import end_conversations, position_of
from blockfall.tbp.messages import BotMessageError, read_start, write_start, written
from blockfall.tbp.moves import ORIENTATIONS, Move
from blockfall.tbp.positions import BotPosition
from tests.program import PROGRAM, output_of, refusal, run_program

EMPTY = [[None] * 10 for _ in range(40)]


@pytest.fixture(autouse=True)
def _end_bots() -> Iterator[None]:
    yield
    end_conversations()


def bot(agent: str = "dellacherie", rules: str = "guideline") -> Bot:
    return Bot(blockfall.agent(agent), blockfall.rules(rules))


def start(queue: str, hold: str | None = None, board: list[list[str | None]] | None = None) -> str:
    return written("start", hold=hold, queue=list(queue), combo=0, back_to_back=False, board=board or EMPTY)


def play(piece: str, orientation: str, x: int) -> str:
    return written("play", move={"location": {"type": piece, "orientation": orientation, "x": x, "y": 0}})


def suggested(player: Bot) -> list[dict[str, object]]:
    (answer,) = player.hear('{"type": "suggest"}')
    message = json.loads(answer)
    assert message["type"] == "suggestion"
    moves: list[dict[str, object]] = message["moves"]
    return moves


@pytest.mark.parametrize(
    ("piece", "orientation", "cells"),
    [  # the centres of the protocol: O's bottom left, top left, top right, bottom right; I's middle left, top, ...
        ("O", "north", {(4, 4), (5, 4), (4, 5), (5, 5)}),
        ("O", "east", {(4, 4), (5, 4), (4, 3), (5, 3)}),
        ("O", "south", {(4, 4), (3, 4), (4, 3), (3, 3)}),
        ("O", "west", {(4, 4), (3, 4), (4, 5), (3, 5)}),
        ("I", "north", {(3, 4), (4, 4), (5, 4), (6, 4)}),
        ("I", "east", {(4, 5), (4, 4), (4, 3), (4, 2)}),
        ("I", "south", {(2, 4), (3, 4), (4, 4), (5, 4)}),
        ("I", "west", {(4, 3), (4, 4), (4, 5), (4, 6)}),
        ("T", "east", {(4, 5), (4, 4), (4, 3), (5, 4)}),
        ("S", "north", {(3, 4), (4, 4), (4, 5), (5, 5)}),
        ("Z", "west", {(3, 3), (3, 4), (4, 4), (4, 5)}),
        ("J", "south", {(3, 4), (4, 4), (5, 4), (5, 3)}),
        ("L", "west", {(4, 5), (4, 4), (4, 3), (3, 5)}),
    ],
)
def test_moves_have_the_cells_of_the_specification(piece: str, orientation: str, cells: set[tuple[int, int]]) -> None:
    assert orientation in ORIENTATIONS
    assert Move(piece, orientation, 4, 4).cells == cells
    assert Move.of(piece, cells).cells == cells


def test_every_placement_of_the_guideline_is_a_move() -> None:
    for piece in "IOTSZJL":
        game = Game.at("guideline", Board.empty(10, 24), piece)
        placements = game.placements()
        assert len(placements) >= 9
        for one in placements:
            assert Move.of(piece, one.cells).cells == set(one.cells)


def test_the_bot_follows_a_whole_conversation() -> None:
    player = bot()
    info = json.loads(player.greeting("1"))
    assert (info["type"], info["version"], info["features"]) == ("info", "1", [])
    assert [json.loads(text) for text in player.hear('{"type": "rules", "x": 1}')] == [{"type": "ready"}]
    assert player.hear('{"type": "surprise"}') == []
    assert suggested(player) == []
    assert player.hear(start("IT")) == []
    moves = suggested(player)
    assert moves
    assert player.hear(json.dumps({"type": "play", "move": moves[0]})) == []
    assert player.hear('{"type": "new_piece", "piece": "O"}') == []
    assert player.position
    assert set(player.position.queue) | set(player.position.hold or "") == set("ITO") - {
        moves[0]["location"]["type"]  # type: ignore[index]
    }
    player.hear('{"type": "stop"}')
    assert suggested(player) == []
    player.hear('{"type": "quit"}')
    assert player.ended


def test_the_bot_plays_like_its_agent_when_it_cannot_hold() -> None:
    game = Game("guideline", seed=5, pieces_known=1)
    player = bot()
    for _ in range(10):
        player.hear(write_start(position_of(game)))
        chosen = game.choose("dellacherie")
        location = suggested(player)[0]["location"]
        assert isinstance(location, dict)
        move = Move(location["type"], location["orientation"], location["x"], location["y"])
        assert move.cells == set(chosen.cells)
        game.play(chosen)


def test_the_bot_holds_when_that_is_better() -> None:
    """Nine columns are full: I clears four lines, S makes a hole. The I is held, next or first."""
    board = [["G"] * 9 + [None] if y < 4 else [None] * 10 for y in range(40)]
    for queue, hold in (("S", "I"), ("SI", None), ("I", "S")):
        player = bot()
        player.hear(start(queue, hold, board))  # type: ignore[arg-type]
        move = suggested(player)[0]
        assert move["location"] == {"type": "I", "orientation": "east", "x": 9, "y": 2}


def test_the_bot_never_holds_under_rules_without_hold() -> None:
    player = bot(rules="standard")
    player.hear(start("SI"))
    assert {move["location"]["type"] for move in suggested(player)} == {"S"}  # type: ignore[index]


def test_a_board_higher_than_the_rules_allow_gets_no_moves() -> None:
    """Our guideline rules have 24 rows, the protocol 40."""
    for row, fits in ((23, True), (24, False), (39, False)):
        board: list[list[str | None]] = [[None] * 10 for _ in range(40)]
        board[row][0] = "G"
        player = bot()
        player.hear(start("T", board=board))
        assert bool(suggested(player)) == fits


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("no json", "not JSON"),
        ("[]", "a JSON object with a type"),
        ("3", "a JSON object with a type"),
        ('{"type": 3}', "a JSON object with a type"),
    ],
)
def test_a_text_that_is_not_a_message_is_an_error_and_the_game_goes_on(text: str, error: str) -> None:
    player = bot()
    player.hear(start("T"))
    with pytest.raises(BotMessageError, match=f"^[^\n]*{error}[^\n]*$"):
        player.hear(text)
    assert suggested(player)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"type": "start", "queue": ["X"], "board": []}', "queue.0 of start"),
        ('{"type": "start", "queue": ["T"]}', "board of start"),
        ('{"type": "new_piece", "piece": "Q"}', "piece of new_piece"),
        (play("T", "up", 0), "orientation of play"),
        (play("Z", "north", 4), "places Z, but the queue is T"),
        (play("T", "north", 0), "not free or outside the board"),
    ],
)
def test_a_wrong_board_move_or_piece_is_an_error_and_ends_the_game(text: str, error: str) -> None:
    player = bot()
    player.hear(start("T"))
    with pytest.raises(BlockfallError, match=f"^[^\n]*{error}[^\n]*$"):
        player.hear(text)
    assert suggested(player) == []


def test_rules_without_ten_columns_are_refused() -> None:
    with pytest.raises(SettingError, match="boards of 10 columns; aveiro has 8"):
        bot(rules="aveiro")


def test_positions_survive_the_message() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        position = BotPosition(tuple(rng.integers(0, 1023, 40).tolist()), "TIO", "S", 3, True, "LJ")
        assert read_start(json.loads(write_start(position))) == position


def test_the_tbp_command_answers_until_quit() -> None:
    sent = "\n".join(['{"type": "rules"}', "nonsense", start("TIO"), '{"type": "suggest"}', '{"type": "quit"}', ""])
    done = run_program("tbp", input=sent)
    assert done.returncode == 0
    assert [json.loads(row)["type"] for row in done.stdout.splitlines()] == ["info", "ready", "suggestion"]
    assert done.stderr.startswith("blockfall: ignored: not JSON")
    assert len(done.stderr.splitlines()) == 1


# A small honest bot in plain Python, independent of Blockfall. It drops each unturned piece where it lands lowest.
HONEST = """
import json, sys
N = {"I": [(-1,0),(0,0),(1,0),(2,0)], "O": [(0,0),(1,0),(0,1),(1,1)], "T": [(-1,0),(0,0),(1,0),(0,1)],
     "S": [(-1,0),(0,0),(0,1),(1,1)], "Z": [(-1,1),(0,1),(0,0),(1,0)], "J": [(-1,0),(0,0),(1,0),(-1,1)],
     "L": [(-1,0),(0,0),(1,0),(1,1)]}
def say(**m): print(json.dumps(m), flush=True)
def free(x, y, k): return all(0 <= x+a < 10 and 0 <= y+b < 40 and not board[y+b][x+a] for a, b in N[k])
say(type="info", name="honest", version="1", author="a test", features=[])
starts = 0
for row in sys.stdin:
    m = json.loads(row)
    if m["type"] == "rules": say(type="ready")
    if m["type"] == "start": board, queue, starts = m["board"], m["queue"], starts + 1
    if m["type"] == "new_piece": queue.append(m["piece"])
    if m["type"] == "suggest":
        k, moves = queue[0], []
        for x in range(10):
            y = 20
            while free(x, y - 1, k): y -= 1
            if free(x, y, k): moves.append((y, x))
        say(type="suggestion", moves=[{"location": {"type": k, "orientation": "north", "x": x, "y": y}, "spin": "none"}
                                      for y, x in sorted(moves)])
    if m["type"] == "play":
        l = m["move"]["location"]; queue.pop(0)
        for a, b in N[l["type"]]: board[l["y"]+b][l["x"]+a] = "G"
        board = [r for r in board if not all(r)]; board += [[None]*10 for _ in range(40-len(board))]
        assert starts == 1
    if m["type"] == "stop": starts = 0
    if m["type"] == "quit": break
"""


def program(tmp_path: Path, code: str, name: str = "bot.py") -> str:
    path = tmp_path / name
    path.write_text(code)
    return f"tbp:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


def lowest(game: Game) -> blockfall.Placement:
    """Return the placement that the honest bot chooses."""
    flat = [one for one in game.placements() if Move.of(one.piece, one.cells).orientation == "north"]
    dropped: dict[int, blockfall.Placement] = {}
    for one in flat:
        dropped[one.column] = max(dropped.get(one.column, one), one, key=lambda placement: placement.row)
    return min(dropped.values(), key=lambda placement: (Move.of(placement.piece, placement.cells).y, placement.column))


def test_a_bot_in_another_program_plays_whole_games(tmp_path: Path) -> None:
    """The games, played in two threads, equal those of the same rule in Python."""
    name = program(tmp_path, HONEST)
    played = blockfall.evaluate(rules="guideline", agent=name, games=4, seed=2, backend="local:2")
    for number in range(4):
        game = Game("guideline", seed=2, number=number, pieces_known=6)
        while not game.over:
            game.play(lowest(game))
        assert (played.pieces[number], played.lines[number]) == (game.outcome.pieces, game.outcome.lines)
        assert played.termination[number] == game.outcome.termination
    assert played.summary().mean >= 0
    assert blockfall.evaluate(rules="guideline", agent=name, games=1, seed=2, max_pieces=5).capped == 1


GREET = 'import json, os, sys, time\nsay = lambda **m: print(json.dumps(m), flush=True)\nsay(type="info")\n'
READY = 'for row in sys.stdin:\n  m = json.loads(row)\n  if m["type"] == "rules": say(type="ready")\n'
OUTSIDE = '{"location": {"type": "T", "orientation": "north", "x": 40, "y": 0}, "spin": "none"}'
FLOATING = '{"location": {"type": k, "orientation": "north", "x": 4, "y": 12}, "spin": "none"} for k in "IOTSZJL"'
SPINS = '{"location": {"type": k, "orientation": "north", "x": 4, "y": 0}, "spin": "full"} for k in "IOTSZJL"'


@pytest.mark.parametrize(
    "answer",
    [
        "time.sleep(60)",  # hangs
        "os._exit(3)",  # dies
        'say(type="suggestion", moves=[])',  # gives up
        f'say(type="suggestion", moves=[{OUTSIDE}])',  # lies
        f"say(type='suggestion', moves=[{FLOATING}])",
        f"say(type='suggestion', moves=[{SPINS}])",
        'say(type="suggestion", moves="all")',  # breaks the protocol
        'say(type="suggestion", moves=[{"location": {"type": "T", "orientation": "north", "x": 10**30, "y": 0}}])',
        'sys.stdout.write("x" * (1 << 22)); sys.stdout.flush(); time.sleep(60)',  # an endless line
        'print("\\n".join(["[]"] * 100000), flush=True); time.sleep(60)',  # floods
        'print("not json", flush=True); time.sleep(60)',
    ],
)
def test_a_bot_that_hangs_lies_or_dies_forfeits_and_other_games_go_on(tmp_path: Path, answer: str) -> None:
    code = GREET + READY + f'  if m["type"] == "suggest": {answer}\n'
    player = blockfall.Agent("bad", blockfall.Program(program(tmp_path, code)[4:], time_limit_s=0.5))
    played = blockfall.evaluate(rules="guideline", agent=player, games=2, seed=1, backend="local:2")
    assert played.termination.tolist() == [Termination.FORFEITED] * 2
    assert played.pieces.tolist() == [0, 0]
    assert dict(played.summary().terminations) == {"forfeited": 2}


def test_the_suggested_command_to_watch_a_bot_is_quoted() -> None:
    name = f"tbp:{shlex.join([*PROGRAM, 'tbp', '--agent', 'lee'])}"
    words = ["evaluate", "--rules", "guideline", "--agent", name, "--games", "1", "--max-pieces", "5"]
    (hint,) = [line for line in output_of(*words).splitlines() if line.startswith("Watch it play:")]
    assert shlex.split(hint)[-4:] == ["--rules", "guideline", "--agent", name]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("tbp:", "names no program"),
        ("tbp:no-such-program-here", "cannot start the bot"),
        ("tbp:'", "cannot read the command"),
        ("tbp:true", "ended before it sent 'info'"),
    ],
)
def test_a_program_that_is_not_a_bot_is_refused_in_one_line(command: str, message: str) -> None:
    assert message in refusal("evaluate", "--rules", "guideline", "--agent", command, "--games", "2")


def test_the_user_learns_that_a_bot_refuses_the_rules(tmp_path: Path) -> None:
    code = GREET + 'say(type="error", reason="unsupported_rules")\ntime.sleep(60)\n'
    with pytest.raises(BotError, match="does not play these rules: unsupported_rules"):
        blockfall.evaluate(rules="guideline", agent=program(tmp_path, code), games=1)
    with pytest.raises(SettingError, match="boards of 10 columns"):
        blockfall.evaluate(rules="aveiro", agent=program(tmp_path, code), games=1)


def test_our_own_bot_plays_through_the_protocol_and_holds() -> None:
    """Our bot in one process plays in another: both sides agree on every move, hold included."""
    name = "tbp:" + " ".join(shlex.quote(word) for word in [*PROGRAM, "tbp", "--agent", "dellacherie"])
    game = Game("guideline", seed=3, pieces_known=6)
    held = 0
    for _ in range(25):
        placement = game.choose(name)
        held += placement.piece != game.known[0]
        game.play(placement)
    assert not game.over
    assert held
    assert game.held


def test_an_agent_file_cannot_run_a_program(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text('{"name": "mine", "outside": {"command": "true"}}')
    with pytest.raises(BlockfallError, match="unknown key 'outside'"):
        blockfall.agent(path)
    with pytest.raises(SettingError, match="cannot be written"):
        blockfall.agent("tbp:true").as_json()
