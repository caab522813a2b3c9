"""The errors that a user can cause: one exception per cause. Each message says what is wrong and what is allowed."""


class BlockfallError(Exception):
    """The base class of all errors that a user can cause.

    >>> import blockfall
    >>> try:
    ...     blockfall.agent("delacherie")
    ... except blockfall.BlockfallError as error:
    ...     print(str(error).split(";")[0])
    unknown agent 'delacherie'
    """


class UnknownNameError(BlockfallError):
    """No rule set, agent, feature or other thing has this name."""

    def __init__(self, kind: str, name: str, known: list[str]) -> None:
        super().__init__(f"unknown {kind} {name!r}; known: {', '.join(known)}")
        self._made_of = (kind, name, known)

    def __reduce__(self) -> tuple[type["UnknownNameError"], tuple[str, str, list[str]]]:
        return UnknownNameError, self._made_of


class FileError(BlockfallError):
    """A file cannot be read, or its content is wrong."""


class SettingError(BlockfallError):
    """A setting of a command or a function has a value that is not allowed."""


class PluginError(BlockfallError):
    """A user's plugin is not there, or it does not run."""


class StoreError(BlockfallError):
    """The store of runs cannot be read or written."""


class LockedError(BlockfallError):
    """Another process is working on this run."""


class ConnectionLostError(BlockfallError):
    """A server cannot be reached, refuses the connection, or has gone."""
