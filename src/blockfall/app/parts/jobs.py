"""Work in separate processes: trainings and studies that outlive the page and the app.

A job is a folder and one of our commands that works in it. All state is in the folder and the store: a process holds
the lock of its folder, and a restarted command continues where it stopped. So a restarted app finds the running jobs,
and jobs from the command line look the same.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from blockfall.errors import LockedError, SettingError
from blockfall.experiments.configuration import Configuration
from blockfall.experiments.run import create_run, new_id
from blockfall.files import is_locked, make_folder, opened_for_writing, worker
from blockfall.store import Store, store_path
from blockfall.studies import find_study

AT_ONCE = 2
LOG_FILE = "log.txt"
_COMPLAINT = "blockfall: "  # the start of the command line's errors
_LONGEST_LOG = 64 * 1024  # the most bytes read, from the end
# An app started in the background may ignore interrupts, and so would its children. Games on screen go before training.
_PROGRAM = """
import os, signal
if hasattr(os, "nice"):
    os.nice(10)
signal.signal(signal.SIGINT, signal.default_int_handler)
from blockfall.cli import main
main()
"""


@dataclass(frozen=True)
class Job:
    """A folder, and the words of the command that works in it."""

    folder: Path
    words: tuple[str, ...]

    @property
    def running(self) -> bool:
        """True if a process works in the folder or has just been started."""
        return DESK.started(self.folder) or is_locked(self.folder)


def training(folder: Path) -> Job:
    """Return the job that continues a run, wherever its folder is."""
    return Job(folder, ("resume", str(folder), "--json"))


def quick_study(name: str) -> Job:
    """Return the job that runs a study with its quick budget, in the app's folder for that study."""
    folder = home() / "studies" / find_study(name).name
    return Job(folder, ("study", find_study(name).name, "--budget", "quick", "--out", str(folder), "--json"))


def home() -> Path:
    """Return the folder that holds the store, and the app's runs and studies."""
    return store_path().parent


def new_training(store: Store, configuration: Configuration) -> str:
    """Make a run, start its training, and return the run's id."""
    DESK.check_room()
    run = new_id()
    made = create_run(store, configuration, home().resolve() / "runs" / run, run=run)
    DESK.start(training(made.folder))
    return run


def stop(job: Job) -> None:
    """Interrupt the job as Ctrl-C does. Finished work is kept."""
    DESK.interrupt(job.folder)


def last_words(job: Job) -> str:
    """Return the last line that the job's command printed, or an empty text."""
    try:
        with (job.folder / LOG_FILE).open("rb") as log:
            log.seek(max(0, log.seek(0, os.SEEK_END) - _LONGEST_LOG))
            lines = log.read().decode(errors="replace").splitlines()
    except OSError:
        return ""
    said = [line.strip() for line in lines if line.strip()]
    return said[-1] if said else ""


def problem(job: Job) -> str:
    """Return the error that ended the job's command; empty if there was none or it was interrupted."""
    words = last_words(job)
    told = words.startswith(_COMPLAINT) or re.match(r"\w+Error\b", words)
    return words.removeprefix(_COMPLAINT) if told else ""


class JobDesk:
    """A limit on the processes that run at once."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._turn = threading.Lock()
        self._started: dict[Path, subprocess.Popen[bytes]] = {}

    def start(self, job: Job) -> None:
        """Start the job's command in its folder. Raise an error if it runs already or too many others run."""
        with self._turn:
            if self.started(job.folder) or is_locked(job.folder):
                raise LockedError("it is running already")
            self.check_room()
            make_folder(job.folder)
            with opened_for_writing(job.folder / LOG_FILE) as log:
                self._started[job.folder] = subprocess.Popen(
                    [sys.executable, "-P", "-c", _PROGRAM, *job.words],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=log,
                    cwd=job.folder,
                    start_new_session=True,
                )

    def check_room(self) -> None:
        """Raise a SettingError if no more jobs may run."""
        busy = self._busy()
        if len(busy) >= self._at_once:
            raise SettingError(
                f"{len(busy)} trainings or studies are running, which is the limit; wait for one to end, or stop it"
            )

    def _busy(self) -> set[Path]:
        """Return the app's folders in which a process works, whichever app started it."""
        folders = (folder for kind in ("runs", "studies") for folder in (home() / kind).glob("*"))
        found = {folder.resolve() for folder in folders if is_locked(folder)}
        return found | {folder.resolve() for folder in list(self._started) if self.started(folder)}

    def started(self, folder: Path) -> bool:
        """Return whether a process started here is alive, as it takes a moment to take the lock."""
        process = self._started.get(folder)
        if process is None:
            return False
        if process.poll() is None:
            return True
        self._started.pop(folder, None)
        return False

    def interrupt(self, folder: Path) -> None:
        """Interrupt the process that works in the folder, whoever started it."""
        process = self._started.get(folder)
        with contextlib.suppress(ProcessLookupError):
            if process is not None and process.poll() is None:
                # Until it holds the lock it has done nothing, and may still ignore interrupts.
                process.send_signal(signal.SIGINT if is_locked(folder) else signal.SIGTERM)
            elif number := worker(folder):
                os.kill(number, signal.SIGINT)
            elif is_locked(folder):
                raise LockedError("cannot tell which process works on it; try again in a moment")


DESK = JobDesk(AT_ONCE)
