"""Draws the documentation's pictures into docs/images: `python docs/make_pictures.py`."""

from pathlib import Path

from blockfall import Game, agent
from blockfall.games.painting import EMPTY, PaintedBoard
from blockfall.games.pieces import COLOURS

IMAGES = Path(__file__).parent / "images"
CELL = 22
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


ROOMS = (  # one row per layer: what it is, the rooms in it, and whether data flows from each to the next
    ("Python: the doors", ("cli", "app", "server"), False),
    ("Python: experiments", ("optimisers", "learning", "experiments", "reports", "studies"), True),
    ("Python: play", ("rulesets", "features", "agents", "games", "search", "compute"), True),
    ("_core: nanobind, whole batches as NumPy arrays", ("bindings",), False),
    ("portable C++: compiled once", ("compile", "dispatch", "keys", "human"), False),
    (
        "hot headers: once per instruction set, one board or one slot per lane",
        ("randomizer", "placements", "last_piece", "value", "player", "simulate"),
        True,
    ),
)


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
    height = top + len(ROOMS) * layer
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="system-ui, sans-serif"><defs><marker id="tip" viewBox="0 0 8 8" refX="6" refY="4" '
        f'markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="{INK}"/></marker></defs>'
        f'<rect width="100%" height="100%" rx="10" fill="#f6f7f9"/>{"".join(parts)}</svg>\n'
    )


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    (IMAGES / "architecture.svg").write_text(architecture())
    (IMAGES / "board.svg").write_text(watched_board("nes-no-rotation", "birken-6", seed=15, pieces=60, rows=18))
