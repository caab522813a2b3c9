"""Mine the app's puzzles from agents' games: `python tools/make_puzzles.py`.

A puzzle is a position in which one placement is far better than the obvious one. The judges are two strong agents that
know the piece and the next one; both must choose that placement. By the first judge's values, it must lead the second
best by half a unit, and the placement that `OBVIOUS`, who knows one piece, would play by a whole unit. A unit is the
gap between the best and the median placement (blockfall.app.review.reviewing).

A puzzle's rating comes from a panel of agents that know one piece or two: 900 if all of them find it, 2100
if none does.
"""

import json
import sys
from pathlib import Path

import blockfall
from blockfall.agents import Agent, agent
from blockfall.app.parts.address import board_in_address
from blockfall.app.review.reviewing import judged
from blockfall.games import Game
from blockfall.games.explanation import explain

FILE = Path(__file__).parents[1] / "src" / "blockfall" / "app" / "puzzles" / "puzzles.json"
RULES = ("standard", "nes", "guideline")
PLAYERS = ("lee", "data-4", "ist-h2", "el-tetris", "data-10")
JUDGES = ("bcts", "dt-20")
OBVIOUS = "lee"
PANEL = ("lee", "el-tetris", "dellacherie", "bcts", "data-4", "data-10", "ist-h2", "birken-6", "wang-2018", "dt-20")
PER_RULES, PER_GAME, PIECES, MOST_SEEDS = 20, 2, 120, 60
AHEAD_OF_SECOND, AHEAD_OF_OBVIOUS = 0.5, 1.0
EASIEST, HARDEST = 900, 2100

Row = dict[str, object]


def main() -> None:
    judges = [agent(name).knowing(2) for name in JUDGES]
    found: list[Row] = []
    for rules in RULES:
        ours = mined(rules, judges)
        found += ours
        print(f"{rules}: {len(ours)} puzzles", file=sys.stderr, flush=True)
    found.sort(key=lambda row: (row["rating"], row["id"]))
    made = {
        "command": "python tools/make_puzzles.py",
        "version": blockfall.__version__,
        "judges": [f"{name}, two pieces known" for name in JUDGES],
        "obvious": OBVIOUS,
        "panel": list(PANEL),
        "players": list(PLAYERS),
        "seeds": f"from 1 on, {PIECES} pieces of each game, at most {PER_GAME} puzzles of each",
    }
    rows = ",\n".join(json.dumps(row) for row in found)
    FILE.write_text(f'{{"made": {json.dumps(made)},\n"puzzles": [\n{rows}\n]}}\n')


def mined(rules: str, judges: list[Agent]) -> list[Row]:
    found: list[Row] = []
    for seed in range(1, MOST_SEEDS):
        for player in PLAYERS:
            found += from_game(rules, player, seed, judges)
            if len(found) >= PER_RULES:
                return found[:PER_RULES]
    return found


def from_game(rules: str, player: str, seed: int, judges: list[Agent]) -> list[Row]:
    game = Game(rules, seed=seed, pieces_known=2)
    found: list[Row] = []
    while not game.over and game.core.pieces < PIECES and len(found) < PER_GAME:
        row = puzzle(game, judges) if game.core.pieces >= 15 else None
        if row:
            found.append({"id": f"{rules}-{player}-{seed}-{game.core.pieces}", **row})
        game.play(game.choose(player))
    return found


def puzzle(game: Game, judges: list[Agent]) -> Row | None:
    best, obvious = game.choose(judges[0]), game.choose(OBVIOUS)
    if (
        best == obvious
        or game.choose(judges[1]) != best
        or any(y >= game.rules.visible_rows - 2 for _, y in best.cells)
    ):
        return None
    ranked = explain(game, judges[0])
    thought = judged(game, obvious, judges[0])
    first, second, unit = ranked[0].value, ranked[1].value, thought.spread
    if first is None or second is None or not unit or thought.loss is None:
        return None
    if first - second < AHEAD_OF_SECOND * unit or thought.loss < AHEAD_OF_OBVIOUS * unit:
        return None
    solved = sum(game.choose(name) == best for name in PANEL)
    rows = str(game.board).splitlines()[-game.rules.visible_rows :]
    return {
        "rules": game.rules.name,
        "board": board_in_address("\n".join(rows)),
        "piece": game.known[0],
        "next": game.known[1],
        "best": sorted(map(list, best.cells)),
        "obvious": sorted(map(list, obvious.cells)),
        "ahead": round((first - second) / unit, 2),
        "obvious_loses": round(thought.loss / unit, 2),
        "solved_by": solved,
        "rating": round(EASIEST + (HARDEST - EASIEST) * (1 - solved / len(PANEL))),
    }


if __name__ == "__main__":
    main()
