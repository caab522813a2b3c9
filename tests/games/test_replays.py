"""Replays: games as rows of JSON, written and read, and as fumens."""

import json
from itertools import islice
from pathlib import Path

import pytest

import blockfall
from blockfall import Board, Game, Replay, fumen
from blockfall.errors import BlockfallError
from tests import ROOT
from tests.program import output_of


def recorded(rules: str = "guideline", agent: str = "dellacherie", pieces: int = 25, seed: int | None = 5) -> Replay:
    game = Game(rules, seed=seed or 0, pieces_known=6)
    placed: list[blockfall.Placement] = []
    while not game.over and len(placed) < pieces:
        placed.append(game.choose(agent))
        game.play(placed[-1])
    return Replay(game.rules, placed, seed, agent=agent)


@pytest.mark.parametrize("rules", ["guideline", "nes", "standard-10x10", "aveiro"])
@pytest.mark.parametrize("seed", [5, None])
def test_a_written_replay_reads_as_itself(rules: str, seed: int | None, tmp_path: Path) -> None:
    replay = recorded(rules, seed=seed)
    replay.write(tmp_path / "game.jsonl")
    assert Replay.read(tmp_path / "game.jsonl") == replay
    assert replay.outcome.pieces == len(replay.placements)
    boards = [game.board for game, _ in replay.steps()]
    assert len(boards) == len(replay.placements)
    assert not boards[0].columns.any()


def test_the_rows_are_those_of_the_page() -> None:
    """The rows have the keys of docs/bots.md and no others."""
    head, *moves, end = [json.loads(row) for row in recorded().text().splitlines()]
    assert set(head) == {"format", "version", "rules", "seed", "number", "agent"}
    assert (head["format"], head["version"], head["rules"]) == ("blockfall-replay", 1, "guideline")
    assert all(set(move) == {"piece", "cells", "spin"} for move in moves)
    assert set(end) == {"end", "pieces", "lines", "score"}
    assert (end["end"], end["pieces"]) == ("running", 25)


def test_a_game_with_the_hold_queue_is_replayed() -> None:
    game, placed = Game("guideline", seed=2, pieces_known=6), []
    for number in range(12):
        placed.append(game.placements(hold=True)[-1 if number % 3 else 0])
        game.play(placed[-1])
    assert game.held
    replay = Replay.parse(Replay(game.rules, placed, 2).text())
    assert replay.outcome == game.outcome


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: [], "empty"),
        (lambda rows: rows[1:], "line 1"),
        (lambda rows: [rows[0].replace('"version": 1', '"version": 2'), *rows[1:]], "version"),
        (lambda rows: [rows[0].replace("guideline", "nonsense"), *rows[1:]], "unknown rules"),
        (lambda rows: [rows[0].replace('"seed": 5', '"seed": 6'), *rows[1:]], "placement"),
        (lambda rows: [rows[0], *rows[2:]], "is not possible"),
        (lambda rows: [*rows[:-1], rows[-1].replace('"pieces": 25', '"pieces": 26')], "it says 26 pieces"),
        (lambda rows: [*rows, rows[1]], "after the game's end"),
        (lambda rows: [rows[0], "{", *rows[1:]], "line 2: not JSON"),
        (lambda rows: [rows[0], '{"piece": "X", "cells": []}'], "piece is 'X'"),
        (lambda rows: [rows[0], rows[1].replace('"none"', '"full"')], "placement 1"),
    ],
)
def test_a_wrong_replay_is_refused_in_one_line(change: object, message: str) -> None:
    rows = recorded().text().splitlines()
    with pytest.raises(BlockfallError, match=message) as raised:
        Replay.parse("\n".join(change(rows)))  # type: ignore[operator]
    assert "\n" not in str(raised.value)


