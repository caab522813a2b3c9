"""Chapter 2.5's claims about the generators: floods and droughts of pieces, and runs of S and Z."""

from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from blockfall.games.streams import dealt_pieces
from blockfall.reports import Sheet
from blockfall.rulesets import Rules, rules
from blockfall.studies.base import Work

PIECES_DEALT = {"quick": 100_000, "full": 1_000_000}
GENERATORS = ("uniform", "nes", "tgm1", "7-bag", "tgm3", "tgm3-real")
"""The generators in the order of chapter 2.5. `tgm3` follows its text, `tgm3-real` the game itself."""


@dataclass(frozen=True)
class Floods:
    """The statistics of one long game of a generator."""

    generator: str
    repeats: float
    """The share of pieces that repeat the previous one."""
    longest_flood: int
    """The most pieces of one kind in a row."""
    mean_drought: float
    """The mean of the longest time without a piece in each thousand pieces."""
    longest_drought: int
    """The most pieces between two of the same kind."""
    longest_snake: int
    """The most pieces in a row that are S or Z. A game of these alone must end (Burgiel)."""


def measure_floods(budget: str, seed: int, work: Work) -> tuple[Floods, ...]:
    """Deal many pieces by each generator and count."""
    found = []
    with work.phase("floods and droughts", len(GENERATORS)) as update:
        for name in GENERATORS:
            found.append(_counted(name, dealt_pieces(_with_generator(name), PIECES_DEALT[budget], seed)))
            update(len(found), name)
    return tuple(found)


def _with_generator(name: str) -> Rules:
    """Return TetrisBot's rules with another generator."""
    base = rules("tetrisbot")
    generator = base.file.generator.model_copy(update={"name": name})
    return replace(base, file=base.file.model_copy(update={"generator": generator}))


def _counted(name: str, dealt: str) -> Floods:
    """Return the statistics of these pieces.

    >>> _counted("none", "SZTTTOOIJLSZ")
    Floods(generator='none', repeats=0.25, longest_flood=3, mean_drought=9.0, longest_drought=9, longest_snake=2)
    """
    repeats = sum(a == b for a, b in pairwise(dealt)) / len(dealt)
    last: dict[str, int] = {}
    longest: dict[int, int] = {}
    for place, piece in enumerate(dealt):
        if piece in last:
            part = place // 1000
            longest[part] = max(longest.get(part, 0), place - last[piece] - 1)
        last[piece] = place
    return Floods(
        name,
        repeats,
        max(len(list(run)) for _, run in groupby(dealt)),
        sum(longest.values()) / len(longest),
        max(longest.values()),
        max((len(list(run)) for snake, run in groupby(dealt, key=lambda piece: piece in "SZ") if snake), default=0),
    )


def floods_sheet(floods: tuple[Floods, ...], budget: str) -> Sheet:
    """Return the statistics of each generator."""
    return Sheet.of(
        "Chapter 2.5: floods and droughts",
        floods,
        ("generator", lambda one: one.generator),
        ("repeats, %", lambda one: 100 * one.repeats),
        ("longest flood", lambda one: one.longest_flood),
        ("longest drought", lambda one: one.longest_drought),
        ("of 1,000 pieces", lambda one: one.mean_drought),
        ("longest of S and Z", lambda one: one.longest_snake),
        note=f"{PIECES_DEALT[budget]:,} pieces each. A flood is a run of one kind; a drought, the pieces between two "
        "of one kind: the longest of all, and the mean of the longest in every 1,000 pieces.",
        tab="Floods and droughts",
    )


def claims_sheet(floods: tuple[Floods, ...]) -> Sheet:
    """Return the thesis's claims, and whether the dealt pieces bear them out."""
    by_name = {one.generator: one for one in floods}
    uniform, nes, tgm1, bag = (by_name[name] for name in GENERATORS[:4])
    both = (("TGM3 as the thesis describes it", by_name["tgm3"]), ("TGM3 itself", by_name["tgm3-real"]))
    claims = [
        (
            "NES makes floods a little rarer",
            nes.repeats < uniform.repeats,
            f"{nes.repeats:.1%} repeats, uniform {uniform.repeats:.1%}",
        ),
        (
            "NES does not rule out droughts",
            nes.longest_drought > 30,
            f"{nes.longest_drought} pieces, uniform {uniform.longest_drought}",
        ),
        (
            "TGM's history makes both rarer",
            tgm1.repeats < nes.repeats and tgm1.mean_drought < nes.mean_drought,
            f"{tgm1.repeats:.1%} repeats, {tgm1.mean_drought:.0f} pieces per 1,000; NES {nes.mean_drought:.0f}",
        ),
        (
            "permutations of seven: at most 2 alike, 4 of S and Z, 12 between",
            (bag.longest_flood, bag.longest_snake, bag.longest_drought) == (2, 4, 12),
            f"{bag.longest_flood}, {bag.longest_snake} and {bag.longest_drought}",
        ),
    ]
    claims += [
        (
            f"{label} keeps floods as small as permutations of seven do",
            one.repeats <= bag.repeats and one.longest_flood <= bag.longest_flood,
            f"{one.repeats:.1%} repeats and {one.longest_flood} alike; 7-bag {bag.repeats:.1%} and "
            f"{bag.longest_flood}; uniform {uniform.repeats:.1%} and {uniform.longest_flood}",
        )
        for label, one in both
    ]
    claims += [
        (
            f"{label} keeps droughts shorter than a history alone",
            one.mean_drought < tgm1.mean_drought,
            f"{one.mean_drought:.0f} pieces per 1,000, {one.longest_drought} at most; TGM "
            f"{tgm1.mean_drought:.0f} and {tgm1.longest_drought}",
        )
        for label, one in both
    ]
    claims += [
        (
            f"{label} deals no long run of S and Z",
            one.longest_snake <= bag.longest_snake,
            f"{one.longest_snake}; 7-bag {bag.longest_snake}, uniform {uniform.longest_snake}",
        )
        for label, one in both
    ]
    rows = tuple((claim, "yes" if holds else "no", figures) for claim, holds, figures in claims)
    title = "Chapter 2.5: what the thesis says of the generators"
    return Sheet(title, ("claim", "holds", "found"), rows, tab="Floods and droughts, claims")
