"""Plugins: Python files and installed packages that register features, games and other things of a user's own.

A file is run because the user names it (`--plugin FILE`, or a run's `plugins`). A package is found by itself: it has an
entry point in the group `blockfall.plugins`, which names a module; importing that module registers what it has.

    [project.entry-points."blockfall.plugins"]
    my-things = "my_package.things"

What a plugin registers goes through a `Registry`, so that a file runs once, however often it is asked for.
"""

import importlib.util
import re
import sys
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any, Self, TypeVar

from blockfall.errors import BlockfallError, PluginError, SettingError, shortened
from blockfall.files import home, is_file

GROUP = "blockfall.plugins"
"""The group of the entry points."""
KEPT_FILE = "plugin-{}.py"
"""The names that plugins have in a run's folder, by their number."""
NOTED_FILE = "plugins.txt"
"""Beside the store: the digests of the plugins that runs were begun with."""

T = TypeVar("T")

_NAME = re.compile("[a-z0-9]+(-[a-z0-9]+)*")

REGISTRIES: list["Registry[Any]"] = []
"""All registries, in the order in which they were made."""

_Entries = list[tuple["Registry[Any]", str, Any]]
"""Registries, and what was put into each under which name."""

_run_before: dict[Path, tuple[bytes, _Entries, ModuleType]] = {}
"""What each plugin's file held when it was run, what it registered, and its module."""
_running: list[_Entries] = []
"""What the plugins that are running now have registered. A plugin may load another."""
_installed_lock = RLock()
_installed_were_run = False


class Registry(dict[str, T]):
    """The things of one kind that users have registered, by name."""

    def __init__(self) -> None:
        super().__init__()
        REGISTRIES.append(self)

    def put(self, name: str, thing: T) -> None:
        """Registers a thing. What a running plugin registers is remembered with that plugin."""
        self[name] = thing
        for entries in _running:
            entries.append((self, name, thing))

    def known(self) -> Self:
        """This registry, once the plugins of the installed packages have run."""
        run_installed()
        return self


def check_name(kind: str, name: object, taken: Collection[str]) -> None:
    """Raises a SettingError for a name that cannot be registered: it is not in kebab-case, or it is shipped."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise SettingError(f"{kind} named {shortened(name)}; a name has small letters, digits and - only")
    if name in taken:
        raise SettingError(f"the name {shortened(name)} is taken by {kind} of Blockfall's; choose another name")


def load_plugin(path: Path | str) -> None:
    """Runs a Python file that registers features, games, rules, optimisers, problems, algorithms, agents or studies.

    A file that has not changed since it was run is not run again: what it registered then is registered again.

    >>> import tempfile
    >>> import blockfall
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "mine.py")
    ...     code = "blockfall.feature('first-height')(lambda board: board.heights[0])"
    ...     _ = file.write_text(f"import blockfall; {code}")
    ...     blockfall.load_plugin(file)
    >>> blockfall.find_feature("first-height").source
    'blockfall_plugin_mine, <lambda>'
    """
    _module_of(Path(path))


def is_named_in_file(text: object) -> bool:
    """Whether this is a text of the form FILE.py:NAME."""
    return isinstance(text, str) and ".py:" in text


def named_in_file(text: str) -> Any:
    """Runs a Python file and gives the thing of this name in it: FILE.py:NAME."""
    file, colon, name = text.rpartition(":")
    if not colon or not name.isidentifier():
        raise PluginError(f"{text}: it must be FILE.py:NAME, such as mine.py:Maze")
    module = _module_of(Path(file))
    if not hasattr(module, name):
        own = vars(module).items()
        there = sorted(one for one, thing in own if getattr(thing, "__module__", "") == module.__name__)
        raise PluginError(f"{file} has no {name}; it has {', '.join(there) or 'nothing of its own'}")
    return getattr(module, name)


@contextmanager
def in_one_line(*files: str) -> Iterator[None]:
    """Turns an error that is raised in one of these files into one line that names the place.

    Where no file is named, these are the plugins that have been run.
    """
    try:
        yield
    except BlockfallError:
        raise
    except Exception as error:
        for path in map(Path, files or _run_before):
            if line := _line_in(path, error):
                raise PluginError(f"{path}{line}: {type(error).__name__}: {error}") from None
        raise


def _module_of(path: Path) -> ModuleType:
    if not is_file(path):
        raise PluginError(f"plugin {path}: no such file")
    place, content = path.resolve(), path.read_bytes()
    known = _run_before.get(place)
    if known and known[0] == content:
        for registry, name, thing in known[1]:
            registry.put(name, thing)
        return known[2]
    with _noted() as entries:
        module = _run(path)
    _run_before[place] = content, entries, module
    return module


def run_installed() -> None:
    """Runs the plugins of the installed packages, once. One that fails is left out, with a warning."""
    global _installed_were_run
    with _installed_lock:
        if _installed_were_run:
            return
        _installed_were_run = True  # a plugin that asks a registry must not come here again
        for entry in entry_points(group=GROUP):
            _run_entry(entry)


def _run_entry(entry: EntryPoint) -> None:
    try:
        entry.load()
    except Exception as error:
        package = entry.dist.name if entry.dist else "an installed package"
        said = str(error) if isinstance(error, BlockfallError) else f"{type(error).__name__}: {error}"
        warnings.warn(f"the plugin {entry.name!r} of {package} is left out: {said}", stacklevel=2)


def note_plugins(folder: Path, paths: list[Path]) -> None:
    """Notes in a file of the folder that these plugins were run on the user's word."""
    file = folder / NOTED_FILE
    known = _noted_digests(folder)
    new = {_digest(path) for path in paths} - known
    if new:
        with file.open("a", encoding="utf-8") as out:
            out.writelines(f"{digest}\n" for digest in sorted(new))


def load_kept_plugins(folder: Path) -> bool:
    """Runs the plugins that a run keeps in its folder, and says whether there are any.

    A file of data must not run what came with it. So only a plugin is run here whose very content was run before, on
    the user's word, for a run of this store.
    """
    kept = sorted(folder.glob(KEPT_FILE.format("*")))
    known = _noted_digests(home())
    for path in kept:
        if _digest(path) not in known:
            raise PluginError(f"the plugin {path} was never used here; read it, then give it: --plugin {path}")
        load_plugin(path)
    return bool(kept)


def _noted_digests(folder: Path) -> set[str]:
    try:
        return set((folder / NOTED_FILE).read_text(encoding="utf-8").split())
    except OSError:
        return set()


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


@contextmanager
def _noted() -> Iterator[_Entries]:
    """Collects what is registered meanwhile."""
    entries: _Entries = []
    _running.append(entries)
    try:
        yield entries
    finally:
        _running.pop()


def _run(path: Path) -> ModuleType:
    name = f"blockfall_plugin_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PluginError(f"plugin {path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BlockfallError:
        raise
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        line = _line_in(path, error)
        raise PluginError(f"plugin {path}{line}: {type(error).__name__}: {error}") from None
    return module


def _line_in(path: Path, error: BaseException) -> str:
    """The place in the file where the error was raised, in words; empty where it was raised elsewhere."""
    if isinstance(error, SyntaxError) and error.lineno:
        return f", line {error.lineno}"
    trace, line = error.__traceback__, ""
    while trace:
        if Path(trace.tb_frame.f_code.co_filename).resolve() == path.resolve():
            line = f", line {trace.tb_lineno}"
        trace = trace.tb_next
    return line
