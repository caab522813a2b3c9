"""What the studies found here, as the package ships it: each study's tables, by title, one JSON file per study.

`python docs/make_tables.py FOLDER` writes these files from a finished study's folder; the documentation's pages and the
app show them.
"""

import json
from functools import cache
from pathlib import Path

from blockfall.reports.model import Sheet
from blockfall.studies.base import BESIDE

__all__ = ["BESIDE", "RESULTS", "sheet_from", "shipped_sheets"]

RESULTS = Path(__file__).parent


@cache
def shipped_sheets(study: str) -> dict[str, Sheet]:
    """A study's tables by title.

    >>> shipped_sheets("feup2016")[BESIDE].columns
    ('what', 'ours', 'error', 'published', 'agrees')
    """
    found = json.loads((RESULTS / f"{study}.json").read_text())
    return {title: sheet_from(table) for title, table in found.items()}


def sheet_from(said: dict[str, object]) -> Sheet:
    """The table that `Sheet.as_json` told."""
    columns, rows = said["columns"], said["rows"]
    assert isinstance(columns, list)
    assert isinstance(rows, list)
    return Sheet(str(said["title"]), tuple(columns), tuple(tuple(row) for row in rows), str(said["note"]))
