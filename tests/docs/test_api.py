"""docs/api.md lists the public names, options and keys of the program, and a test notices every one that is gone."""

import runpy
from typing import Any

from blockfall.deprecated import RENAMED
from tests import ROOT

TOOL: dict[str, Any] = runpy.run_path(str(ROOT / "tools" / "make_api_page.py"))
PAGE = (ROOT / "docs" / "api.md").read_text()


def gone(before: str, now: str) -> set[str]:
    """Return what the old page has and the new one lacks, apart from renamed things."""
    old = {name for names in RENAMED.values() for name in names}
    missing: set[str] = TOOL["words"](before) - TOOL["words"](now)
    return {word for word in missing if word.rpartition(": ")[2].rpartition(".")[2] not in old}


def test_nothing_that_1_x_keeps_is_gone() -> None:
    assert not gone(PAGE, TOOL["page"]()), "keep it, or rename it in blockfall.deprecated.RENAMED"


def test_the_page_is_up_to_date() -> None:
    assert TOOL["page"]() == PAGE, "run python tools/make_api_page.py"


def test_a_name_that_is_gone_is_noticed() -> None:
    assert gone(PAGE.replace("`evaluate(", "`evaluate_all("), PAGE) == {"evaluate_all: "}
    assert gone(PAGE, PAGE.replace("`--features`, ", "")) == {"blockfall train: --features"}
    assert gone(PAGE, PAGE.replace(", `pieces_known`", "", 1))
