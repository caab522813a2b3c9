"""A warning that games will take long, judged by their first seconds.

>>> patience = Patience(games=1000)
>>> patience.judge(done=2, pieces=5_000_000, seconds=4.0)
'2 of 1,000 games have ended in 4 s: all of them will take about 33 minutes'
>>> patience.judge(done=3, pieces=6_000_000, seconds=5.0)  # once is enough
"""

LOOK_S = 3.0
"""The seconds after which the games are judged."""
LONG_S = 20 * 60.0
"""Games that take longer than this are announced."""


class Patience:
    """The time that games will take, announced once, early, if it is long."""

    def __init__(self, games: int) -> None:
        self._games = games
        self._told = False

    def judge(self, done: int, pieces: int, seconds: float) -> str | None:
        """Return the announcement after these games, pieces and seconds; None if there is nothing to say.

        Until a game has ended, only the pieces are known, and the games may have no end.
        """
        if self._told or seconds < LOOK_S or done >= self._games:
            return None
        if done == 0:
            if pieces == 0:
                return None
            self._told = True
            return f"no game has ended in {seconds:.0f} s, after {pieces:,} pieces: these games may take hours"
        whole = seconds * self._games / done
        if whole < LONG_S:
            self._told = seconds > 2 * LOOK_S
            return None
        self._told = True
        return f"{done:,} of {self._games:,} games have ended in {seconds:.0f} s: all of them will take {_about(whole)}"


def _about(seconds: float) -> str:
    for least, unit in ((86_400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2 * least:
            return f"about {seconds / least:,.0f} {unit}"
    return f"about {seconds:.0f} seconds"
