"""The pictures of many figures. Matplotlib draws on one core, so several processes share the work."""

import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from importlib.util import find_spec
from queue import SimpleQueue
from threading import Lock

from blockfall.compute.local import all_cores
from blockfall.reports.model import Figure

_FIGURES_PER_PROCESS = 4
"""Figures that a process draws in the time that it takes to start."""
_LENGTH_BYTES = 8
PROGRAM = "from blockfall.reports.drawing import draw_for_another; draw_for_another()"
"""The program of a drawing process."""


def pngs(figures: Sequence[Figure]) -> Iterator[bytes]:
    """Yield the pictures of these figures, in order. Raise an error if Matplotlib is missing."""
    processes = min(all_cores(), len(figures) // _FIGURES_PER_PROCESS)
    if processes > 1 and find_spec("matplotlib"):
        return _drawn_by(processes, figures)
    from blockfall.reports.plots import png

    return map(png, figures)


def _drawn_by(processes: int, figures: Sequence[Figure]) -> Iterator[bytes]:
    """Yield the pictures, drawn by this many processes; this one need not even load Matplotlib."""
    idle, drawing_here = SimpleQueue[Painter](), Lock()

    def draw(figure: Figure) -> bytes:
        painter = idle.get()
        try:
            return painter.draw(figure)
        except (OSError, EOFError):  # its process ended; if the figure is to blame, drawing it here shows that
            from blockfall.reports.plots import png

            with drawing_here:  # Matplotlib's settings are global
                return png(figure)
        finally:
            idle.put(painter)

    with ExitStack() as open_painters, ThreadPoolExecutor(processes) as pool:
        for _ in range(processes):
            idle.put(open_painters.enter_context(Painter()))
        yield from pool.map(draw, figures)


class Painter:
    """A drawing process. It ends when its input ends, and so also if this process is killed."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # an interrupt from the keyboard must reach this process alone
        )

    def __enter__(self) -> "Painter":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    @property
    def ended(self) -> bool:
        """True if the process has ended."""
        return self._process.poll() is not None

    def draw(self, figure: Figure) -> bytes:
        """Return the picture. Raise an error if the process has ended."""
        assert self._process.stdin
        self._process.stdin.write(pickle.dumps(figure))
        self._process.stdin.flush()
        length = int.from_bytes(self._read(_LENGTH_BYTES), "little")
        return self._read(length)

    def _read(self, length: int) -> bytes:
        assert self._process.stdout
        found = self._process.stdout.read(length)
        if len(found) < length:
            raise EOFError
        return found


def draw_for_another() -> None:
    """Draw figures from the standard input until it ends."""
    from blockfall.reports.plots import png

    while True:
        try:
            figure = pickle.load(sys.stdin.buffer)  # from our own process: nothing else writes here
        except EOFError:
            return
        picture = png(figure)
        sys.stdout.buffer.write(len(picture).to_bytes(_LENGTH_BYTES, "little") + picture)
        sys.stdout.buffer.flush()
