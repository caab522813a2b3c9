"""Chapter 2.5's claims on the generators: how often pieces flood, how long they stay away, and S and Z alone."""

from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from blockfall.games.streams import dealt_pieces
from blockfall.reports import Sheet
from blockfall.rulesets import Rules, rules
from blockfall.studies.base import Work

PIECES_DEALT = {"quick": 100_000, "full": 1_000_000}
GENERATORS = ("uniform", "nes", "tgm1", "7-bag", "tgm3", "tgm3-real")
"""In the order of chapter 2.5. `tgm3` is its own sentence, `tgm3-real` the game."""


@dataclass(frozen=True)
class Floods:
    """What a generator dealt in one long game."""

    generator: str
    repeats: float
    """The share of pieces that are as the one before."""
    longest_flood: int
    """The most pieces of a kind in a row."""
    mean_drought: float
    """The mean of the longest time without a piece in each thousand pieces."""
    longest_drought: int
    """The most pieces between two of a kind."""
    longest_snake: int
    """The most pieces in a row that are S or Z: of those alone, a game ends at last (Burgiel)."""


def measure_floods(budget: str, seed: int, work: Work) -> tuple[Floods, ...]:
    """Deals many pieces by each generator and counts."""
    found = []
    with work.phase("floods and droughts", len(GENERATORS)) as update:
        for name in GENERATORS:
            found.append(_counted(name, dealt_pieces(_with_generator(name), PIECES_DEALT[budget], seed)))
            update(len(found), name)
    return tuple(found)


def _with_generator(name: str) -> Rules:
    """TetrisBot's rules with another generator."""
    base = rules("tetrisbot")
    generator = base.file.generator.model_copy(update={"name": name})
    return replace(base, file=base.file.model_copy(update={"generator": generator}))


def _counted(name: str, dealt: str) -> Floods:
    """
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
    """What each generator dealt."""
    columns = ("generator", "repeats, %", "longest flood", "longest drought", "of 1,000 pieces", "longest of S and Z")
    found = tuple(
        (
            one.generator,
            100 * one.repeats,
            one.longest_flood,
            one.longest_drought,
            one.mean_drought,
            one.longest_snake,
        )
        for one in floods
    )
    note = (
        f"{PIECES_DEALT[budget]:,} pieces each. A flood is one kind in a row; a drought, the pieces between two of a "
        "kind: the longest of all, and the mean of the longest in every 1,000 pieces."
    )
    return Sheet("Chapter 2.5: floods and droughts", columns, found, note, "Floods and droughts")


def claims_sheet(floods: tuple[Floods, ...]) -> Sheet:
    """The thesis's claims, and whether the pieces that were dealt bear them out."""
    by_name = {one.generator: one for one in floods}
    uniform, nes, tgm1, bag = (by_name[name] for name in GENERATORS[:4])
    read, real = by_name["tgm3"], by_name["tgm3-real"]

    def said(holds: bool, figures: str) -> tuple[str, str]:
        return "yes" if holds else "no", figures

    rows = (
        (
            "NES makes floods a little rarer",
            *said(nes.repeats < uniform.repeats, f"{nes.repeats:.1%} repeats, uniform {uniform.repeats:.1%}"),
        ),
        (
            "NES does not rule droughts out",
            *said(nes.longest_drought > 30, f"{nes.longest_drought} pieces, uniform {uniform.longest_drought}"),
        ),
        (
            "TGM's history makes both rarer",
            *said(
                tgm1.repeats < nes.repeats and tgm1.mean_drought < nes.mean_drought,
                f"{tgm1.repeats:.1%} repeats, {tgm1.mean_drought:.0f} pieces per 1,000; NES {nes.mean_drought:.0f}",
            ),
        ),
        (
            "permutations of seven: 2 alike, 4 of S and Z, 12 between at most",
            *said(
                (bag.longest_flood, bag.longest_snake, bag.longest_drought) == (2, 4, 12),
                f"{bag.longest_flood}, {bag.longest_snake} and {bag.longest_drought}",
            ),
        ),
        *(
            (
                f"{label} keeps floods as small as permutations of seven do",
                *said(
                    one.repeats <= bag.repeats and one.longest_flood <= bag.longest_flood,
                    f"{one.repeats:.1%} repeats and {one.longest_flood} alike; 7-bag {bag.repeats:.1%} and "
                    f"{bag.longest_flood}; uniform {uniform.repeats:.1%} and {uniform.longest_flood}",
                ),
            )
            for label, one in (("TGM3 as the thesis says it", read), ("TGM3 itself", real))
        ),
        *(
            (
                f"{label} keeps droughts shorter than a history alone",
                *said(
                    one.mean_drought < tgm1.mean_drought,
                    f"{one.mean_drought:.0f} pieces per 1,000, {one.longest_drought} at most; TGM "
                    f"{tgm1.mean_drought:.0f} and {tgm1.longest_drought}",
                ),
            )
            for label, one in (("TGM3 as the thesis says it", read), ("TGM3 itself", real))
        ),
        *(
            (
                f"{label} deals no long row of S and Z",
                *said(
                    one.longest_snake <= bag.longest_snake,
                    f"{one.longest_snake}; 7-bag {bag.longest_snake}, uniform {uniform.longest_snake}",
                ),
            )
            for label, one in (("TGM3 as the thesis says it", read), ("TGM3 itself", real))
        ),
    )
    title = "Chapter 2.5: what the thesis says of the generators"
    return Sheet(title, ("claim", "holds", "found"), rows, tab="Floods and droughts, claims")
