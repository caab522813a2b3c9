"""What can go wrong, one exception per cause. The message is written for the person who reads it."""


class BlockfallError(Exception):
    """The base of all errors that a user can cause."""


class UnknownNameError(BlockfallError):
    """A rule set, agent, feature or other named thing that does not exist."""

    def __init__(self, kind: str, name: str, known: list[str]) -> None:
        super().__init__(f"unknown {kind} {name!r}; known: {', '.join(known)}")


class FileError(BlockfallError):
    """A file that cannot be read, or is not what it should be."""


class SettingError(BlockfallError):
    """A value that a command or function cannot work with."""


class StoreError(BlockfallError):
    """The store of runs cannot be read or written."""


class LockedError(BlockfallError):
    """A run that another process is working on."""


class ConnectionLostError(BlockfallError):
    """A server that cannot be reached, refuses us, or is gone."""
