"""The page Analyse."""

from blockfall.app import widgets


def build() -> None:
    widgets.title("Analyse")
