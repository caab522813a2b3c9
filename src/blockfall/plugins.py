"""Plugins: a user's Python files. They register features, games and algorithms, or hold what is asked for by name.

What a plugin registers goes through `register`, so that a file runs once, however often it is asked for.
"""

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from blockfall.errors import BlockfallError, PluginError

T = TypeVar("T")

_Entries = list[tuple[dict[str, Any], str, Any]]
"""Registries, and what was put into each under which key."""

_run_before: dict[Path, tuple[bytes, _Entries, ModuleType]] = {}
"""What each plugin's file held when it was run, what it registered, and its module."""
_running: list[_Entries] = []
"""What the plugins that are running now have registered. A plugin may load another."""


def register(registry: dict[str, T], key: str, thing: T) -> None:
    """Puts a thing of a user's into a registry. What a running plugin registers is remembered with that plugin."""
    registry[key] = thing
    for entries in _running:
        entries.append((registry, key, thing))


def load_plugin(path: Path | str) -> None:
    """Runs a Python file that registers features, games or search algorithms.

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


def is_named_in_file(text: str) -> bool:
    """Whether the text has the form FILE.py:NAME."""
    return ".py:" in text


def named_in_file(text: str) -> Any:
    """Runs a Python file and gives the thing of this name in it: FILE.py:NAME."""
    file, colon, name = text.rpartition(":")
    if not colon or not name.isidentifier():
        raise PluginError(f"{text}: it must be FILE.py:NAME, such as mine.py:Maze")
    module = _module_of(Path(file))
    if not hasattr(module, name):
        there = sorted(
            one for one, thing in vars(module).items() if getattr(thing, "__module__", "") == module.__name__
        )
        raise PluginError(f"{file} has no {name}; it has {', '.join(there) or 'nothing of its own'}")
    return getattr(module, name)


@contextmanager
def in_one_line(*files: str) -> Iterator[None]:
    """Turns an error that is raised in one of these files into one line that names the place."""
    try:
        yield
    except BlockfallError:
        raise
    except Exception as error:
        for path in map(Path, files):
            if line := _line_in(path, error):
                raise PluginError(f"{path}{line}: {type(error).__name__}: {error}") from None
        raise


def _module_of(path: Path) -> ModuleType:
    if not path.is_file():
        raise PluginError(f"plugin {path}: no such file")
    place, content = path.resolve(), path.read_bytes()
    known = _run_before.get(place)
    if known and known[0] == content:
        for registry, key, thing in known[1]:
            register(registry, key, thing)
        return known[2]
    with _noted() as entries:
        module = _run(path)
    _run_before[place] = content, entries, module
    return module


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
