"""Fumen, the community's diagram strings for boards and games, compared with the community's own package."""

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest

import blockfall
from blockfall import Board
from blockfall.errors import SettingError
from blockfall.fumen import CELLS, EMPTY_ROW, Page, decode, encode, is_fumen, rows_of_board
from blockfall.tbp.moves import ORIENTATIONS, Move
from tests.program import output_of, refusal

# Written by tetris-fumen 1.1.3.
EMPTY = "v115@vhAAgH"


def random_field(random: Random, rows: int) -> tuple[str, ...]:
    """Rows of all kinds of cells, none of them full and the top one not empty."""
    field = []
    for _ in range(random.randrange(rows)):
        row = [random.choice(CELLS) for _ in range(10)]
        row[random.randrange(10)] = "_"
        field.append("".join(row))
    return trimmed(Page(tuple(field))).rows


def random_pages(seed: int, rows: int = 23) -> list[Page]:
    """Pages with independent random fields, and pieces inside the field on empty cells only."""
    random = Random(seed)
    pages = []
    comments = ["", "hello", "a longer comment, with 100 % of marks: <&>", "日本語 ü 🎉"]
    for _ in range(random.randrange(1, 6)):
        field = random_field(random, rows - 4)
        move = None
        if random.random() < 0.7:
            found = [
                Move(piece, orientation, x, y)
                for piece in "IOTSZJL"
                for orientation in ORIENTATIONS
                for x in range(10)
                for y in (rows - 4, len(field) + 1)
                if all(
                    0 <= a < 10 and 0 <= b < rows - 1 and (b >= len(field) or field[b][a] == "_")
                    for a, b in Move(piece, orientation, x, y).cells
                )
            ]
            move = random.choice(found)
        garbage = random.choice([EMPTY_ROW, "XXX_XXXXXX"])
        flags = [random.random() < p for p in (0.8, 0.2, 0.2)]
        pages.append(Page(field, move, random.choice(comments), flags[0], garbage, flags[1], flags[2]))
    return pages


def trimmed(page: Page) -> Page:
    rows = list(page.rows)
    while rows and rows[-1] == EMPTY_ROW:
        rows.pop()
    return replace(page, rows=tuple(rows))


@pytest.mark.parametrize("version", [115, 110])
@pytest.mark.parametrize("seed", range(40))
def test_decode_reverses_encode(version: int, seed: int) -> None:
    pages = random_pages(seed, {115: 23, 110: 21}[version])
    assert [trimmed(page) for page in decode(encode(pages, version))] == pages


def test_known_strings() -> None:
    assert encode([Page()]) == EMPTY
    assert decode("http://fumen.zui.jp/?v115@vhAAgH&x=1") == decode(EMPTY)
    assert not is_fumen("####.")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "v115@",
        "v115@v",
        "v115@vhA",
        "v115@////////",
        "v999@vhAAgH",
        "v115@99AAgHAAA",
        "v115@vhAAgH" + "A" * 2_000_000,
    ],
)
def test_a_text_that_is_not_a_fumen_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(SettingError) as raised:
        decode(text)
    assert "\n" not in str(raised.value)


def test_random_text_is_decoded_or_refused() -> None:
    random = Random(3)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    for _ in range(2000):
        text = "v115@" + "".join(random.choice(letters) for _ in range(random.randrange(60)))
        try:
            decode(text)
        except SettingError:
            continue


def test_a_board_survives_its_fumen() -> None:
    rng = np.random.default_rng(5)
    for _ in range(30):
        words = rng.integers(0, 1 << 20, 10).astype(np.uint32)
        board = Board(words & ~np.uint32(1 << int(rng.integers(20))), 23)
        assert Board.from_text(board.fumen(), 10, 23) == board
        assert Board.from_text(rows_of_board(board.fumen()), 10, 23) == board
    with pytest.raises(SettingError, match="24 rows"):
        Board(np.full(10, 1 << 23, np.uint32), 24).fumen()
    with pytest.raises(SettingError, match="10 letters"):
        Board.empty(8, 20).fumen()


