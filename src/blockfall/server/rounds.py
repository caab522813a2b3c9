"""A tournament on the server: it deals the rounds and keeps the games.

A separate thread writes, so that no frame waits for a disk.
"""

from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor

from blockfall.files import locked, write_atomically
from blockfall.server.game import CourseGame, dealt
from blockfall.server.room import Match
from blockfall.server.tournament import RESULTS, EndedGame, RunningGame, Tournament, replay_text


class Rounds:
    """The rounds of a tournament. Use it in a `with` block, which reserves the tournament for this process."""

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self._ended = list(tournament.games)  # the event loop's copy; the thread writes the tournament's own list
        self._expected: dict[str, int] = {}
        """The waiting and playing players, with the number of their game."""
        self._thread = ThreadPoolExecutor(1, "tournament")
        self._lock = locked(tournament.folder)

    def __enter__(self) -> "Rounds":
        self._lock.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.submit(self._finish).result()
        self._thread.shutdown()
        self._lock.__exit__(None, None, None)

    def admit(self, name: str) -> str:
        """Refuse a player who is playing already or has played all rounds."""
        if name in self._expected:
            return f"{name} is playing already; one game at a time"
        played = sum(game.player == name for game in self._ended)
        if played >= self.tournament.rounds:
            return f"{name} has played all {played} games of the tournament"
        self._expected[name] = played + 1
        return ""

    def leave(self, name: str) -> None:
        """Note that the player left before a game began."""
        self._expected.pop(name, None)

    def begin(self, name: str) -> CourseGame:
        """Return the player's next round. Round n has the same pieces for everyone."""
        number = self._expected[name] - 1
        pieces = dealt(self.tournament.seed, number)
        return CourseGame(pieces, name, number=number, most_pieces=self.tournament.max_pieces)

    def end(self, game: CourseGame, left: bool) -> Future[None]:
        """Keep a game. If its player leaves, it counts as it is: otherwise players could retry bad games."""
        self._expected.pop(game.player, None)
        end = "left" if left else "piece-limit" if game.pieces == self.tournament.max_pieces else "block-out"
        ended = EndedGame(
            player=game.player,
            round=game.number + 1,
            score=game.score,
            lines=game.lines,
            pieces=game.pieces,
            frames=game.frames,
            end=end,
            replay=f"{len(self._ended) + 1:04}.jsonl",
        )
        self._ended.append(ended)
        return self._thread.submit(self._keep, ended, game)

    def show(self, matches: Iterable[Match]) -> None:
        """Write the running games, for the app and other terminals."""
        playing = [
            RunningGame(player=one.game.player, round=one.game.number + 1, score=one.game.score, pieces=one.game.pieces)
            for one in matches
        ]
        self._thread.submit(self._show, playing)

    def _keep(self, ended: EndedGame, game: CourseGame) -> None:
        self.tournament.games.append(ended)
        try:
            write_atomically(self.tournament.replay(ended), replay_text(game, self.tournament.seed, ended.end))
        finally:
            self.tournament.write()

    def _show(self, playing: list[RunningGame]) -> None:
        if playing != self.tournament.playing:
            self.tournament.playing = playing
            self.tournament.write_now()

    def _finish(self) -> None:
        self._show([])
        write_atomically(self.tournament.folder / RESULTS, self.tournament.workbook())