def test_a_replay_of_own_rules_needs_the_rules(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('extends = "standard"\n[board]\nrows = 12\n')
    game, placed = Game(path, seed=1), []
    for _ in range(4):
        placed.append(game.choose("lee"))
        game.play(placed[-1])
    text = Replay(game.rules, placed, 1).text()
    with pytest.raises(BlockfallError, match="unknown rules 'mine'"):
        Replay.parse(text)
    assert Replay.parse(text, path).outcome.pieces == 4


def test_a_game_goes_through_a_fumen() -> None:
    replay = recorded(seed=None)
    pages = fumen.decode(replay.fumen())
    assert len(pages) == len(replay.placements) + 1
    for page, (game, placement) in zip(pages, replay.steps(), strict=False):
        assert page.move
        assert page.move.cells == set(placement.cells)
        filled = [[cell != "_" for cell in row] for row in page.rows]
        assert filled == game.board.cells.tolist()[: len(filled)]
    again = Replay.from_fumen(replay.fumen())
    assert [set(one.cells) for one in again.placements] == [set(one.cells) for one in replay.placements]
    assert (again.outcome.lines, again.agent) == (replay.outcome.lines, replay.agent)


def test_a_fumen_may_begin_in_the_middle() -> None:
    board = Board.from_text("####.#####\n####.#####", 10, 24)
    game = Game.at("guideline", board, "I")
    replay = Replay(blockfall.rules("guideline"), [game.choose("dellacherie")], board=board)
    assert Replay.parse(replay.text()) == replay
    again = Replay.from_fumen(replay.fumen())
    assert again.board == board
    assert again.outcome.lines == 2


def test_watch_records_and_shows_replays(tmp_path: Path) -> None:
    def watch(*arguments: str) -> str:
        return output_of("watch", "--json", *arguments, cwd=tmp_path)

    rules = ("--rules", "guideline", "--agent", "lee", "--seed", "3", "--max-pieces", "8")
    played = json.loads(watch(*rules, "--record", "game.jsonl"))
    shown = json.loads(watch("--replay", "game.jsonl"))
    assert [row["cells"] for row in shown] == [row["cells"] for row in played]
    assert [row["lines"] for row in shown] == [row["lines"] for row in played]
    assert len(Replay.read(tmp_path / "game.jsonl").placements) == 8


def test_boards_and_games_draw_themselves_in_notebooks() -> None:
    board = Board.from_text("#..\n##.", 3, 4)
    picture = board._repr_svg_()
    assert picture.startswith("<svg ")
    assert picture.count("<rect") == 1 + 3
    assert 'width="48" height="64"' in picture
    for thing in (
        Game("guideline", seed=1),
        blockfall.HumanGame("nes", seed=1),
        blockfall.game("samegame").start(seed=1),
        blockfall.game("tetris").start(seed=1),
        blockfall.HopelessBoard.from_text("12\n21"),
    ):
        assert thing._repr_svg_().startswith("<svg ")


def test_many_games_draw_the_first_few_side_by_side() -> None:
    games = blockfall.Games("standard-10x10", 1000, seed=1)
    games.step(games.mask().argmax(axis=1))
    picture = games._repr_html_()
    assert [game.count("<rect") for game in picture.split("<svg ")[1:]] == [1 + 4] * 6
    assert all(games.board(game)._repr_svg_() in picture for game in range(6))
    assert "and 994 more" in picture
    alone = blockfall.Games("nes", 1)._repr_html_()
    assert alone.count("<svg ") == 1
    assert "more" not in alone


def test_evaluations_become_tables_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    played = blockfall.evaluate(rules="nes-no-rotation", agent="lee", games=6, seed=1)
    table = played.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert table["lines"].tolist() == played.lines.tolist()
    assert set(table["termination"]) == {"block-out"}
    assert (table[["singles", "doubles", "triples", "tetrises"]] * [1, 2, 3, 4]).sum(axis=1).tolist() == (
        played.lines.tolist()
    )
    both = blockfall.evaluate_population(
        rules="nes-no-rotation", agent="birken-6", population=[[-1.0] * 6, [1.0] * 6], games=3, seed=1
    )
    assert both.to_pandas().loc[(1, 2), "lines"] == both.lines[1, 2]


def test_the_longest_game_of_the_records_is_played_again() -> None:
    """It has 102 lines, and today's agent still begins that game in the same way."""
    kept = Replay.read(ROOT / "docs" / "data" / "replays" / "noro-102.jsonl")
    assert (kept.rules.name, kept.agent, kept.outcome.lines) == ("nes-no-rotation", "noro-small", 102)
    for game, placement in islice(kept.steps(), 40):
        assert game.choose(kept.agent) == placement
