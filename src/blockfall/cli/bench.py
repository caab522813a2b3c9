"""`blockfall bench`: the core's speed on this machine."""

from dataclasses import asdict
from typing import Annotated

import typer

from blockfall.cli.output import JsonFlag, meter, print_json, print_rows, three_digits
from blockfall.compute.bench import measure, run_count

app = typer.Typer()


@app.command("bench", epilog="Example: blockfall bench --json")
def bench_command(
    repeats: Annotated[int, typer.Option(help="The number of runs of each workload with each instruction set.")] = 9,
    as_json: JsonFlag = False,
) -> None:
    """Time named workloads on one thread, with each instruction set and with scalar code."""
    with meter("runs", run_count(repeats)) as shown:
        rows = measure(repeats=repeats, progress=shown.update)
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    print_rows(
        f"One thread, medians of {repeats} interleaved runs",
        ("workload", "simd", "boards/s", "pieces/s", "x scalar"),
        (
            (
                row.workload,
                row.simd,
                three_digits(row.placements_per_second),
                three_digits(row.pieces_per_second),
                f"{row.ratio_to_scalar:.2f}",
            )
            for row in rows
        ),
        right=("boards/s", "pieces/s", "x scalar"),
    )
