"""The page Results."""

from blockfall.app import widgets


def build() -> None:
    widgets.title("Results")
