"""Golden playthroughs of the registered games, written by the references and replayed by the games themselves.

python -m tests.game_playthroughs --write; the moves are chosen by counting, so they do not depend on a random number
generator.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from blockfall.games import GameKind, HopelessBoard, game, game_names
from blockfall.games.hopeless import Scoring, scorings
from blockfall.games.protocol import OptionValue, action_in_words
from blockfall.plugins import load_plugin
from blockfall.rulesets import Rules, rules
from tests import ROOT
from tests.playthroughs import FOLDER
from tests.reference import search as hopeless
from tests.reference.game import ReferenceGame, lock
from tests.reference.placements import Spot, cells_of, placements
from tests.reference.rules import Cells

SEED, MOST_ACTIONS = 7, 30
COLUMNS_FILE = ROOT / "examples" / "columns.py"

SMALL: dict[str, dict[str, OptionValue]] = {
    **{name: {"columns": 7, "rows": 6, "colours": 3} for name in scorings()},
    "tetris": {"rules": "nes", "pieces": 18},
    "ist-tetris": {"pieces": "ojltiszojltiszojltisz"},
    "columns": {"columns": 4, "rows": 8, "colours": 3, "pieces": 15},
}


@dataclass(frozen=True)
class Moment:
    """A position in a playthrough, and the action that is played there; None at the end."""

    text: str
    score: int
    actions: list[Any]

    @property
    def action(self) -> Any:
        return self.actions[(7 * len(self.text.replace(".", "")) + 3 * self.score) % len(self.actions)]


def kinds() -> list[GameKind]:
    """Return every registered game, including the example's."""
    load_plugin(COLUMNS_FILE)
    return [game(name) for name in game_names()]


def small(kind: GameKind) -> dict[str, OptionValue]:
    """Return options that make a game short."""
    return {option.name: option.default for option in kind.options} | SMALL.get(kind.name, {})


def by_itself(kind: GameKind) -> Iterator[Moment]:
    position = kind.start(SEED, **small(kind))
    while True:
        moment = Moment(position.text(), position.score, list(position.actions()))
        yield moment
        if position.over:
            return
        position = position.apply(moment.action)


def by_reference(kind: GameKind) -> Iterator[Moment]:
    ways: dict[str, Callable[[], Iterator[Moment]]] = {
        **{name: partial(_hopeless, one) for name, one in scorings().items()},
        "tetris": _tetris,
        "ist-tetris": _ist,
    }
    return ways[kind.name]() if kind.name in ways else by_itself(kind)  # the example is its own reference


def _hopeless(scored: Scoring) -> Iterator[Moment]:
    columns, rows, colours = (int(str(value)) for value in SMALL[scored.name].values())

    def points(squares: int) -> int:
        return (scored.factor * (squares - scored.less)) ** 2

    drawn = HopelessBoard.random(columns, rows, colours, SEED)
    board = tuple(tuple(column) for column in drawn.cells.tolist())
    score = 0
    while True:
        marks = [[*map(str, column), *"." * (rows - len(column))] for column in board]
        marks += [["."] * rows] * (columns - len(board))
        text = "\n".join("".join(row) for row in reversed(list(zip(*marks, strict=True))))
        blocks = hopeless.blocks(board)
        moment = Moment(text, score, [max(block, key=lambda cell: (cell[1], -cell[0])) for block in blocks])
        yield moment
        if not blocks:
            return
        block = next(block for block in blocks if moment.action in block)
        board, score = hopeless.without(board, block), score + points(len(block))
        if not board:
            score += scored.clear_bonus
        elif scored.leftover_penalty and not hopeless.blocks(board):
            left = [colour for column in board for colour in column]
            score -= sum(points(left.count(colour)) for colour in set(left) if left.count(colour) > 1)


def _drawn(game_rules: Rules, board: Cells) -> str:
    return "\n".join(
        "".join("#" if (x, y) in board else "." for x in range(game_rules.columns))
        for y in reversed(range(game_rules.rows))
    )


def _tetris() -> Iterator[Moment]:
    played = ReferenceGame(rules(str(SMALL["tetris"]["rules"])), SEED)
    while True:
        letter = played.known[0] or ""
        over = played.end or played.placed == SMALL["tetris"]["pieces"]
        spots = [] if over else placements(played.rules, played.board, letter, played.lines)
        actions = {(x, y, f"{letter}{shape}"): (shape, x, y) for shape, x, y in spots}
        moment = Moment(_drawn(played.rules, played.board), played.score, list(actions))
        yield moment
        if not actions:
            return
        played.play(actions[moment.action])


def _ist() -> Iterator[Moment]:
    game_rules, board, score = rules("ist"), Cells(), 0
    for letter in [*str(SMALL["ist-tetris"]["pieces"]).upper(), ""]:
        spots: list[Spot] = placements(game_rules, board, letter) if letter else []
        actions = {(x, f"{letter.lower()}{shape}"): (shape, x, y) for shape, x, y in spots}
        moment = Moment(_drawn(game_rules, board), score, list(actions))
        yield moment
        if actions:
            locked = lock(game_rules, board, cells_of(game_rules, letter, actions[moment.action]))
            assert locked.loss is None
            board, score = locked.after, score + (0, *game_rules.file.scoring.lines)[locked.lines]


def text_of(kind: GameKind, play: Callable[[GameKind], Iterator[Moment]]) -> str:
    options = ", ".join(f"{name} {value}" for name, value in small(kind).items())
    parts = [f"game: {kind.name}\noptions: {options}\nseed: {SEED}\n"]
    for number, moment in enumerate(play(kind), 1):
        then = f"{action_in_words(moment.action)} of {len(moment.actions)} actions" if moment.actions else "over"
        rows = moment.text.splitlines()
        while len(rows) > 1 and set(rows[0]) == {"."}:
            rows.pop(0)
        parts.append(f"\n{number}: {moment.score} points, {then}\n" + "\n".join(rows) + "\n")
        if number == MOST_ACTIONS:
            break
    return "".join(parts)


def path_of(kind: GameKind) -> Path:
    return FOLDER / f"game-{kind.name}.txt"


if __name__ == "__main__" and "--write" in sys.argv:
    for kind in kinds():
        path_of(kind).write_text(text_of(kind, by_reference))
