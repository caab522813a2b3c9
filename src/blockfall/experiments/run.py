"""A run's folder: its configuration and its id in the store; later the trained agent and the result.

The folder appears whole or not at all, after the store knows the run. The user's own rules, plugins and first agent are
copied into it, so that later changes to those files cannot change the run.
"""

import hashlib
import shutil
import tempfile
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blockfall.agents import agent as find_agent
from blockfall.compute import Backend
from blockfall.errors import FileError, UnknownNameError, shortened
from blockfall.experiments.configuration import Configuration, load_configuration, stored_configuration
from blockfall.files import make_folder, move_folder, write_atomically
from blockfall.plugins import KEPT_FILE, note_plugins
from blockfall.rulesets import standalone
from blockfall.store import Store

CONFIGURATION_FILE = "run.toml"
ID_FILE = "run.id"
AGENT_FILE = "agent.json"
RESULT_FILE = "result.json"
RULES_FILE = "rules.toml"
"""The copy of the user's own rules."""
START_FILE = "start.json"
"""The copy of the agent that learning starts from."""


@dataclass(frozen=True)
class Run:
    """A run in the store, with its folder."""

    id: str
    folder: Path
    configuration: Configuration

    @property
    def finished(self) -> bool:
        """True if the run has its result."""
        return (self.folder / RESULT_FILE).exists()


def new_id() -> str:
    """Return an id that no other run has."""
    return uuid.uuid4().hex[:12]


def create_run(
    store: Store,
    configuration: Configuration,
    folder: Path,
    source: Path = Path(),
    run: str | None = None,
    backend: Backend | None = None,
) -> Run:
    """Add a run to the store and make its folder.

    The configuration's paths are relative to `source`. `run` is the id; by default, a new one is drawn. `backend` is
    the one that the run will be trained on.
    """
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            hint = f"continue with `blockfall resume {folder}`" if (folder / ID_FILE).exists() else "choose another"
            raise FileError(f"{folder}: exists already; {hint}")
    except OSError as error:
        raise FileError(f"{folder}: {error.strerror or error}") from None
    if configuration.learning is not None:
        configuration.learning.check_machine(backend)
    run = run or new_id()
    make_folder(folder.parent)
    try:
        made = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise FileError(f"{folder}: {error.strerror or error}") from None
    try:
        configuration = _with_own_files(configuration, source, made)
        copies = {path.name: _digest(path) for path in sorted(made.iterdir())}
        text = configuration.as_toml()
        write_atomically(made / CONFIGURATION_FILE, text)
        write_atomically(made / ID_FILE, run + "\n")
        note_plugins(store.path.parent, [made / plugin for plugin in configuration.plugins])
        made.chmod(0o755)
        store.runs.add(run, folder.resolve(), text, copies)
        try:
            move_folder(made, folder)
        except FileError:
            store.runs.delete(run)
            raise
    except OSError as error:
        raise FileError(f"{folder}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return Run(run, folder, configuration)


def _with_own_files(configuration: Configuration, source: Path, folder: Path) -> Configuration:
    """Copy the user's own files into the folder. Return the configuration with the names of the copies."""
    changes: dict[str, object] = {}
    if configuration.rules.endswith(".toml"):
        write_atomically(folder / RULES_FILE, standalone(source / configuration.rules))
        changes["rules"] = RULES_FILE
    if configuration.start.endswith(".json"):
        find_agent(source / configuration.start).save(folder / START_FILE)
        changes["start"] = START_FILE
    if configuration.plugins:
        names = [KEPT_FILE.format(number) for number in range(1, len(configuration.plugins) + 1)]
        for name, plugin in zip(names, configuration.plugins, strict=True):
            write_atomically(folder / name, (source / plugin).read_bytes())
        changes["plugins"] = tuple(names)
    return configuration.model_copy(update=changes)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def open_run(store: Store, folder: Path) -> Run:
    """Return the run of a folder that `create_run` made. Raise a FileError if one of its files was edited since."""
    try:
        number = (folder / ID_FILE).read_text(encoding="utf-8").strip()
    except OSError:
        raise FileError(f"{folder}: not a run's folder; `blockfall train --out {folder}` starts one") from None
    try:
        begun = store.runs.find(number)
    except UnknownNameError:
        raise FileError(
            f"{folder}: the store {store.path} does not know this run; was it begun with another BLOCKFALL_HOME?"
        ) from None
    for name, digest in store.runs.copies(number).items():  # before plugins are run
        _refuse_edited_copy(folder / name, digest)
    configuration = load_configuration(folder / CONFIGURATION_FILE)
    _refuse_edits(folder, stored_configuration(begun.configuration, f"run {number} in {store.path}"), configuration)
    return Run(number, folder, configuration)


def _refuse_edits(folder: Path, begun: Configuration, found: Configuration) -> None:
    """Refuse an edited configuration: half a run by each of two would give a result that no run gives."""
    before, now = _flat(begun.as_keys()), _flat(found.as_keys())
    for key in [*before, *now]:
        if before.get(key) != now.get(key):
            file = folder / CONFIGURATION_FILE
            said, says = (shortened(keys[key]) if key in keys else "not given" for keys in (before, now))
            raise FileError(
                f"{file}: {key} is {says}, but it was {said} when the run began; restore it to continue, or begin "
                f"anew: `blockfall train --config {file} --out ANOTHER`"
            )


def _refuse_edited_copy(path: Path, digest: str) -> None:
    try:
        same = _digest(path) == digest
    except OSError as error:
        raise FileError(f"{path}: {error.strerror or error}; the run began with it") from None
    if not same:
        raise FileError(
            f"{path}: it was edited after the run began; restore it to continue, or begin anew: "
            f"`blockfall train --config {path.parent / CONFIGURATION_FILE} --out ANOTHER`"
        )


def _flat(keys: dict[str, Any], inside: str = "") -> dict[str, Any]:
    """Return the keys of inner tables by their dotted names."""
    found: dict[str, Any] = {}
    for key, value in keys.items():
        found |= _flat(value, f"{inside}{key}.") if isinstance(value, dict) else {f"{inside}{key}": value}
    return found
