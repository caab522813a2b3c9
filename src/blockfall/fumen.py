"""Fumen, the diagram strings of the Tetris community, such as `v115@vhAAgH`: reading and writing versions 110 and 115.

A fumen is a list of pages. Each has a field of 10 columns, flags, and possibly a piece and a comment. The field is
stored as run lengths of its difference from what the previous page leaves, in base 64. Only implementations document
the format; the tests compare with the npm package `tetris-fumen`.

>>> pages = decode("v115@vhAAgH")
>>> len(pages), set(pages[0].rows)
(1, {'__________'})
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from blockfall.errors import SettingError
from blockfall.tbp.moves import Move, Orientation

COLUMNS = 10
CELLS = "_ILOZTJSX"
"""The letters of a cell: empty, a piece, or grey. A letter's index is its number in the format."""
EMPTY_ROW = "_" * COLUMNS

_ROWS = {115: 23, 110: 21}
"""The number of rows above the garbage row, by version."""
_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_COMMENT = "".join(map(chr, range(32, 127)))
_COMMENT_BASE = len(_COMMENT) + 1
_MOST_COMMENT = 4095
_MOST_CHARACTERS = 1_000_000
_MOST_PAGES = 100_000
_TURNS: tuple[Orientation, ...] = ("south", "east", "north", "west")
"""The orientations by their numbers in the format."""
_HEAD = re.compile(r"[vmd](110|115)@([A-Za-z0-9+/?\s]*)")

# The format's position of a piece relative to its centre: (columns, rows).
_SHIFTS: dict[tuple[str, Orientation], tuple[int, int]] = {
    ("O", "west"): (-1, 1),
    ("O", "south"): (-1, 0),
    ("O", "north"): (0, 1),
    ("I", "south"): (-1, 0),
    ("I", "west"): (0, 1),
    ("S", "north"): (0, 1),
    ("S", "east"): (1, 0),
    ("Z", "north"): (0, 1),
    ("Z", "west"): (-1, 0),
}


@dataclass(frozen=True)
class Page:
    """A page of a fumen.

    >>> Page(("XXXX_XXXXX",), Move("I", "east", 4, 2)).after()
    ('____I_____', '____I_____', '____I_____')
    """

    rows: tuple[str, ...] = ()
    """The rows, the floor first, in letters of `CELLS`. Empty rows at the top may be left out."""
    move: Move | None = None
    """The piece, if there is one."""
    comment: str = ""
    """The comment, which lasts until another page changes it. A quiz (`#Q=...`) is kept as it was written."""
    lock: bool = True
    """Whether the piece locks and full rows are cleared before the next page."""
    garbage: str = EMPTY_ROW
    """The row below the floor."""
    rise: bool = False
    """Whether the garbage rises before the next page."""
    mirror: bool = False
    """Whether left and right are swapped before the next page."""
    colour: bool = field(default=True, compare=False)
    """Whether the colours are the Guideline's; only the first page's flag counts."""

    def after(self) -> tuple[str, ...]:
        """Return the field that the page leaves for the next one, without empty rows at the top."""
        return _trimmed(_left(self, len(self.rows) + 4)[0])


def is_fumen(text: str) -> bool:
    """Return whether the text is a fumen, or an address that contains one."""
    return len(text) < _MOST_CHARACTERS and bool(_HEAD.search(text))


def decode(text: str) -> list[Page]:
    """Return the pages of a fumen. The text may also be an address that contains one, such as a link."""
    if len(text) > _MOST_CHARACTERS:
        raise SettingError(f"the fumen has {len(text):,} characters; the limit is {_MOST_CHARACTERS:,}")
    found = _HEAD.search(text)
    if not found:
        raise SettingError("not a fumen: a fumen begins with v115@ or v110@")
    rows = _ROWS[int(found[1])]
    digits = _Digits("".join(found[2].replace("?", "").split()))
    grid = [[0] * COLUMNS for _ in range(rows + 1)]  # from the top row to the garbage
    pages: list[Page] = []
    comment, repeats = "", 0
    while digits.left:
        if repeats:
            repeats -= 1
        elif not _add_runs(digits, grid):
            repeats = digits.take(1)
        page, has_comment = _read_action(digits.take(3), grid, rows)
        if has_comment:
            comment = _read_comment(digits)
        pages.append(replace(page, comment=comment))
        if len(pages) > _MOST_PAGES:
            raise SettingError(f"the fumen has more than {_MOST_PAGES:,} pages")
        kept, garbage = _left(pages[-1], rows)
        grid = [[CELLS.index(cell) for cell in row] for row in (*reversed(kept), garbage)]
    if not pages:
        raise SettingError("the fumen has no page")
    return pages


