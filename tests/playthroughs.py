"""Golden playthroughs: one game of each rule set as text, written by the reference and replayed by the core.

python -m tests.playthroughs --write
"""

import sys
from collections.abc import Callable, Iterator

from blockfall import Agent, Board, Game, agent, rules, rules_names
from blockfall.rulesets import Rules
from tests import ROOT
from tests.boards import words_from
from tests.reference.game import ReferenceGame
from tests.reference.placements import Spot, cells_of

FOLDER = ROOT / "tests" / "data" / "playthroughs"
SEED, PIECES = 7, 18

Moves = Iterator[tuple[str, Spot, Board, int, int]]
"""The known pieces, the placement, and the board, lines and score before it."""


def by_reference(game_rules: Rules, player: Agent) -> Moves:
    game = ReferenceGame(game_rules, SEED, pieces_known=2)
    while not game.end and game.placed < PIECES:
        spot = game.choose(player)
        board = Board(words_from(game.board, game_rules.columns), game_rules.rows)
        yield "".join(letter or "" for letter in game.known), spot, board, game.lines, game.score
        game.play(spot)


def by_core(game_rules: Rules, player: Agent) -> Moves:
    game = Game(game_rules, SEED, pieces_known=2)
    while not game.over and game.outcome.pieces < PIECES:
        placement = game.choose(player)
        spot = (placement.shape, placement.column, placement.row)
        yield game.known, spot, game.board, game.outcome.lines, game.outcome.score
        game.play(placement)


def text_of(name: str, play: Callable[[Rules, Agent], Moves]) -> str:
    game_rules, player = rules(name), agent("dellacherie")
    parts = [f"rules: {name}\nagent: {player.name}\nseed: {SEED}\n"]
    for number, (known, spot, board, lines, score) in enumerate(play(game_rules, player), 1):
        cells = cells_of(game_rules, known[0], spot)
        rows = board.text(cells).splitlines()
        while len(rows) > 1 and set(rows[0]) == {"."}:
            rows.pop(0)
        parts.append(f"\n{number}: {known}, {lines} lines, {score} points\n" + "\n".join(rows) + "\n")
    return "".join(parts)


if __name__ == "__main__" and "--write" in sys.argv:
    FOLDER.mkdir(exist_ok=True)
    for name in rules_names():
        (FOLDER / f"{name}.txt").write_text(text_of(name, by_reference))
