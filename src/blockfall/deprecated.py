"""Renamed public names, which work for one more minor version, with a warning.

To rename something public, write its old and its new name into `RENAMED` under the place where users write it:

- a name of `blockfall`: under `"blockfall"`;
- a name of another module: under the module, which gets `__getattr__ = deprecated.names(__name__)`;
- a key of a file, or a setting of a `Model` or `Settings`: under the class, `"CmaEs"`;
- a keyword of a function: under its qualified name, `"Game.play"`, with `@deprecated.keywords` over the function;
- an option of a command: under the command, `"blockfall train"`.

An entry goes in the minor version after the one that renamed it.
"""

import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

RENAMED: dict[str, dict[str, str]] = {
    "BoardNetworkLearning": {"width": "channels"},
    "CmaEs": {"sigma": "step"},
    "blockfall solve": {"--table": "--skip-seen", "--no-table": "--no-skip-seen"},
}
"""The new name of each old name, by the place where users write it."""


def current(where: str, name: str, stacklevel: int = 3) -> str:
    """Return today's form of a name, with a warning if the name is an old one."""
    new = RENAMED.get(where, {}).get(name)
    if new is None:
        return name
    message = f"{where}: {name} is now called {new}; the next minor version removes the old name"
    warnings.warn(message, FutureWarning, stacklevel)
    return new


def current_keys(where: str, keys: Mapping[str, Any], stacklevel: int = 4) -> dict[str, Any]:
    """Return the keys under today's names. An old name beside its new one stays, to be refused as unknown."""
    old = RENAMED.get(where, {})
    return {
        key if old.get(key) in keys else current(where, key, stacklevel) if key in old else key: value
        for key, value in keys.items()
    }


def current_options(command: str, words: list[str]) -> list[str]:
    """Return a command's words with today's options: `--old 3` and `--old=3` become `--new 3` and `--new=3`."""
    end = words.index("--") if "--" in words else len(words)
    parts = [word.partition("=") for word in words[:end]]
    return [current(f"blockfall {command}", option) + equals + value for option, equals, value in parts] + words[end:]


def keywords(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function take its renamed keywords under their old names."""

    @wraps(function)
    def called(*args: P.args, **given: P.kwargs) -> T:
        return function(*args, **current_keys(function.__qualname__, given, 5))

    return called


def names(module: str, stacklevel: int = 3) -> Callable[[str], Any]:
    """Return a module's `__getattr__`, which finds its renamed names."""

    def find(name: str) -> Any:
        new = current(module, name, stacklevel)
        if new == name:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return getattr(import_module(module), new)

    return find
