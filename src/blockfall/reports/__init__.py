"""Reports: tables and figures as data, written as one HTML page, PNG pictures, an XLSX workbook and JSON.

>>> import tempfile
>>> table = Table("Lines per game", ("group", "mean"), (("soster-1", 9.68),))
>>> report = Report("A study", "What was done.", (Section("Results", ("All of it.",), (table,)),))
>>> [path.name for path in write_report(report, Path(tempfile.mkdtemp()))]
['report.html', 'report.xlsx', 'report.json']
"""

import json
from collections.abc import Callable
from pathlib import Path

from blockfall.files import write_atomically
from blockfall.reports.model import Bars, Boxes, Dots, Figure, Landscape, Lines, Panels, Report, Section, Series, Table

__all__ = [
    "Bars",
    "Boxes",
    "Dots",
    "Figure",
    "Landscape",
    "Lines",
    "Panels",
    "Report",
    "Section",
    "Series",
    "Table",
    "write_report",
]


def write_report(
    report: Report, folder: Path, workbook: str = "report.xlsx", progress: Callable[[int], None] | None = None
) -> list[Path]:
    """Writes every form of it into the folder, and tells which files. `progress` is called with the figures drawn."""
    from blockfall.reports.page import page
    from blockfall.reports.plots import png
    from blockfall.reports.workbook import workbook_bytes

    written = []
    pictures: dict[str, bytes] = {}
    for number, figure in enumerate(report.figures, 1):
        if figure.title in pictures:
            raise ValueError(f"two figures have the title {figure.title!r}")
        pictures[figure.title] = png(figure)
        written.append(folder / "figures" / f"{number:02}-{figure.file_name}.png")
        write_atomically(written[-1], pictures[figure.title])
        if progress:
            progress(number)
    forms: dict[str, str | bytes] = {
        "report.html": page(report, pictures),
        workbook: workbook_bytes(report),
        "report.json": json.dumps(report.as_json(), indent=1) + "\n",
    }
    for name, content in forms.items():
        written.append(folder / name)
        write_atomically(written[-1], content)
    return written
