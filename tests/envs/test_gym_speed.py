"""Steps per second, compared with tetris-gymnasium if it is installed."""

import runpy

import pytest

from tests import ROOT

SCRIPT = ROOT / "tools" / "measure_gym.py"


@pytest.mark.alone
def test_placements_are_fifty_times_as_fast_as_tetris_gymnasium() -> None:
    pytest.importorskip("tetris_gymnasium")
    measure = runpy.run_path(str(SCRIPT), {"__name__": "measure"})
    measure["rate"].__globals__["SECONDS"] = 0.3
    ours, theirs, keys = (measure["rate"](measure[name]()) for name in ("ours", "theirs_placements", "theirs_keys"))
    assert ours > 50 * theirs
    assert ours > 50 * keys, "a key is less work than a placement"
