"""Plugins: Python files and installed packages that register a user's features, games and so on.

A file runs because the user names it (`--plugin FILE`, or a run's `plugins`). An installed package is found by its
entry point in the group `blockfall.plugins`, which names a module; importing that module registers things.

    [project.entry-points."blockfall.plugins"]
    my-things = "my_package.things"

A `Registry` remembers what each plugin registered, so that a file runs once, however often it is loaded.
"""

import importlib.util
import re
import sys
import warnings
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.metadata import entry_points
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any, Self, TypeVar

from blockfall.errors import BlockfallError, PluginError, SettingError, shortened
from blockfall.files import home, is_file

GROUP = "blockfall.plugins"
"""The group of the entry points."""
KEPT_FILE = "plugin-{}.py"
"""The name of a numbered plugin in a run's folder."""
NOTED_FILE = "plugins.txt"
"""A file beside the store with the digests of the plugins that runs were started with."""

T = TypeVar("T")

_NAME = re.compile("[a-z0-9]+(-[a-z0-9]+)*")

REGISTRIES: list["Registry[Any]"] = []
"""All registries, in the order in which they were made."""

_Entries = list[tuple["Registry[Any]", str, Any]]
"""Registered things, each with its registry and its name."""

_run_before: dict[Path, tuple[bytes, _Entries, ModuleType]] = {}
"""The plugin files that have run: their content at that time, what they registered, and their modules."""
_running: list[_Entries] = []
"""The entries of the plugins that are running now. A plugin may load another."""
_installed_lock = RLock()
_installed_were_run = False


class Registry(dict[str, T]):
    """The things of one kind that users have registered, by name."""

    def __init__(self) -> None:
        super().__init__()
        REGISTRIES.append(self)

    def put(self, name: str, thing: T) -> None:
        """Register a thing, and remember which running plugins registered it."""
        self[name] = thing
        for entries in _running:
            entries.append((self, name, thing))

    def known(self) -> Self:
        """Run the plugins of the installed packages, if they have not run yet, and return this registry."""
        run_installed()
        return self


def check_name(kind: str, name: object, taken: Collection[str]) -> None:
    """Raise a SettingError for a name that cannot be registered: one not in kebab-case, or one of Blockfall's own."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise SettingError(f"{kind} named {shortened(name)}; a name may have lowercase letters, digits and - only")
    if name in taken:
        raise SettingError(f"the name {shortened(name)} belongs to {kind} of Blockfall; choose another name")


def load_plugin(path: Path | str) -> None:
    """Run a Python file that registers features, games, rules, optimisers, problems, algorithms, agents or studies.

    A file that has not changed since it last ran does not run again: what it registered then is registered again.

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
    """Return whether this is a string of the form FILE.py:NAME."""
    return isinstance(text, str) and ".py:" in text


def named_in_file(text: str) -> Any:
    """Run a Python file and return the object of this name in it: FILE.py:NAME."""
    file, colon, name = text.rpartition(":")
    if not colon or not name.isidentifier():
        raise PluginError(f"{text}: it must be FILE.py:NAME, such as mine.py:Maze")
    module = _module_of(Path(file))
    if not hasattr(module, name):
        members = vars(module).items()
        defined = sorted(one for one, thing in members if getattr(thing, "__module__", "") == module.__name__)
        raise PluginError(f"{file} has no {name}; it defines {', '.join(defined) or 'nothing'}")
    return getattr(module, name)


@contextmanager
def in_one_line(*files: str) -> Iterator[None]:
    """Turn an error raised in one of these files, by default the plugins, into one line that names the place."""
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
    entries: _Entries = []
    _running.append(entries)
    try:
        module = _run(path)
    finally:
        _running.pop()
    _run_before[place] = content, entries, module
    return module


def run_installed() -> None:
    """Run the plugins of the installed packages, once. One that fails is left out, with a warning."""
    global _installed_were_run
    with _installed_lock:
        if _installed_were_run:
            return
        _installed_were_run = True  # set first: a plugin may ask a registry
        for entry in entry_points(group=GROUP):
            try:
                entry.load()
            except Exception as error:
                package = entry.dist.name if entry.dist else "an installed package"
                reason = str(error) if isinstance(error, BlockfallError) else f"{type(error).__name__}: {error}"
                warnings.warn(f"the plugin {entry.name!r} of {package} is left out: {reason}", stacklevel=2)


def note_plugins(folder: Path, paths: list[Path]) -> None:
    """Note in a file of the folder that the user chose to run these plugins."""
    if new := {_digest(path) for path in paths} - _noted_digests(folder):
        with (folder / NOTED_FILE).open("a", encoding="utf-8") as out:
            out.writelines(f"{digest}\n" for digest in sorted(new))


def load_kept_plugins(folder: Path) -> bool:
    """Run the plugins in a run's folder, and return whether there are any.

    A data file must not run the code that comes with it. So a plugin runs only if the user has already chosen to run
    the same content for a run of this store.
    """
    kept = sorted(folder.glob(KEPT_FILE.format("*")))
    known = _noted_digests(home())
    for path in kept:
        if _digest(path) not in known:
            raise PluginError(f"the plugin {path} was never used here; read it, then load it with --plugin {path}")
        load_plugin(path)
    return bool(kept)


def _noted_digests(folder: Path) -> set[str]:
    try:
        return set((folder / NOTED_FILE).read_text(encoding="utf-8").split())
    except OSError:
        return set()


def _digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def _run(path: Path) -> ModuleType:
    name = f"blockfall_plugin_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise PluginError(f"plugin {path}: not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (BlockfallError, KeyboardInterrupt):
        raise
    except BaseException as error:
        line = _line_in(path, error)
        raise PluginError(f"plugin {path}{line}: {type(error).__name__}: {error}") from None
    return module


def _line_in(path: Path, error: BaseException) -> str:
    """Return ", line N" for an error raised in the file, and an empty string for any other."""
    if isinstance(error, SyntaxError) and error.lineno:
        return f", line {error.lineno}"
    trace, line = error.__traceback__, ""
    while trace:
        if Path(trace.tb_frame.f_code.co_filename).resolve() == path.resolve():
            line = f", line {trace.tb_lineno}"
        trace = trace.tb_next
    return line
