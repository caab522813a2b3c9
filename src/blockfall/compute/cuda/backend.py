"""The backend that plays on a GPU: many games at once, each in its own seat, a slice of pieces at a time."""

import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from blockfall.compute.cuda.device import Device, find_device
from blockfall.compute.cuda.network_seating import NetworkSeating
from blockfall.compute.cuda.relay import Relay, can_relay
from blockfall.compute.cuda.seating import OUTCOME_BYTES, THREADS_THAT_SHARE, Seating
from blockfall.compute.cutting import Cutter, GameBlock, Joined
from blockfall.compute.evaluation import Evaluation, InterruptedPlay, PlayProgress
from blockfall.compute.local import all_cores
from blockfall.compute.request import Request
from blockfall.compute.summary import Summary
from blockfall.errors import SettingError
from blockfall.features import find_feature
from blockfall.games.tetris import Termination

SEATS = 2**18
"""The games played at once: several times the threads of a GPU."""
GAMES_AT_ONCE = 2**22
"""The games whose counts are held on the GPU, in 300 megabytes. More are played in several parts."""
MEMORY_SHARE = 0.5
"""The largest share of the free memory that the counts take."""
FEW_GAMES = 2**13
"""The most games that do not fill the GPU. If they are long, they are played in parts."""
LONG_SECONDS = 10.0
"""The seconds after which games are long."""
REQUESTS_AT_ONCE = 16
"""The trainings that are played side by side. soster2024's study takes as long with 8."""


