"""Every rule set has a golden game; the core plays it move by move."""

import pytest

from blockfall import rules_names
from tests.playthroughs import FOLDER, by_core, text_of


@pytest.mark.parametrize("name", rules_names())
def test_golden_playthrough(name: str) -> None:
    path = FOLDER / f"{name}.txt"
    assert path.exists(), "write one with python -m tests.playthroughs --write"
    assert text_of(name, by_core) == path.read_text()