def test_every_board_option_accepts_a_fumen(tmp_path: Path) -> None:
    drawn = "####.#####\n####.#####\n"
    (tmp_path / "board.txt").write_text(drawn)
    fumen = Board.from_text(drawn, 10, 20).fumen()
    for command in (
        ["explain", "--piece", "I", "--json"],
        ["solve", "--game", "ist-tetris", "--pieces", "it", "--algorithm", "greedy", "--json"],
        ["solve", "--game", "tetris", "--pieces", "1", "--algorithm", "brute-force", "--json"],
    ):
        answers = []
        for board in (str(tmp_path / "board.txt"), fumen):
            found = json.loads(output_of(*command, "--board", board))
            if isinstance(found, dict):
                found = {key: value for key, value in found.items() if key not in ("seconds", "peak_bytes")}
            answers.append(found)
        assert answers[0] == answers[1]
    refusal("explain", "--board", "v115@v")


def test_games_read_fumens() -> None:
    fumen = Board.from_text("####.#####", 10, 20).fumen()
    position = blockfall.game("ist-tetris").read(fumen, pieces="i")
    assert position.text().splitlines()[-1] == "####.#####"


SCRIPT = """
const { decoder, encoder, Field } = require("tetris-fumen");
const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
const turn = { north: "spawn", east: "right", south: "reverse", west: "left" };
const back = { spawn: "north", right: "east", reverse: "south", left: "west" };
const written = given.pages.map(pages => encoder.encode(pages.map((page, number) => ({
  field: Field.create([...page.field].reverse().join(""), page.garbage),
  operation: page.move
    ? { type: page.move[0], rotation: turn[page.move[1]], x: page.move[2], y: page.move[3] } : undefined,
  comment: page.comment,
  flags: { lock: page.lock, mirror: page.mirror, rise: page.rise, colorize: number === 0, quiz: false },
}))));
const read = given.fumens.map(fumen => decoder.decode(fumen).map(page => ({
  field: page.field.str({ reduced: false, separator: "\\n", garbage: true }).split("\\n").reverse(),
  move: page.operation
    ? [page.operation.type, back[page.operation.rotation], page.operation.x, page.operation.y] : null,
  comment: page.comment,
  lock: page.flags.lock, rise: page.flags.rise, mirror: page.flags.mirror,
})));
console.log(JSON.stringify({ written, read }));
"""


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package `tetris-fumen` installed."""
    if not shutil.which("node") or not shutil.which("npm"):
        pytest.skip("needs node and npm")
    folder = tmp_path_factory.mktemp("node")
    try:
        done = subprocess.run(
            ["npm", "install", "--no-audit", "--no-fund", "tetris-fumen@1.1.3"],
            cwd=folder,
            capture_output=True,
            timeout=60,
        )
    except subprocess.TimeoutExpired:
        pytest.skip("the package tetris-fumen cannot be installed here in time")
    if done.returncode:
        pytest.skip("the package tetris-fumen cannot be installed here")
    (folder / "script.js").write_text(SCRIPT)
    return folder


def test_the_community_package_agrees(node: Path) -> None:
    """It reads what we write, version 110 included, and writes the same fumens for the same pages."""
    books = [random_pages(seed) for seed in range(200)]
    lower = [random_pages(seed, 21) for seed in range(1000, 1050)]
    fumens = [encode(pages) for pages in books] + [encode(pages, 110) for pages in lower]
    given = {"pages": [[as_json(page) for page in pages] for pages in books], "fumens": fumens}
    done = subprocess.run(
        ["node", "script.js"], cwd=node, input=json.dumps(given), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    for pages, theirs in zip([*books, *lower], answer["read"], strict=True):
        assert len(pages) == len(theirs)
        for page, other in zip(pages, theirs, strict=True):
            garbage, *rows = other["field"]
            read = Page(
                tuple(rows),
                Move(*other["move"]) if other["move"] else None,
                other["comment"],
                other["lock"],
                garbage,
                other["rise"],
                other["mirror"],
            )
            assert trimmed(read) == page
    assert answer["written"] == fumens[: len(books)]


def as_json(page: Page) -> dict[str, object]:
    move = page.move
    return {
        "field": list(page.rows) or [EMPTY_ROW],
        "garbage": page.garbage,
        "move": [move.piece, move.orientation, move.x, move.y] if move else None,
        "comment": page.comment,
        "lock": page.lock,
        "rise": page.rise,
        "mirror": page.mirror,
    }
