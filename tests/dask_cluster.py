"""A Dask cluster of real processes on this machine, whose workers can be killed."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import distributed

from tests import ROOT

STARTS_WITHIN_S = 60


class Processes:
    """A scheduler and workers, each a process. Each worker has one thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workers: list[subprocess.Popen[bytes]] = []
        self._file = folder / "scheduler.json"
        self.scheduler = self._start("scheduler", "--port", "0", "--host", "127.0.0.1", "--no-dashboard")
        until = time.monotonic() + STARTS_WITHIN_S
        while not self._file.exists():
            assert time.monotonic() < until, "the scheduler does not start"
            time.sleep(0.1)
        with distributed.Client(scheduler_file=str(self._file), set_as_default=False) as client:
            self.address: str = client.scheduler.address

    def add(self, *options: str, count: int = 1) -> None:
        """Start workers, and wait until the scheduler knows them."""
        for _ in range(count):
            words = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1", *options)
            self.workers.append(self._start("worker", *words, "--local-directory", str(self.folder)))
        alive = sum(worker.poll() is None for worker in self.workers)
        with distributed.Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(alive, timeout=STARTS_WITHIN_S)

    def simulate(self, workers: int, game_s: float) -> None:
        """Start one process with many workers, whose games last `game_s` seconds and cost no computing."""
        command = [sys.executable, "-m", "tests.simulated_workers", self.address, str(workers), str(game_s)]
        with distributed.Client(self.address, set_as_default=False) as client:
            before = len(client.nthreads())
            self.workers.append(self._run(command, f"simulated-{len(self.workers)}"))
            client.wait_for_workers(before + workers, timeout=2 * STARTS_WITHIN_S)

    def kill(self, number: int) -> None:
        """Kill a worker as `kill -9` does, and wait until it is dead."""
        self.workers[number].send_signal(signal.SIGKILL)
        self.workers[number].wait()

    def stop(self) -> None:
        """Kill all processes."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()

    def _start(self, kind: str, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--scheduler-file", str(self._file), *words]
        return self._run(command, f"{kind}-{len(self.workers)}")

    def _run(self, command: list[str], name: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("wb") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, cwd=ROOT)


@contextmanager
def processes(folder: Path, workers: int) -> Iterator[Processes]:
    """A cluster with this number of workers."""
    cluster = Processes(folder)
    try:
        if workers:
            cluster.add(count=workers)
        yield cluster
    finally:
        cluster.stop()
