"""`blockfall assignment` and `blockfall grade`: assignments for a class, and their marks."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from blockfall.cli.output import JsonFlag, meter, print_json, print_rows, program, say
from blockfall.files import make_folder

app = typer.Typer()
group = typer.Typer(name="assignment", no_args_is_help=True, help="Write assignments for a class.")
app.add_typer(group)


@group.command("new", epilog="Example: blockfall assignment new hopeless search-2026")
def new_command(
    kind: Annotated[str, typer.Argument(help="The kind: hopeless, ist2015 or agent.", metavar="KIND")],
    folder: Annotated[Path, typer.Argument(help="The new folder.", metavar="FOLDER")],
    seed: Annotated[
        int | None, typer.Option(help="The seed of the hidden boards; random and secret by default.")
    ] = None,
) -> None:
    """Write an assignment: a handout for the students and a marking scheme for the teacher."""
    from blockfall.teaching.assignment import HANDOUT, MARKING, create

    create(kind, folder, seed)
    say(f"For the students:  {folder / HANDOUT}")
    say(f"For you alone:     {folder / MARKING} (its seed decides the hidden boards)")
    say(f"Grade a class:     {program()} grade {folder} SUBMISSIONS")


@app.command("grade", epilog="Example: blockfall grade search-2026 submissions")
def grade_command(
    folder: Annotated[Path, typer.Argument(help="The assignment's folder.", metavar="FOLDER")],
    submissions: Annotated[
        Path, typer.Argument(help="A folder of Python files, or of folders with solution.py.", metavar="SUBMISSIONS")
    ],
    out: Annotated[
        Path | None, typer.Option(help="The folder for the marks. The default is the assignment's folder.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Grade a class's submissions. Each runs in its own process, on boards that students have not seen.

    Ctrl-C writes the marks so far.
    """
    from blockfall.teaching.assignment import load
    from blockfall.teaching.grading import begin, grade
    from blockfall.teaching.submissions import find_submissions

    assignment = load(folder)
    found = find_submissions(submissions)
    grades = begin(assignment, found)
    place = out or folder
    make_folder(place)
    exercises = sum(task.count for task in assignment.tasks)
    try:
        with meter("grading", exercises * len(found)) as shown:
            grade(grades, found, shown.update)
    finally:
        files = grades.write(place)
        for note in grades.notes:
            print(f"blockfall: {note}", file=sys.stderr)
        if as_json:
            print_json(grades.as_json())
        else:
            numbers = grades.columns[1:-1]
            rows = [[row[0], *(f"{points:g}" for points in row[1:-1]), row[-1]] for row in grades.rows()]
            print_rows(assignment.title, grades.columns, rows, right=numbers)
            say(f"The marks:  {', '.join(map(str, files))}")
