"""Reports: sheets and figures as data, written as one HTML page, PNG pictures, an XLSX workbook and JSON.

>>> import tempfile
>>> sheet = Sheet("Lines per game", ("group", "mean"), (("soster-1", 9.68),))
>>> report = Report("A study", "What was done.", (Section("Results", ("All of it.",), (sheet,)),))
>>> [path.name for path in write_report(report, Path(tempfile.mkdtemp()))]
['report.html', 'report.xlsx', 'report.json']
"""

import json
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from blockfall.errors import SettingError
from blockfall.files import delete_file, write_atomically
from blockfall.reports.drawing import pngs
from blockfall.reports.model import Bars, Boxes, Curves, Dots, Figure, Landscape, Panels, Report, Section, Series, Sheet

__all__ = [
    "Bars",
    "Boxes",
    "Curves",
    "Dots",
    "Figure",
    "Landscape",
    "Panels",
    "Report",
    "Section",
    "Series",
    "Sheet",
    "write_report",
]

_JSON = "report.json"


def write_report(
    report: Report, folder: Path, workbook: str = "report.xlsx", progress: Callable[[int], None] | None = None
) -> list[Path]:
    """Write the report into the folder in every form, and return the files.

    `progress` is called with the number of figures drawn so far. The pictures of an earlier report, which its
    report.json names, are deleted. Without Matplotlib the report has no pictures, and a warning says so.
    """
    from blockfall.reports.page import page
    from blockfall.reports.workbook import workbook_bytes

    outdated = _pictures_of(folder / _JSON)
    written: list[Path] = []
    pictures: dict[str, bytes] = {}
    for number, (figure, picture) in enumerate(_drawn(report.figures), 1):
        if figure.title in pictures:
            raise ValueError(f"two figures have the title {figure.title!r}")
        pictures[figure.title] = picture
        written.append(folder / "figures" / f"{number:02}-{figure.file_name}.png")
        write_atomically(written[-1], picture)
        if progress:
            progress(number)
    names = [path.name for path in written]
    for name in outdated.difference(names):
        delete_file(folder / "figures" / name)
    forms: dict[str, str | bytes] = {
        "report.html": page(report, pictures),
        workbook: workbook_bytes(report),
        _JSON: json.dumps(report.as_json() | {"pictures": names}, indent=1) + "\n",
    }
    for name, content in forms.items():
        written.append(folder / name)
        write_atomically(written[-1], content)
    return written


def _drawn(figures: Sequence[Figure]) -> Iterable[tuple[Figure, bytes]]:
    """Yield each figure with its picture, or nothing if Matplotlib is not installed."""
    if not figures:
        return []
    try:
        return zip(figures, pngs(figures), strict=True)
    except SettingError as error:
        warnings.warn(f"the report has no pictures: {error}", stacklevel=3)
        return []


def _pictures_of(report: Path) -> set[str]:
    """Return the names of the pictures in a report.json, leaving out any that we cannot have written."""
    try:
        names = json.loads(report.read_bytes())["pictures"]
        return {name for name in names if re.fullmatch(r"\d{2,}-[a-z0-9-]*\.png", name)}
    except (OSError, ValueError, KeyError, TypeError):
        return set()
