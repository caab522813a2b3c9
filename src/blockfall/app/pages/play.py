"""The page Play."""

from blockfall.app import widgets


def build() -> None:
    widgets.title("Play")