def encode(pages: Iterable[Page], version: int = 115) -> str:
    """Return the fumen of these pages."""
    if version not in _ROWS:
        raise SettingError(f"no fumen version {version}; it must be one of {', '.join(map(str, _ROWS))}")
    rows = _ROWS[version]
    blocks = (rows + 1) * COLUMNS
    digits: list[int] = []
    before: Sequence[str] = [EMPTY_ROW] * (rows + 1)
    comment, repeat_at = "", -1
    for number, page in enumerate(pages):
        shown = _rows_of(page, rows)
        runs = _runs_between(before, shown)
        if runs != [(8, blocks - 1)]:
            for difference, length in runs:
                _put(digits, difference * blocks + length, 2)
            repeat_at = -1
        elif repeat_at < 0 or digits[repeat_at] == len(_DIGITS) - 1:
            _put(digits, 8 * blocks + blocks - 1, 2)
            digits.append(0)
            repeat_at = len(digits) - 1
        else:
            digits[repeat_at] += 1
        changed = page.comment != comment
        comment = page.comment
        _put(digits, _action(page, rows, changed, page.colour and number == 0), 3)
        if changed:
            _put_comment(digits, comment)
        kept, garbage = _left(page, rows)
        before = [*reversed(kept), garbage]
    if not digits:
        raise SettingError("a fumen needs at least one page")
    data = "".join(_DIGITS[digit] for digit in digits)
    if len(data) >= 41:  # the format's convention: a question mark after every 47 characters
        data = "?".join([data[:42], *(data[at : at + 47] for at in range(42, len(data), 47))])
    return f"v{version}@{data}"


def rows_of_board(text: str) -> str:
    """Return the first page's field as a board: `#` and `.`, the top row first.

    >>> rows_of_board(encode([Page(("XXXX_TTTXX", "_____T____"))])).split()
    ['.....#....', '####.#####']
    """
    rows = _trimmed(decode(text)[0].rows) or (EMPTY_ROW,)
    return "\n".join("".join("." if cell == "_" else "#" for cell in row) for row in reversed(rows))


class _Digits:
    def __init__(self, text: str) -> None:
        self._values = [_DIGITS.index(digit) for digit in text]
        self._at = 0

    @property
    def left(self) -> int:
        return len(self._values) - self._at

    def take(self, count: int) -> int:
        if count > self.left:
            raise SettingError("the fumen ends in the middle of a page")
        value = 0
        for place in range(count):
            value += self._values[self._at + place] * len(_DIGITS) ** place
        self._at += count
        return value


def _put(digits: list[int], value: int, count: int) -> None:
    for _ in range(count):
        value, digit = divmod(value, len(_DIGITS))
        digits.append(digit)


def _add_runs(digits: _Digits, grid: list[list[int]]) -> bool:
    """Add a page's differences to the grid, and return whether anything changed."""
    blocks, at, changed = len(grid) * COLUMNS, 0, True
    while at < blocks:
        difference, length = divmod(digits.take(2), blocks)
        changed = changed and (difference, length) != (8, blocks - 1)
        for place in range(at, at + length + 1):
            row, column = divmod(place, COLUMNS)
            if row >= len(grid):
                raise SettingError("the fumen fills cells below its field")
            grid[row][column] += difference - 8
            if not 0 <= grid[row][column] < len(CELLS):
                raise SettingError(f"the fumen has a cell of unknown kind {grid[row][column]}")
        at += length + 1
    return changed


