"""The moves, not the board that they leave; summed over the pieces placed."""

from tests.reference.features.position import Position, feature


@feature("landing-height")
def _(p: Position) -> float:
    return sum((min(y for _, y in piece.cells) + max(y for _, y in piece.cells)) / 2 for piece in p.placed)


@feature("total-lock-height")
def _(p: Position) -> float:
    return sum(min(y for _, y in piece.cells) for piece in p.placed)


@feature("lines-cleared")
def _(p: Position) -> float:
    return sum(piece.lines for piece in p.placed)


@feature("eroded-cells")
def _(p: Position) -> float:
    return sum(piece.lines * piece.eroded for piece in p.placed)


@feature("piece-top")
def _(p: Position) -> float:
    return sum(max(y for _, y in piece.cells) for piece in p.placed)


@feature("total-lines")
def _(p: Position) -> float:
    return p.game_lines + sum(piece.lines for piece in p.placed)


@feature("points")
def _(p: Position) -> float:
    scoring, lines, points = p.rules.file.scoring, p.game_lines, 0
    for piece in p.placed:
        level = scoring.start_level + lines // scoring.lines_per_level
        points += scoring.piece
        if piece.lines:
            points += scoring.lines[piece.lines - 1] * (level + 1 if scoring.by_level else 1)
        lines += piece.lines
    return points
