"""The behaviour signature."""

from tests.signature import PATH, signature


def test_the_core_plays_as_it_did() -> None:
    assert signature() == PATH.read_text(), "if play changed on purpose: python -m tests.signature --write"
