"""The study's rows, sheets and figures."""

from blockfall.agents import Guard
from blockfall.experiments.statistics import Description, compare, describe
from blockfall.reports import Bars, Boxes, Report, Section, Sheet
from blockfall.server.game import POINTS_PER_FRAME, SLOWEST
from blockfall.studies.aveiro2020.plays import DOCUMENT, LOOKING_AHEAD, Followed, PlayedVariant
from blockfall.studies.base import Row, judged


def rows(played: list[PlayedVariant]) -> tuple[Row, ...]:
    """Return the mean points of every agent except those with other thresholds. The document has no figures."""
    return tuple(
        judged(one.variant.name, one.points.mean, one.points.sem, None, note=_cap(one))
        for one in played
        if one.variant.part != "thresholds"
    )


def _cap(one: PlayedVariant) -> str:
    return f"{one.games.capped} of {len(one.games.score)} games cut" if one.games.capped else ""


def report(played: list[PlayedVariant], followed: list[Followed], budget: str, seed: int) -> Report:
    """Return the study's report."""
    document = next(one for one in played if one.variant.name == DOCUMENT)
    sections = (
        _section(
            "The document's agent, with and without its guard",
            "The guard",
            "The guard plays only at the sides once the board is high and bumpy. The document gives no thresholds; "
            "ours are a height of 15 and a bumpiness of 20, and another sheet tries others.",
            [one for one in played if one.variant.part == "guard"],
            document,
        ),
        _section(
            "What the server's keys cost",
            "The server's keys",
            "On the server a piece falls one row with every key, so on a high board it cannot reach the far side. Here "
            "it gets all its keys before it falls, and then may slide under others or drops straight down. This is the "
            "difference between our figures and those of a program that drops every piece straight into any column.",
            [one for one in played if one.variant.part in ("guard", "keys")],
            document,
        ),
        _section(
            "Look-ahead over the next pieces that the server shows",
            "Look-ahead",
            "There are fewer games with two and three pieces of look-ahead, because each piece multiplies the "
            "number of boards by twenty.",
            sorted(
                (one for one in played if one.variant.part == "look-ahead" or one.variant.name in LOOKING_AHEAD),
                key=lambda one: (LOOKING_AHEAD.index(one.variant.agent.name), one.variant.look_ahead),
            ),
            document,
        ),
        _section(
            "Other agents in the document's place",
            "Other agents",
            "All know one piece, like the document's.",
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
        f"{document.lines.mean:,.1f} lines; the best agent that knows one piece, {best.variant.name}, scores "
        f"at least {best.points.mean:,.0f}."
    )
    return Report("aveiro2020: an agent on the course's server", summary, sections)


def _section(title: str, tab: str, text: str, played: list[PlayedVariant], document: PlayedVariant) -> Section:
    boxes = Boxes(
        f"{title}: points per game",
        "",
        "points",
        "Boxes: quartiles; whiskers: 5 and 95 percent; points: means.",
        labels=tuple(one.variant.name for one in played),
        samples=tuple(one.games.score.tolist() for one in played),
        tab=f"{tab}, games",
    )
    return Section(title, (text,), (_sheet(title, tab, played, document), boxes))


def _sheet(title: str, tab: str, played: list[PlayedVariant], document: PlayedVariant) -> Sheet:
    return Sheet.of(
        title,
        played,
        ("agent", lambda one: one.variant.name),
        ("games", lambda one: one.points.n),
        ("points", lambda one: _interval(one.points)),
        ("lines", lambda one: _interval(one.lines)),
        ("pieces", lambda one: _interval(one.pieces)),
        ("points per line", lambda one: round(one.points_per_line, 3)),
        ("cut", lambda one: one.games.capped),
        ("on the same games", lambda one: _beside(one, document)),
        note=f"Means with their 95 % intervals. A game is cut after {document.max_pieces:,} pieces: means with cut "
        "games are lower bounds.",
        tab=tab,
    )


def _interval(found: Description) -> str:
    return f"{found.mean:,.1f} ({found.low:,.1f} to {found.high:,.1f})"


def _beside(one: PlayedVariant, document: PlayedVariant) -> str:
    """Return which of the two scores more, in words, paired by game."""
    if one is document:
        return ""
    games = min(len(one.games.score), len(document.games.score))
    return compare(one.games.score[:games], document.games.score[:games]).sentence("it", "the document's")


def _thresholds(guards: list[PlayedVariant], played: list[PlayedVariant]) -> Section:
    without = next(one for one in played if one.variant.part == "guard" and one.variant.agent.guard is None)
    title = "The guard's thresholds"
    compared = [
        (one.variant.agent.guard or Guard(0, 0), one, compare(one.games.score, without.games.score)) for one in guards
    ]
    sheet = Sheet.of(
        title,
        compared,
        ("height from", lambda row: row[0].max_height),
        ("bumpiness from", lambda row: row[0].bumpiness),
        ("points", lambda row: row[1].points.mean),
        ("more than without", lambda row: row[2].difference),
        ("at least", lambda row: row[2].low),
        ("at most", lambda row: row[2].high),
        ("verdict", lambda row: row[2].sentence("the guard", "no guard")),
        note=f"Without a guard: {without.points.mean:,.1f} points. Intervals of 95 %, paired by game.",
    )
    bars = Bars(
        f"{title}: points more than without",
        "height / bumpiness from which the guard acts",
        "points per game",
        "Bars: standard errors.",
        labels=tuple(f"{guard.max_height} / {guard.bumpiness}" for guard, _, _ in compared),
        series=(("points", tuple(found.difference for _, _, found in compared)),),
        errors=(tuple(describe(one.games.score - without.games.score).sem for one in guards),),
        tab=f"{title}, chart",
    )
    return Section(title, ("Height and bumpiness from which only the sides are played.",), (sheet, bars))


def _frames(followed: list[Followed]) -> Section:
    title = "The same games, frame by frame"
    sheet = Sheet.of(
        title,
        followed,
        ("agent", lambda one: one.variant.name),
        ("pieces", lambda one: one.pieces),
        ("frames per piece", lambda one: round(one.frames / one.pieces, 2)),
        ("keys per piece", lambda one: round(one.keys / one.pieces, 2)),
        ("most keys", lambda one: one.most_keys),
        ("missed", lambda one: one.missed),
        ("equals the core's game", lambda one: one.equal),
    )
    text = (
        "The beginning of the first game, played in lockstep by the client's pilot on the server's frames. A piece "
        "takes a frame for each key, including the drop, and one to lock. The course's server shows "
        f"{SLOWEST} frames per second, and one more for every {POINTS_PER_FRAME} points."
    )
    return Section(title, (text,), (sheet,))