@dataclass(frozen=True, init=False)
class CudaBackend:
    """A backend that plays on a GPU of this machine. It plays the same games as every backend.

    Its agents have weights, networks or tables and know one or two pieces, with or without look-ahead. It has every
    feature of the catalogue. Several threads may use one backend; their games run side by side. Making one raises a
    SettingError if CuPy or a GPU is missing:

    >>> import blockfall
    >>> try:
    ...     fast = blockfall.CudaBackend()
    ... except blockfall.SettingError as error:
    ...     fast = blockfall.LocalBackend()
    >>> blockfall.evaluate(rules="nes-no-rotation", agent="birken-6", games=20, seed=1, backend=fast).lines.shape
    (20,)
    """

    device: Device = field(repr=False)
    seats: int = SEATS
    """The most games to play at once."""
    threads_per_game: int | None = None
    """The threads that share a game: 1 or 32, or 1 or 8 if two pieces are known. None takes the faster."""
    prepared: tuple[str, ...] = ()
    """The features, in the catalogue's order, whose weighted sums are all played by one program."""

    def __init__(
        self,
        device: Device | None = None,
        seats: int = SEATS,
        threads_per_game: int | None = None,
        prepared: Collection[str] = (),
    ) -> None:
        """Use the GPU that CuPy has chosen. Raise a SettingError if there is none."""
        if threads_per_game not in (None, 1, *THREADS_THAT_SHARE.values()):
            raise SettingError(f"{threads_per_game} threads for each game; it must be 1, 8 or 32")
        object.__setattr__(self, "device", device or find_device())
        object.__setattr__(self, "seats", seats)
        object.__setattr__(self, "threads_per_game", threads_per_game)
        numbers = {one.name: one.number for one in map(find_feature, prepared) if not one.custom}
        object.__setattr__(self, "prepared", tuple(sorted(numbers, key=numbers.__getitem__)))

    @classmethod
    def from_text(cls, text: str) -> "CudaBackend":
        """Return the backend of the text after `cuda:` on the command line, which must be empty."""
        if text:
            raise SettingError(f"backend 'cuda:{text}'; write cuda")
        return cls()

    @property
    def threads(self) -> int:
        """The cores of this machine, which other work may use at the same time."""
        return all_cores()

    @property
    def requests_at_once(self) -> int:
        """The number of threads whose requests, of some thousand games each, fill the GPU together."""
        return REQUESTS_AT_ONCE

    def prepared_for(self, features: Collection[str]) -> "CudaBackend":
        """Return the same backend with one program for all agents that weigh some of these features.

        This speeds up requests that are played side by side, because different programs slow each other down. Each
        agent still has its own program if more than 32 features are named, and for long games that are played in parts.
        """
        return replace(self, prepared=tuple(features))

    def can_play(self, request: Request) -> bool:
        """Return whether a GPU plays this request."""
        try:
            _check(request)
        except SettingError:
            return False
        return True

    def play(self, request: Request, progress: PlayProgress | None = None) -> Evaluation:
        """Play the games to their end. `progress` is called after every slice with the games and pieces done.

        An interrupt raises `InterruptedPlay` with the figures of the games that had ended.
        """
        started = time.perf_counter()
        joined = Joined(request)
        with self.device.beside():
            for part, played, interrupted in self._parts(request, progress):
                joined.put(part, played)
                if interrupted:
                    raise InterruptedPlay(joined.so_far(time.perf_counter() - started).summary_of_ended())
        return joined.evaluation(time.perf_counter() - started)

    def summarise(self, request: Request, progress: PlayProgress | None = None) -> Summary:
        """Play the games, as many at once as the GPU's memory holds, and keep only their figures."""
        started = time.perf_counter()
        total: Summary | None = None
        with self.device.beside():
            for _part, played, interrupted in self._parts(request, progress):
                found = played.summary_of_ended() if interrupted else played.summary()
                total = total + found if total and found else total or found
                if interrupted:
                    raise InterruptedPlay(total and replace(total, seconds=time.perf_counter() - started))
        assert total  # a request has at least one game
        return replace(total, seconds=time.perf_counter() - started)

    def _parts(self, request: Request, progress: PlayProgress | None) -> Iterator[tuple[GameBlock, Evaluation, bool]]:
        """Play a request in parts that fit the memory. The last one may be interrupted."""
        _check(request)
        cutter = Cutter(request)
        most = min(GAMES_AT_ONCE, max(int(MEMORY_SHARE * self.device.free_bytes) // OUTCOME_BYTES, 1))
        seating = _seating_of(request)(
            self.device, request, self.seats, min(cutter.left, most), self.threads_per_game, self.prepared
        )
        games = pieces = 0
        while cutter.left:
            began, part, over, placed = time.perf_counter(), cutter.cut(most), 0, 0
            player: Seating | Relay = seating
            relay = self._relay(part.request())
            try:
                seating.begin(part.request())
                for over, placed in seating.slices():
                    if progress:
                        progress(games + over, pieces + placed)
                    if relay and time.perf_counter() - began > LONG_SECONDS:
                        player = relay
                        break
                if player is relay:
                    for over, placed in relay.rounds():
                        if progress:
                            progress(games + over, pieces + placed)
            except KeyboardInterrupt:
                seconds = time.perf_counter() - began
                yield part, max(seating.outcomes(seconds), player.outcomes(seconds), key=_games_over), True
                return
            games, pieces = games + over, pieces + placed
            yield part, player.outcomes(time.perf_counter() - began), False

    def _relay(self, request: Request) -> Relay | None:
        """Return the player that cuts the games into parts; None if they are many or cannot be cut."""
        few = request.games <= FEW_GAMES and self.threads_per_game is None
        return Relay(self.device, request) if few and can_relay(request) else None


def _check(request: Request) -> None:
    """Raise a SettingError for a request that a GPU does not play."""
    if request.hold or request.tries:
        raise SettingError("a GPU neither plays with the hold queue nor estimates games; choose --backend local")
    if request.rules.file.attack:
        raise SettingError(f"a GPU does not count the attack lines of {request.rules.name}; choose --backend local")
    _seating_of(request).check(request)


def _games_over(played: Evaluation) -> int:
    return int((played.termination != Termination.RUNNING.value).sum())


def _seating_of(request: Request) -> type[Seating]:
    return NetworkSeating if "plies" in request.agent.value.options else Seating