def _runs_between(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Return (difference + 8, length - 1) for each run, from the top row to the garbage."""
    runs: list[tuple[int, int]] = []
    for old, new in zip("".join(before), "".join(after), strict=True):
        difference = CELLS.index(new) - CELLS.index(old) + 8
        if runs and runs[-1][0] == difference:
            runs[-1] = difference, runs[-1][1] + 1
        else:
            runs.append((difference, 0))
    return runs


def _read_action(value: int, grid: list[list[int]], rows: int) -> tuple[Page, bool]:
    """Return the page of an action, and whether a comment follows."""
    value, kind = divmod(value, 8)
    value, turn = divmod(value, 4)
    value, place = divmod(value, (rows + 1) * COLUMNS)
    flags = [bool(value >> bit & 1) for bit in range(5)]
    rise, mirror, colour, has_comment, stays_in_the_air = flags
    move = None
    if kind:
        piece, orientation = CELLS[kind], _TURNS[turn]
        across, up = _SHIFTS.get((piece, orientation), (0, 0))
        move = Move(piece, orientation, place % COLUMNS - across, rows - place // COLUMNS - 1 - up)
    shown = ["".join(CELLS[cell] for cell in row) for row in grid]
    shown_rows = tuple(reversed(shown[:-1]))
    made = Page(shown_rows, move, "", not stays_in_the_air, shown[-1], rise, mirror, colour)
    return made, has_comment


def _action(page: Page, rows: int, has_comment: bool, colour: bool) -> int:
    value = 0
    for flag in (not page.lock, has_comment, colour, page.mirror, page.rise):
        value = value * 2 + flag
    kind = turn = 0
    x, y = 0, rows - 1
    if move := page.move:
        across, up = _SHIFTS.get((move.piece, move.orientation), (0, 0))
        x, y = move.x + across, move.y + up
        kind, turn = CELLS.index(move.piece), _TURNS.index(move.orientation)
    place = (rows - y - 1) * COLUMNS + x
    if not (0 <= x < COLUMNS and 0 <= place < (rows + 1) * COLUMNS):
        raise SettingError(f"a piece is at ({x}, {y}), which is outside the field")
    return ((value * (rows + 1) * COLUMNS + place) * 4 + turn) * 8 + kind


def _rows_of(page: Page, rows: int) -> list[str]:
    """Return the rows to write, from the top row to the garbage."""
    for row in (*page.rows, page.garbage):
        if len(row) != COLUMNS or set(row) - set(CELLS):
            raise SettingError(f"a fumen row is {row[:20]!r}; it must be {COLUMNS} letters of {CELLS}")
    kept = _trimmed(page.rows)
    if len(kept) > rows:
        raise SettingError(f"the field has {len(kept)} rows; this fumen version allows {rows}")
    return [*(EMPTY_ROW,) * (rows - len(kept)), *reversed(kept), page.garbage]


def _left(page: Page, rows: int) -> tuple[tuple[str, ...], str]:
    """Return the rows, the floor first, and the garbage that the page leaves for the next one."""
    grid = [list(row) for row in (*page.rows, *(EMPTY_ROW,) * (rows - len(page.rows)))]
    garbage = page.garbage
    if page.lock:
        for x, y in page.move.cells if page.move else ():
            if not 0 <= x < COLUMNS or y < 0:
                raise SettingError(f"a piece fills ({x}, {y}), which is outside the field")
            if y < rows:
                grid[y][x] = page.move.piece if page.move else "_"
        grid = [row for row in grid if "_" in row]
        if page.rise:
            grid.insert(0, list(garbage))
            garbage = EMPTY_ROW
        if page.mirror:
            grid = [row[::-1] for row in grid]
        grid = [*grid, *(list(EMPTY_ROW) for _ in range(rows - len(grid)))][:rows]
    return tuple("".join(row) for row in grid), garbage


def _trimmed(rows: Sequence[str]) -> tuple[str, ...]:
    count = len(rows)
    while count and rows[count - 1] == EMPTY_ROW:
        count -= 1
    return tuple(rows[:count])


def _read_comment(digits: _Digits) -> str:
    length = digits.take(2)
    marks = ""
    for _ in range((length + 3) // 4):
        value = digits.take(5)
        for _ in range(4):
            value, mark = divmod(value, _COMMENT_BASE)
            marks += _COMMENT[mark] if mark < len(_COMMENT) else "?"
    return _unescaped(marks[:length])


def _put_comment(digits: list[int], comment: str) -> None:
    marks = _escaped(comment)[:_MOST_COMMENT]
    _put(digits, len(marks), 2)
    for at in range(0, len(marks), 4):
        value = sum(_COMMENT.index(mark) * _COMMENT_BASE**place for place, mark in enumerate(marks[at : at + 4]))
        _put(digits, value, 5)


def _escaped(text: str) -> str:
    """Escape like JavaScript's `escape`: 16-bit units, written as %XX or %uXXXX unless they are plain."""
    units = text.encode("utf-16-be", "surrogatepass")
    written = ""
    for high, low in zip(units[::2], units[1::2], strict=True):
        mark = chr(high * 256 + low)
        plain = mark.isascii() and (mark.isalnum() or mark in "@*_+-./")
        written += mark if plain else f"%{low:02X}" if not high else f"%u{high * 256 + low:04X}"
    return written


def _unescaped(text: str) -> str:
    read = re.sub(r"%u([0-9a-fA-F]{4})|%([0-9a-fA-F]{2})", lambda found: chr(int(found[1] or found[2], 16)), text)
    return read.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "replace")
