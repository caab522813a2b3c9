"""The page Train."""

from blockfall.app import widgets


def build() -> None:
    widgets.title("Train")
