"""Draw the documentation's pictures into docs/images: `python tools/make_pictures.py`."""

from pathlib import Path

from blockfall import Board, Game, agent, explain
from blockfall.agents.values import KINDS
from blockfall.compute import BACKENDS
from blockfall.games import shipped_games
from blockfall.games.painting import EMPTY, PaintedBoard
from blockfall.games.pieces import COLOURS

IMAGES = Path(__file__).parents[1] / "docs" / "images"
CELL = 22
MIDDLE = """
#.........
##..##...#
###.####.#
####.###.#
"""
INK, PAPER, LINE, FAINT = "#1d2430", "#ffffff", "#e6e9ef", "#6b7585"


def block(x: float, y: float, letter: str, *, landing: bool = False) -> str:
    colour = COLOURS[letter]
    size = CELL - 2
    if landing:
        return (
            f'<rect x="{x + 2}" y="{y + 2}" width="{size - 2}" height="{size - 2}" rx="3" '
            f'fill="{colour}" fill-opacity=".25" stroke="{colour}" stroke-width="2"/>'
        )
    return f'<rect x="{x + 1}" y="{y + 1}" width="{size}" height="{size}" rx="3" fill="{colour}"/>'


def text(
    x: float, y: float, words: str, size: int = 13, colour: str = INK, anchor: str = "start", weight: int = 400
) -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{words}</text>'
    )


def watched_board(rules: str, player_name: str, seed: int, pieces: int, rows: int) -> str:
    """A board in mid-game, the placement that the agent chose, and what it weighed."""
    player = agent(player_name)
    game = Game(rules, seed, pieces_known=2)
    painted = PaintedBoard(game.rules.columns, game.rules.rows)
    for _ in range(pieces):
        placement = game.choose(player)
        painted.lock(placement)
        game.play(placement)
    placement = game.choose(player)
    width, height = game.rules.columns * CELL, rows * CELL
    left, top = 16, 16
    parts = [f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="{PAPER}" stroke="{LINE}"/>']
    for x in range(1, game.rules.columns):
        parts.append(f'<path d="M{left + x * CELL} {top}v{height}" stroke="{LINE}"/>')
    for y in range(1, rows):
        parts.append(f'<path d="M{left} {top + y * CELL}h{width}" stroke="{LINE}"/>')
    for y in range(rows):
        for x, letter in enumerate(painted.rows[y]):
            if letter != EMPTY:
                parts.append(block(left + x * CELL, top + (rows - 1 - y) * CELL, letter))
    for x, y in placement.cells:
        parts.append(block(left + x * CELL, top + (rows - 1 - y) * CELL, placement.piece, landing=True))

    side = left + width + 28
    parts.append(text(side, top + 14, f"{player.name} on {game.rules.name}", 16, weight=700))
    outcome = game.outcome
    facts = f"{outcome.lines} lines, {outcome.pieces} pieces, piece {game.known[0]}, next {game.known[1]}"
    parts.append(text(side, top + 36, facts, 13, FAINT))
    head = top + 66
    for x, heading in ((0, "feature"), (250, "value"), (320, "weight"), (396, "share")):
        parts.append(text(side + x, head, heading, 12, FAINT, "start" if x == 0 else "end"))
    values = game.measure(player, placement)
    for number, ((name, weight), value) in enumerate(zip(player.weights.items(), values, strict=True), 1):
        y = head + 22 * number
        parts.append(text(side, y, name))
        parts.append(text(side + 250, y, f"{value:g}", anchor="end"))
        parts.append(text(side + 320, y, f"{weight:.1f}", anchor="end"))
        parts.append(text(side + 396, y, f"{round(weight * value):+d}", anchor="end"))
    full_width, full_height = side + 396 + 20, height + 2 * top
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {full_width} {full_height}" width="{full_width}" '
        f'height="{full_height}" font-family="system-ui, sans-serif">'
        f'<rect width="100%" height="100%" rx="10" fill="#f6f7f9"/>{"".join(parts)}</svg>\n'
    )


ROOMS = (  # one row per layer: its name, the rooms in it, and whether data flows from each to the next
    ("Python: the doors", ("cli", "app", "server"), False),
    ("Python: experiments", ("optimisers", "learning", "store", "experiments", "reports", "studies"), True),
    ("Python: play", ("rulesets", "features", "agents", "games", "compute", "search"), True),
    ("_core: nanobind, whole batches as NumPy arrays", ("bindings",), False),
    ("portable C++: compiled once", ("compile", "dispatch", "keys", "human"), False),
    (
        "hot headers: once per instruction set, one board or one slot per lane",
        ("randomizer", "placements", "last_piece", "value", "player", "simulate"),
        True,
    ),
)


