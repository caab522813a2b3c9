"""Replays: games as text that people and programs can read, one JSON object per row.

The first row says what was played, each following row where a piece came to rest, and the last row how the game ended:

    {"format": "blockfall-replay", "version": 1, "rules": "standard", "seed": 7, "number": 0, "agent": "lee"}
    {"piece": "T", "cells": [[3, 1], [2, 0], [3, 0], [4, 0]], "spin": "none"}
    {"end": "overflow", "pieces": 1, "lines": 0, "score": 0}

Cells are [column, row], with the floor as row 0, before full rows are removed. docs/bots.md has the whole format.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from blockfall import fumen
from blockfall.errors import FileError, SettingError
from blockfall.files import write_atomically
from blockfall.games.board import Board
from blockfall.games.outcome import Outcome, Placement, Termination
from blockfall.games.tetris import Game
from blockfall.rulesets import Rules
from blockfall.rulesets import rules as find_rules
from blockfall.tbp.moves import Move
from blockfall.validation import Model, check, parse_json, read_text

FORMAT, VERSION = "blockfall-replay", 1

_Cell = Annotated[list[int], Field(min_length=2, max_length=2)]


class HeadKeys(Model):
    """The first row of a replay."""

    format: Literal["blockfall-replay"] = Field(description=f'"{FORMAT}"')
    version: Literal[1] = Field(description=f"{VERSION}")
    rules: str = Field(description="the name of a rule set")
    seed: int | None = Field(default=None, ge=0, lt=2**64, description="a whole number from 0 to 2^64 - 1, or null")
    number: int = Field(default=0, ge=0, lt=2**63, description="the number of the seed's game")
    agent: str = Field(default="", description="a string")
    board: list[str] | None = Field(default=None, description="the rows of # and . that the game began with")


class MoveKeys(Model):
    """A row of a replay: the place where a piece came to rest."""

    piece: Literal["I", "O", "T", "S", "Z", "J", "L"] = Field(description="one of I O T S Z J L")
    cells: Annotated[list[_Cell], Field(min_length=4, max_length=4)] = Field(description="four cells: [column, row]")
    spin: Literal["none", "mini", "full"] = Field(default="none", description="none, mini or full")


class EndKeys(Model):
    """The last row of a replay: the result of the game."""

    end: str = Field(description="how the game ended, such as block-out")
    pieces: int = Field(description="a whole number")
    lines: int = Field(description="a whole number")
    score: int = Field(description="a whole number")


@dataclass(frozen=True)
class Replay:
    """A game that was played: its rules, its seed if known, and every placement.

    With a seed, the pieces are those of that seed's game. Without one, they are the placed pieces.

    >>> import blockfall
    >>> game, placed = blockfall.Game("standard", seed=7), []
    >>> for _ in range(5):
    ...     placed.append(game.choose("lee"))
    ...     game.play(placed[-1])
    >>> replay = blockfall.Replay(game.rules, placed, seed=7, agent="lee")
    >>> blockfall.Replay.parse(replay.text()) == replay, replay.outcome == game.outcome
    (True, True)
    """

    rules: Rules
    placements: Sequence[Placement]
    seed: int | None = None
    number: int = 0
    agent: str = ""
    """The player."""
    board: Board | None = None
    """The board that the game began with, if it was not empty."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "placements", tuple(self.placements))

    def steps(self) -> Iterator[tuple[Game, Placement]]:
        """Yield the game before each placement, and the placement. Refuse placements that break the rules."""
        game = self.begin()
        for number, placement in enumerate(self.placements, 1):
            if game.over:
                raise SettingError(f"placement {number} of the replay comes after the game's end")
            yield game.copy(), placement
            self._play(game, placement, number)

    @property
    def outcome(self) -> Outcome:
        """The result of the game, by the rules."""
        game = self.begin()
        for number, placement in enumerate(self.placements, 1):
            self._play(game, placement, number)
        return game.outcome

    def text(self) -> str:
        """Return the replay as rows of JSON."""
        head: dict[str, Any] = {"format": FORMAT, "version": VERSION, "rules": self.rules.name}
        head |= {"seed": self.seed, "number": self.number, "agent": self.agent}
        if self.board is not None:
            head["board"] = self.board.text().splitlines()
        ended = self.outcome
        counts = {"pieces": ended.pieces, "lines": ended.lines, "score": ended.score}
        end = {"end": _end(ended.termination), **counts}
        moves = [{"piece": one.piece, "cells": list(map(list, one.cells)), "spin": one.spin} for one in self.placements]
        return "".join(json.dumps(row) + "\n" for row in (head, *moves, end))

    def write(self, path: Path | str) -> None:
        """Write the replay to a file."""
        write_atomically(Path(path), self.text())

    @classmethod
    def read(cls, path: Path | str, rules: Rules | str | Path | None = None) -> "Replay":
        """Return the replay in a file. `rules` are needed if it was played under a user's own rules."""
        return cls.parse(read_text(Path(path)), rules, str(path))

    @classmethod
    def parse(cls, text: str, rules: Rules | str | Path | None = None, where: str = "the replay") -> "Replay":
        """Return the replay in a text. Every placement and the end must follow the rules."""
        rows = [(number, row) for number, row in enumerate(text.splitlines(), 1) if row.strip()]
        if not rows:
            raise FileError(f"{where}: empty; a replay begins with a row of its rules")
        (number, first), *rest = rows
        head = check(HeadKeys, parse_json(first, f"{where}, line {number}"), f"{where}, line {number}")
        game_rules = find_rules(head.rules if rules is None else rules)
        board = None
        if head.board is not None:
            board = Board.from_text("\n".join(head.board), game_rules.columns, game_rules.rows)
        moves: list[MoveKeys] = []
        end: EndKeys | None = None
        for number, row in rest:
            place = f"{where}, line {number}"
            found = parse_json(row, place)
            if end is not None:
                raise FileError(f"{place}: a row after the game's end")
            if isinstance(found, dict) and "end" in found:
                end = check(EndKeys, found, place)
            else:
                moves.append(check(MoveKeys, found, place))
        replay = cls(game_rules, (), head.seed, head.number, head.agent, board)
        return replay._with(moves, end, where)

    def fumen(self) -> str:
        """Return the game as a fumen, with a page for each placement. The board must have ten columns."""
        rows: tuple[str, ...] = ()
        if self.board is not None:
            rows = tuple("".join("X" if cell else "_" for cell in row) for row in self.board.cells.tolist())
        pages: list[fumen.Page] = []
        for number, placement in enumerate(self.placements):
            comment = self.agent if number == 0 else pages[-1].comment
            pages.append(fumen.Page(rows, Move.of(placement.piece, placement.cells), comment))
            rows = pages[-1].after()
        return fumen.encode([*pages, fumen.Page(rows, comment=pages[-1].comment if pages else "")])

    @classmethod
    def from_fumen(cls, text: str, rules: Rules | str | Path = "guideline") -> "Replay":
        """Return the game on a fumen's pages, as far as each follows from the last by locking a piece."""
        game_rules = find_rules(rules)
        pages = fumen.decode(text)
        board = Board.from_text(text, game_rules.columns, game_rules.rows)
        moves: list[MoveKeys] = []
        for page, following in zip(pages, [*pages[1:], None], strict=True):
            if page.move is None or not page.lock or page.rise or page.mirror:
                break
            cells = [list(cell) for cell in sorted(page.move.cells)]
            moves.append(MoveKeys.model_validate({"piece": page.move.piece, "cells": cells}))
            if following is not None and fumen.Page(following.rows, lock=False).after() != page.after():
                break
        start = None if not board.columns.any() else board
        return cls(game_rules, (), agent=pages[0].comment, board=start)._with(moves, None, "the fumen")

    def _with(self, moves: Sequence[MoveKeys], end: EndKeys | None, where: str) -> "Replay":
        """Return the same replay with these placements, after checking them."""
        pieces = "".join(move.piece for move in moves)
        game, placements = self.begin(pieces), []
        for number, move in enumerate(moves, 1):
            cells = {(x, y) for x, y in move.cells}
            found = [one for one in game.placements(hold=True) if one.piece == move.piece and set(one.cells) == cells]
            if not found:
                over = f": the game is over, {_end(game.outcome.termination)}" if game.over else ""
                raise FileError(f"{where}: placement {number} of {move.piece} is not possible{over}")
            one = found[0]
            placed = Placement(one.piece, one.shape, one.column, one.row, one.cells, move.spin)
            try:
                self._play(game, placed, number)
            except SettingError as error:
                raise FileError(f"{where}: placement {number}: {error}") from None
            placements.append(placed)
        came_to = game.outcome
        ours = (came_to.pieces, came_to.lines, came_to.score)
        if end is not None and ours != (end.pieces, end.lines, end.score):
            said = f"{end.pieces} pieces, {end.lines} lines and {end.score} points"
            raise FileError(f"{where}: it says {said}; by the rules they are {ours[0]}, {ours[1]} and {ours[2]}")
        return Replay(self.rules, tuple(placements), self.seed, self.number, self.agent, self.board)

    def begin(self, pieces: str | None = None) -> Game:
        """Return the game at its beginning. Without a seed, `pieces` are dealt, by default the placed ones."""
        placed = "".join(one.piece for one in self.placements) if pieces is None else pieces
        if self.seed is not None:
            shown = min(self.rules.file.play.previews + 1, 8)
            return Game(self.rules, self.seed, self.number, max(2, shown), board=self.board)
        board = self.board or Board.empty(self.rules.columns, self.rules.rows)
        return Game(self.rules.dealing(placed or "I"), pieces_known=1, board=board)

    def _play(self, game: Game, placement: Placement, number: int) -> None:
        try:
            game.play(placement)
        except SettingError as error:
            raise SettingError(f"placement {number} of the replay: {error}") from None


def _end(termination: Termination) -> str:
    return termination.name.lower().replace("_", "-")
