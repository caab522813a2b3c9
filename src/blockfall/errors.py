"""The errors that a user can cause: one exception per cause. Each message says what is wrong and what is allowed."""

from difflib import get_close_matches
from operator import index


class BlockfallError(Exception):
    """The base class of all errors that a user can cause.

    >>> import blockfall
    >>> try:
    ...     blockfall.agent("delacherie")
    ... except blockfall.BlockfallError as error:
    ...     print(str(error).split(";")[0])
    unknown agent 'delacherie'
    """


_SHORT = 6  # a message lists up to this many names, and only the nearest of a longer list
_NEAREST = 3
_LONGEST = 60  # characters of a wrong name that are shown
_MOST_BITS = 256  # of a whole number


def shortened(value: object) -> str:
    """Return the value as Python writes it, cut to one short line."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python refuses to write numbers of more than 4,300 digits
        return "a number with too many digits"
    except RecursionError:
        return "a value that is nested too deeply"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


class UnknownNameError(BlockfallError):
    """No rule set, agent, feature or other thing has this name."""

    def __init__(self, kind: str, name: str, known: list[str]) -> None:
        name = name if isinstance(name, str) else shortened(name)
        if len(known) <= _SHORT:
            choices = f"known: {', '.join(known)}"
        else:
            near = get_close_matches(name[:_LONGEST].lower(), known, _NEAREST, cutoff=0.0)
            choices = f"the nearest of {len(known)}: {', '.join(near)}"
        shown = repr(name) if len(name) <= _LONGEST else f"{name[:_LONGEST]!r}..."
        super().__init__(f"unknown {kind} {shown}; {choices}")
        self._arguments = (kind, name, known)

    def __reduce__(self) -> tuple[type["UnknownNameError"], tuple[str, str, list[str]]]:
        return UnknownNameError, self._arguments


class FileError(BlockfallError):
    """A file cannot be read, or its content is wrong."""


class SettingError(BlockfallError):
    """A setting of a command or a function has a value that is not allowed.

    >>> import blockfall
    >>> try:
    ...     blockfall.evaluate(rules="nes", agent="lee", games=0)
    ... except blockfall.SettingError as error:
    ...     print(error)
    0 games; play at least 1
    """


def whole(value: object, what: str) -> int:
    """Return the value as a Python int. `what` names it in the SettingError for anything else."""
    if not isinstance(value, bool):
        try:
            number = index(value)  # type: ignore[arg-type]
            if number.bit_length() <= _MOST_BITS:
                return number
            raise SettingError(f"{what} is {shortened(number)}; it must be a whole number of fewer digits")
        except TypeError:
            pass
    raise SettingError(f"{what} is {shortened(value)}; it must be a whole number")


class PluginError(BlockfallError):
    """A user's plugin does not exist, or it fails."""


class StoreError(BlockfallError):
    """The store of runs cannot be read or written."""


class LockedError(BlockfallError):
    """Another process is working on this run."""


class ConnectionLostError(BlockfallError):
    """A server cannot be reached, refuses the connection, or has closed it."""


class BotError(BlockfallError):
    """A bot in another program did not start, gave no answer in time, broke the protocol, or died."""