def choosing(rules: str, player_name: str, piece: str, next_piece: str) -> str:
    """A board and the best placements of its piece, with their features, shares and values."""
    player = agent(player_name)
    board = Board.from_text(MIDDLE, columns=10, rows=20)
    game = Game.at(rules, board, known=piece + next_piece)
    filled = {(x, y) for y, row in enumerate(reversed(MIDDLE.split())) for x, mark in enumerate(row) if mark == "#"}
    best = explain(game, player)
    shown = [best[0], best[1], best[-1]]
    size, rows = 13, 8
    parts: list[str] = []
    for column, one in enumerate(shown):
        left, top = 16 + column * 230, 40
        title = ("the best", "the second", f"the last of {len(best)}")[column]
        parts.append(text(left, 26, title, 15, weight=700))
        parts.append(
            f'<rect x="{left}" y="{top}" width="{10 * size}" height="{rows * size}" fill="{PAPER}" stroke="{LINE}"/>'
        )
        for y in range(rows):
            for x in range(10):
                place = f'x="{left + x * size + 0.5}" y="{top + (rows - 1 - y) * size + 0.5}"'
                cell = f'{place} width="{size - 1}" height="{size - 1}"'
                if (x, y) in set(one.placement.cells):
                    parts.append(f'<rect {cell} fill="{COLOURS[piece]}"/>')
                elif (x, y) in filled:
                    parts.append(f'<rect {cell} fill="#c3cad6"/>')
                else:
                    parts.append(f'<rect {cell} fill="none" stroke="{LINE}"/>')
        y = top + rows * size + 22
        for name, share in one.shares.items():
            parts.append(text(left, y, name, 12, FAINT))
            parts.append(text(left + 190, y, f"{share:+.1f}", 12, anchor="end"))
            y += 17
        parts.append(f'<path d="M{left} {y - 12}h190" stroke="{INK}"/>')
        parts.append(text(left, y + 4, "value", 13, weight=700))
        parts.append(text(left + 190, y + 4, f"{one.value:+.1f}", 13, anchor="end", weight=700))
    return _picture(16 + 3 * 230, y + 20, parts)


def streams() -> str:
    """The games of a run: training, validation and test are drawn from streams that never meet."""
    rows = (
        ("training", "25 games, every candidate of every iteration", "which weights are better?", "#4a6fd0", 320),
        ("validation", "250 games, the best of each restart", "which restart is the best?", "#a25cc5", 430),
        ("test", "20,000 games, the one agent that was chosen", "how good is the agent?", "#2e9e6b", 560),
    )
    parts: list[str] = []
    for number, (name, games, question, colour, width) in enumerate(rows):
        y = 16 + number * 62
        parts.append(
            f'<rect x="130" y="{y}" width="{width}" height="44" rx="6" fill="{colour}" fill-opacity=".16" '
            f'stroke="{colour}"/>'
        )
        parts.append(text(16, y + 28, name, 15, weight=700))
        parts.append(text(142, y + 19, question, 13, weight=700))
        parts.append(text(142, y + 36, games, 12, FAINT))
    return _picture(706, 210, parts)


def architecture() -> str:
    """The layers, and the rooms in each, left to right as data flows."""
    box_width, box_height, gap, left, top, layer = 118, 40, 22, 24, 20, 104
    width = left * 2 + 6 * box_width + 5 * gap
    parts = []
    for number, (title, rooms, flows) in enumerate(ROOMS):
        y = top + number * layer
        parts.append(
            f'<rect x="10" y="{y}" width="{width - 20}" height="{layer - 18}" rx="8" fill="{PAPER}" stroke="{LINE}"/>'
        )
        parts.append(text(left, y + 20, title, 13, FAINT))
        for place, room in enumerate(rooms):
            x = left + place * (box_width + gap)
            parts.append(
                f'<rect x="{x}" y="{y + 32}" width="{box_width}" height="{box_height}" rx="6" '
                f'fill="#eaf0fb" stroke="#4a6fd0"/>'
            )
            parts.append(text(x + box_width / 2, y + 57, room, 14, INK, "middle", 600))
            if place and flows:
                parts.append(f'<path d="M{x - gap + 3} {y + 52}h{gap - 9}" stroke="{INK}" marker-end="url(#tip)"/>')
        if number:
            parts.append(f'<path d="M{width / 2} {y - 17}v12" stroke="{INK}" marker-end="url(#tip)"/>')
    return _picture(width, top + len(ROOMS) * layer, parts)


