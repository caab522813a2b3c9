"""Reports: one model, four forms, each opened with another library than the one that wrote it."""

import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from PIL import Image

from blockfall.reports import (
    Bars,
    Boxes,
    Curves,
    Dots,
    Figure,
    Landscape,
    Panels,
    Report,
    Section,
    Series,
    Sheet,
    drawing,
    plots,
    write_report,
)
from blockfall.reports.page import shown
from blockfall.reports.plots import png
from tests.program import Call

GRID = np.meshgrid(np.linspace(-1, 1, 9), np.linspace(-1, 1, 9))
LINES = Curves(
    "Curves", "iteration", "best", series=(Series("a", (1, 2, 3), (4.0, 5.0, 7.0)), Series("b", (2,), (6.0,)))
)
BARS = Bars("Weights", "", "size", labels=("holes", "wells"), series=(("weight", (-0.5, 0.25)),), absolute=True)
BOXES = Boxes("Groups", "", "lines", labels=("one", "two"), samples=((1, 2, 3, 4, 5), (2, 2, 8)))
DOTS = Dots(
    "Trainings", "lines", labels=("one", "two"), samples=((1, 20), (3, 4, 5)), marks=(None, 9), mark_label="said"
)
LANDSCAPE = Landscape("Hills", "x", "y", x=GRID[0], y=GRID[1], z=GRID[0] ** 2 + GRID[1] ** 2, points=np.zeros((3, 2)))
FIGURES: tuple[Figure, ...] = (LINES, BARS, BOXES, DOTS, LANDSCAPE)
TABLE = Sheet("Results", ("who", "mean"), (("=1+1", 9.5), ("<b>& Co", None)), "A note.")
REPORT = Report(
    "A <study>",
    "What & why.",
    (Section("First", ("Words.",), (TABLE, *FIGURES)), Section("Second", (), (Panels("All", figures=FIGURES),))),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("report")
    written = write_report(REPORT, out, "as-i-wish.xlsx")
    assert all(path.is_file() for path in written)
    assert {path.suffix for path in written} == {".png", ".html", ".xlsx", ".json"}
    assert sorted(p.name for p in out.iterdir()) == ["as-i-wish.xlsx", "figures", "report.html", "report.json"]
    return out


def test_the_page_needs_nothing_but_itself(folder: Path) -> None:
    page = (folder / "report.html").read_text()
    assert all(link.startswith(("data:", "#")) for link in re.findall(r'(?:src|href)="([^"]*)"', page))
    assert "http" not in page
    assert "<script" not in page
    assert "A &lt;study&gt;" in page
    assert "&lt;b&gt;&amp; Co" in page
    assert page.count("<img") == 6


@pytest.mark.parametrize("figure", [*FIGURES, Panels("All", figures=FIGURES)], ids=lambda figure: figure.title)
def test_pictures_are_drawn_large_enough_to_print(figure: Figure) -> None:
    with Image.open(io.BytesIO(png(figure))) as image:
        assert image.width >= 1000
        assert len(image.convert("RGB").getcolors(1 << 20) or []) > 20


@pytest.mark.parametrize("cores", [1, 2])
def test_without_matplotlib_a_report_has_all_but_pictures(
    cores: int, tmp_path: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    missing = "pictures need Matplotlib; install it with: pip install 'blockfall[plots]'"
    monkeypatch.setattr(drawing, "all_cores", lambda: cores)
    monkeypatch.setattr(drawing, "_FIGURES_PER_PROCESS", 1)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "blockfall.reports.plots", raising=False)
    with pytest.warns(UserWarning, match=re.escape(f"the report has no pictures: {missing}")):
        written = write_report(REPORT, tmp_path)
    assert sorted(path.name for path in written) == ["report.html", "report.json", "report.xlsx"]
    page = (tmp_path / "report.html").read_text()
    assert "<img" not in page
    assert "Curves: not drawn; its numbers are in the workbook." in page
    solved = call("solve", "--plot", str(tmp_path / "plot.png"))
    assert solved == (2, "", f"blockfall: {missing}\n")


def test_the_same_figure_is_the_same_file() -> None:
    assert png(LINES) == png(LINES)


@pytest.mark.parametrize("dies", [False, True])
def test_many_pictures_are_drawn_side_by_side(dies: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several processes draw them; this process draws them only if those end."""
    figures = [replace(LINES, title=f"Curves {number}") for number in range(8)]
    expected = [png(figure) for figure in figures]
    monkeypatch.setattr(drawing, "all_cores", lambda: 2)
    started, drawn_here = list[drawing.Painter](), list[Figure]()

    class Counted(drawing.Painter):
        def __init__(self) -> None:
            super().__init__()
            started.append(self)

    def draw_here(figure: Figure) -> bytes:
        drawn_here.append(figure)
        return png(figure)

    monkeypatch.setattr(drawing, "Painter", Counted)
    monkeypatch.setattr(plots, "png", draw_here)
    if dies:
        monkeypatch.setattr(drawing, "PROGRAM", "raise SystemExit(3)")
    assert list(drawing.pngs(figures)) == expected
    assert len(drawn_here) == (8 if dies else 0)
    assert [painter.ended for painter in started] == [True, True]


def test_the_workbook_holds_the_tables_and_native_charts(folder: Path) -> None:
    book = openpyxl.load_workbook(folder / "as-i-wish.xlsx")
    assert book.sheetnames[:6] == ["Results", "Curves", "Weights", "Groups", "Trainings", "Hills"]
    cells = list(book["Results"].iter_rows(min_row=4, values_only=True))
    assert cells[0][:2] == ("who", "mean")
    assert cells[1][:2] == ("=1+1", 9.5)
    assert book["Results"]["A5"].data_type == "s"  # text, no formula
    assert not book["Results"]._charts
    for name in book.sheetnames[1:]:
        assert len(book[name]._charts) == 1, name
    curves = list(book["Curves"].iter_rows(min_row=4, values_only=True))
    assert [row[:3] for row in curves] == [("iteration", "a", "b"), (1, 4, None), (2, 5, 6), (3, 7, None)]


def test_worksheets_have_names_that_speak(tmp_path: Path) -> None:
    """A name has at most 31 letters, ends after a word, and is the tab's where one is given."""
    long = Sheet("Counts that differ from the report's figures", ("a",), ((1,),))
    twice = Sheet("Counts that differ from the report's numbers", ("a",), ((2,),))
    named = Sheet("Table 4.1.2: Procura A*, h = qualidade", ("a",), ((3,),), tab="Table 4.1.2")
    rows = Sheet("Row by row", ("a",), ((4,),))
    write_report(Report("x", "y", (Section("s", (), (long, twice, named)),), data=(rows,)), tmp_path)
    names = openpyxl.load_workbook(tmp_path / "report.xlsx").sheetnames
    assert names == ["Counts that differ from the", "Counts that differ from the 2", "Table 4.1.2", "Row by row"]
    assert "Row by row" not in (tmp_path / "report.html").read_text()
    assert json.loads((tmp_path / "report.json").read_text())["data"][0]["rows"] == [[4]]


def test_panels_of_the_same_curves_have_one_legend() -> None:
    series = (
        Series("ours", (1, 2), (1.0, 2.0), group="ours"),
        Series("report", (1,), (3.0,), group="ours", dashed=True),
    )
    same = Panels("Both", figures=(Curves("One", series=series), Curves("Two", series=series)))
    other = Panels("Both", figures=(Curves("One", series=series), Curves("Two", series=series[:1])))
    for figure in (same, other):
        with Image.open(io.BytesIO(png(figure))) as image:
            assert image.width >= 1000


def test_the_json_holds_the_figures_data(folder: Path) -> None:
    read = json.loads((folder / "report.json").read_text())
    tables = {table["title"]: table for section in read["sections"] for table in section["tables"] + section["figures"]}
    assert tables["Weights"]["rows"] == [["holes", -0.5], ["wells", 0.25]]
    assert tables["Groups"]["rows"][0] == ["one", 1.2, 2.0, 3.0, 4.0, 4.8, 3.0]
    assert tables["Trainings"]["columns"] == ["name", "1", "2", "3", "mean", "said"]
    assert tables["Trainings"]["rows"] == [["one", 1, 20, None, 10.5, None], ["two", 3, 4, 5, 4, 9]]


def test_a_smaller_report_deletes_only_its_own_old_pictures(tmp_path: Path) -> None:
    write_report(Report("x", "y", (Section("s", (), (LINES, BARS, BOXES)),)), tmp_path)
    (tmp_path / "figures" / "04-mine.png").write_bytes(b"a user's")
    write_report(Report("x", "y", (Section("s", (), (LINES,)),)), tmp_path)
    assert sorted(path.name for path in (tmp_path / "figures").iterdir()) == ["01-curves.png", "04-mine.png"]


@pytest.mark.parametrize(
    "said", ["", "[]", '{"pictures": 3}', '{"pictures": [3]}', '{"pictures": ["../mine.png", "mine.png"]}']
)
def test_an_unreadable_earlier_report_does_no_harm(tmp_path: Path, said: str) -> None:
    (tmp_path / "figures").mkdir()
    mine = [tmp_path / "mine.png", tmp_path / "figures" / "mine.png"]
    for path in mine:
        path.write_bytes(b"a user's")
    (tmp_path / "report.json").write_text(said)
    write_report(Report("x", "y", ()), tmp_path)
    assert all(path.exists() for path in mine)


def test_two_figures_of_one_title_are_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="two figures have the title 'Curves'"):
        write_report(Report("x", "y", (Section("s", (), (LINES, LINES)),)), tmp_path)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (9.684, "9.68"),
        (486.32, "486.32"),
        (2031.65, "2,032"),
        (12345.6, "12,346"),
        (0.01234, "0.01234"),
        (20000, "20,000"),
        (None, ""),
        (True, "yes"),
        ("a", "a"),
    ],
)
def test_cells_as_people_read_them(value: str | float | None, text: str) -> None:
    assert shown(value) == text
