"""The study's rows, sheets and figures."""

from blockfall.experiments.statistics import compare, describe
from blockfall.reports import Bars, Boxes, Figure, Report, Section, Sheet
from blockfall.server.game import POINTS_PER_FRAME, SLOWEST
from blockfall.studies.aveiro2020.plays import DOCUMENT, LOOKING_AHEAD, Followed, PlayedVariant
from blockfall.studies.base import Row, judged


def rows(played: list[PlayedVariant]) -> tuple[Row, ...]:
    """The mean points of every agent but those with other thresholds. The document publishes no figures."""
    return tuple(
        judged(one.variant.name, one.points.mean, one.points.sem, None, note=_cap(one))
        for one in played
        if one.variant.part != "thresholds"
    )


def _cap(one: PlayedVariant) -> str:
    return f"{one.games.capped} of {len(one.games.score)} games cut" if one.games.capped else ""


def report(played: list[PlayedVariant], followed: list[Followed], budget: str, seed: int) -> Report:
    """The study's report."""
    document = next(one for one in played if one.variant.name == DOCUMENT)
    sections = (
        _section(
            "The document's agent, with and without its guard",
            "The guard",
            "The guard plays at the sides only, once the board is high and bumpy. The document gives no thresholds; "
            "ours are a height of 15 and a bumpiness of 20, and another sheet tries others.",
            [one for one in played if one.variant.part == "guard"],
            document,
        ),
        _section(
            "What the server's keys cost",
            "The server's keys",
            "On the server a piece falls one row with every key, so on a high board it cannot reach the far side. Here "
            "it takes all its keys before it falls; then it may still slide under others, or drops straight down. This "
            "is the difference between our figures and those of a program that drops every piece straight into any "
            "column.",
            [one for one in played if one.variant.part in ("guard", "keys")],
            document,
        ),
        _section(
            "Look-ahead over the next pieces that the server shows",
            "Look-ahead",
            "The games with two and three pieces of look-ahead are fewer: each piece more values twenty times as many "
            "boards.",
            sorted(
                (one for one in played if one.variant.part == "look-ahead" or one.variant.name in LOOKING_AHEAD),
                key=lambda one: (LOOKING_AHEAD.index(one.variant.agent.name), one.variant.look_ahead),
            ),
            document,
        ),
        _section(
            "Other agents in the document's place",
            "Other agents",
            "All know one piece, as the document's does.",
            [document, *(one for one in played if one.variant.part == "others")],
            document,
        ),
        _thresholds([one for one in played if one.variant.part == "thresholds"], played),
        _frames(followed),
    )
    best = max((one for one in played if one.variant.look_ahead == 0), key=lambda one: one.points.mean)
    summary = (
        f"The course's game in lockstep, budget {budget}, seed {seed}, all agents on the same games of at most "
        f"{document.max_pieces:,} pieces. The document's agent scores {document.points.mean:,.1f} points in "
        f"{document.lines.mean:,.1f} lines; the best that knows one piece, {best.variant.name}, "
        f"{best.points.mean:,.0f} or more."
    )
    return Report("aveiro2020: an agent on the course's server", summary, sections)


def _section(title: str, tab: str, text: str, played: list[PlayedVariant], document: PlayedVariant) -> Section:
    items: list[Sheet | Figure] = [_sheet(title, tab, played, document)]
    items.append(
        Boxes(
            f"{title}: points per game",
            "",
            "points",
            "Boxes: quartiles; whiskers: 5 and 95 percent; points: means.",
            labels=tuple(one.variant.name for one in played),
            samples=tuple(one.games.score.tolist() for one in played),
            tab=f"{tab}, games",
        )
    )
    return Section(title, (text,), tuple(items))


def _sheet(title: str, tab: str, played: list[PlayedVariant], document: PlayedVariant) -> Sheet:
    found = []
    for one in played:
        points, lines, pieces = one.points, one.lines, one.pieces
        found.append(
            (
                one.variant.name,
                points.n,
                f"{points.mean:,.1f} ({points.low:,.1f} to {points.high:,.1f})",
                f"{lines.mean:,.1f} ({lines.low:,.1f} to {lines.high:,.1f})",
                f"{pieces.mean:,.1f} ({pieces.low:,.1f} to {pieces.high:,.1f})",
                round(one.points_per_line, 3),
                one.games.capped,
                _beside(one, document),
            )
        )
    columns = ("agent", "games", "points", "lines", "pieces", "points per line", "cut", "on the same games")
    note = (
        f"Means with their 95 % intervals. A game is cut after {document.max_pieces:,} pieces: means with cut games "
        "are lower bounds."
    )
    return Sheet(title, columns, tuple(found), note, tab)


def _beside(one: PlayedVariant, document: PlayedVariant) -> str:
    """Which of the two scores more, in words; paired by game."""
    if one is document:
        return ""
    games = min(len(one.games.score), len(document.games.score))
    return compare(one.games.score[:games], document.games.score[:games]).sentence("it", "the document's")


def _thresholds(guards: list[PlayedVariant], played: list[PlayedVariant]) -> Section:
    without = next(one for one in played if one.variant.part == "guard" and one.variant.agent.guard is None)
    title = "The guard's thresholds"
    found = []
    for one in guards:
        compared = compare(one.games.score, without.games.score)
        guard = one.variant.agent.guard
        assert guard
        found.append(
            (
                guard.max_height,
                guard.bumpiness,
                one.points.mean,
                compared.difference,
                compared.low,
                compared.high,
                compared.sentence("the guard", "no guard"),
            )
        )
    columns = ("height from", "bumpiness from", "points", "more than without", "at least", "at most", "verdict")
    note = f"Without a guard: {without.points.mean:,.1f} points. Intervals of 95 %, paired by game."
    bars = Bars(
        f"{title}: points more than without",
        "height / bumpiness from which on the guard acts",
        "points per game",
        "Bars: standard errors.",
        labels=tuple(f"{row[0]} / {row[1]}" for row in found),
        series=(("points", tuple(float(row[3]) for row in found)),),
        errors=(tuple(describe(one.games.score - without.games.score).sem for one in guards),),
        tab=f"{title}, chart",
    )
    return Section(
        title,
        ("Height and bumpiness from which on only the sides are played.",),
        (Sheet(title, columns, tuple(found), note), bars),
    )


def _frames(followed: list[Followed]) -> Section:
    title = "The same games, frame by frame"
    found = [
        (
            one.variant.name,
            one.pieces,
            round(one.frames / one.pieces, 2),
            round(one.keys / one.pieces, 2),
            one.most_keys,
            one.missed,
            one.equal,
        )
        for one in followed
    ]
    columns = ("agent", "pieces", "frames per piece", "keys per piece", "most keys", "missed", "equals the core's game")
    text = (
        "The beginning of the first game, played by the client's pilot on the server's frames in lockstep. A piece "
        "takes its keys, the drop among them, and one frame to lock. The course's server shows "
        f"{SLOWEST} frames per second and one more for every {POINTS_PER_FRAME} points."
    )
    return Section(title, (text,), (Sheet(title, columns, tuple(found)),))
