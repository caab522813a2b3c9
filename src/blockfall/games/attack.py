"""Attack lines, which clears send to an opponent, by the table `[attack]` of the rules.

>>> from blockfall.rulesets import rules
>>> table = rules("guideline").file.attack
>>> first = Attack().after(table, lines=2, spin="full", empty=False)
>>> second = first.after(table, lines=4, spin="none", empty=False)  # back-to-back, and the second clear in a row
>>> first.lines, second.lines - first.lines, second.combo
(4, 6, 2)
"""

from dataclasses import dataclass

from blockfall.rulesets.model import AttackKeys
from blockfall.tbp.moves import Spin

SPINS: tuple[Spin, ...] = ("none", "mini", "full")
"""The kinds of spins, in the core's order."""
_TETRIS = 4


@dataclass(frozen=True)
class Attack:
    """The attack of a game so far."""

    lines: int = 0
    """The lines sent so far."""
    combo: int = 0
    """The number of consecutive clears up to now."""
    back_to_back: bool = False
    """Whether the last clear was of four lines or with a spin. Another such clear then sends more."""

    def after(self, table: AttackKeys, lines: int, spin: Spin, empty: bool) -> "Attack":
        """Return the attack after a clear of this many lines with this spin. `empty` means a perfect clear."""
        if not lines:
            return Attack(self.lines, 0, self.back_to_back)
        hard = lines == _TETRIS or spin != "none"
        by_lines = {"none": table.lines, "mini": table.mini, "full": table.spin}[spin]
        sent = by_lines[min(lines, len(by_lines)) - 1]
        if hard and self.back_to_back:
            sent += table.back_to_back
        if table.combo:
            sent += table.combo[min(self.combo, len(table.combo) - 1)]
        if empty:
            sent += table.perfect_clear
        return Attack(self.lines + sent, self.combo + 1, hard)