SEAMS = (  # the seam, its question, who asks, who answers, and what users can add
    (
        "Value",
        "how good is this board?",
        ("player", "explain", "learning", "train"),
        (*(kind.__name__ for kind in KINDS.values()), "BoardFunction"),
        ("your kind",),
    ),
    (
        "Backend",
        "who plays these games?",
        ("evaluate", "train", "compare", "study"),
        tuple(row.from_text.__self__.__name__ for row in BACKENDS.values()),  # type: ignore[attr-defined]
        ("your backend",),
    ),
    (
        "Game",
        "what can be done here, and what is it worth?",
        ("cli", "app", "search", "tests"),
        tuple(shipped_games()),
        ("your game",),
    ),
)


def seams() -> str:
    """Draw the three seams: callers on the left, implementations on the right, those of users dashed."""
    row, height, asked, seam, answered, line = 128, 26, 24, 190, 480, 32
    width = 860
    parts = []
    for number, (name, question, askers, answers, coming) in enumerate(SEAMS):
        top = 16 + number * (row + 14)
        middle = top + row / 2
        parts.append(
            f'<rect x="10" y="{top}" width="{width - 20}" height="{row}" rx="8" fill="{PAPER}" stroke="{LINE}"/>'
        )
        for place, asker in enumerate(askers):
            parts.append(text(asked, middle + 5 + (place - (len(askers) - 1) / 2) * 24, asker, 14, FAINT))
        parts.append(f'<path d="M{asked + 84} {middle}h62" stroke="{INK}" marker-end="url(#tip)"/>')
        parts.append(
            f'<rect x="{seam - 12}" y="{middle - 34}" width="220" height="68" rx="8" fill="{INK}"/>'
            + text(seam + 98, middle - 6, name, 18, PAPER, "middle", 700)
        )
        for place, words in enumerate(_wrapped(question, 28)):
            parts.append(text(seam + 98, middle + 12 + 15 * place, words, 12, "#c9d3e6", "middle"))
        parts.append(f'<path d="M{seam + 212} {middle}h60" stroke="{INK}" marker-end="url(#tip)"/>')
        boxes = [(answer, False) for answer in answers] + [(answer, True) for answer in coming]
        for place, (answer, dashed) in enumerate(boxes):
            column, line_number = place % 2, place // 2
            lines = (len(boxes) + 1) // 2
            x = answered + column * 182
            y = middle + (line_number - lines / 2) * line + (line - height) / 2
            style = (
                f'fill="{PAPER}" stroke="{FAINT}" stroke-dasharray="4 3"'
                if dashed
                else 'fill="#eaf0fb" stroke="#4a6fd0"'
            )
            parts.append(f'<rect x="{x}" y="{y}" width="172" height="{height}" rx="6" {style}/>')
            parts.append(text(x + 86, y + 18, answer, 13, FAINT if dashed else INK, "middle", 400 if dashed else 600))
    return _picture(width, 16 + len(SEAMS) * (row + 14), parts)


def _wrapped(words: str, most: int) -> list[str]:
    """Return the words in lines of at most this many letters."""
    lines = [""]
    for word in words.split():
        joined = f"{lines[-1]} {word}".strip()
        if len(joined) <= most:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines


def _picture(width: float, height: float, parts: list[str]) -> str:
    """A whole SVG file, with the arrows' tip."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="system-ui, sans-serif"><defs><marker id="tip" viewBox="0 0 8 8" refX="6" refY="4" '
        f'markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="{INK}"/></marker></defs>'
        f'<rect width="100%" height="100%" rx="10" fill="#f6f7f9"/>{"".join(parts)}</svg>\n'
    )


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    (IMAGES / "architecture.svg").write_text(architecture())
    (IMAGES / "seams.svg").write_text(seams())
    (IMAGES / "board.svg").write_text(watched_board("nes-no-rotation", "birken-6", seed=15, pieces=60, rows=18))
    (IMAGES / "choosing.svg").write_text(choosing("standard", "dellacherie", "L", ""))
    (IMAGES / "streams.svg").write_text(streams())
