"""The shipped results of the studies: one JSON file per study, with its sheets and their provenance.

`python tools/make_tables.py FOLDER` writes such a file from a finished study's folder. The documentation and the
app show them.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any

from blockfall.experiments.provenance import Provenance, provenance_from
from blockfall.reports.model import Sheet
from blockfall.studies.base import BESIDE

__all__ = ["BESIDE", "RESULTS", "sheet_from", "shipped_provenance", "shipped_sheets"]

RESULTS = Path(__file__).parent


@cache
def shipped_sheets(study: str) -> dict[str, Sheet]:
    """Return a study's shipped sheets by title.

    >>> shipped_sheets("feup2016")[BESIDE].columns[:2]
    ('what', 'ours')
    """
    return {title: sheet_from(fields) for title, fields in _shipped(study)["tables"].items()}


def shipped_provenance(study: str) -> Provenance:
    """Return the provenance of a study's shipped sheets.

    >>> shipped_provenance("feup2016").budget
    'full'
    """
    return provenance_from(_shipped(study)["provenance"])


def sheet_from(fields: dict[str, Any]) -> Sheet:
    """Return the sheet whose `as_json` gave these fields."""
    rows = tuple(tuple(row) for row in fields["rows"])
    return Sheet(fields["title"], tuple(fields["columns"]), rows, fields["note"])


@cache
def _shipped(study: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / f"{study}.json").read_text(encoding="utf-8"))
    return found
