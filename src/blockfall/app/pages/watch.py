"""The page Watch."""

from blockfall.app import widgets


def build() -> None:
    widgets.title("Watch")
