"""`blockfall solve`, `board` and `algorithms`: games as search problems."""

from pathlib import Path
from typing import Annotated

import typer

from blockfall.cli.options import BackendOption, ThreadsOption, chosen_backend
from blockfall.cli.output import JsonFlag, console, meter, print_json, print_table, say
from blockfall.errors import SettingError, UnknownNameError
from blockfall.files import write_atomically
from blockfall.games import Hopeless, HopelessBoard, IstState, scoring, scorings
from blockfall.games.hopeless import parse_size
from blockfall.search import (
    HopelessProblem,
    IstProblem,
    Searchable,
    SearchSettings,
    Solution,
    algorithms,
    solve,
)
from blockfall.validation import read_text

IST = "ist-tetris"


def add_to(app: typer.Typer) -> None:
    app.command(
        "solve",
        epilog="Example: blockfall board --size 15x15 --colours 5 --out board.txt, then "
        "blockfall solve --game samegame --board board.txt --algorithm best --time-limit 10",
    )(solve_command)
    app.command("board", epilog="Example: blockfall board --size 20x10 --colours 4 --seed 7 --out board.txt")(
        board_command
    )
    app.command("algorithms", epilog="Example: blockfall algorithms --json")(list_algorithms)


def list_algorithms(as_json: JsonFlag = False) -> None:
    """The search algorithms."""
    found = algorithms().values()
    if as_json:
        print_json([{"name": a.name, "title": a.title, "source": a.source} for a in found])
        return
    print_table("Algorithms", ("name", "what it does", "source"), ((a.name, a.title, a.source) for a in found))


def board_command(
    size: Annotated[str, typer.Option(help="Columns x rows, at most 32x32.", metavar="WxH")] = "20x10",
    colours: Annotated[int, typer.Option(help="How many colours: 1 to 9.")] = 4,
    seed: Annotated[int, typer.Option(help="Names the board: the same seed gives the same one.")] = 1,
    out: Annotated[Path | None, typer.Option(help="A file to save it in; printed unless said.")] = None,
) -> None:
    """Make a random Hopeless board."""
    columns, rows = parse_size(size)
    if not 0 <= seed < 2**64:
        raise SettingError(f"seed {seed}; a seed is a whole number from 0 to 2^64 - 1")
    board = HopelessBoard.random(columns, rows, colours, seed)
    if out is None:
        print(board)
    else:
        write_atomically(out, f"{board}\n")


def solve_command(
    game: Annotated[str, typer.Option(help=f"{', '.join([*scorings(), IST])}.")] = "hopeless",
    board: Annotated[
        Path | None, typer.Option(help="A text file, the top row first: digits and ., or # and . for ist-tetris.")
    ] = None,
    pieces: Annotated[str | None, typer.Option(help="Of ist-tetris: the pieces in order, such as ojlti.")] = None,
    algorithm: Annotated[str, typer.Option(help="See blockfall algorithms.")] = "best",
    heuristic: Annotated[str | None, typer.Option(help="Of ist-tetris: " + ", ".join(IstProblem.heuristics))] = None,
    cost: Annotated[str, typer.Option(help="Of ist-tetris: custo-oportunidade or qualidade.")] = IstProblem.costs[0],
    seed: Annotated[int, typer.Option(help="Names the random choices of nmcs, nrpa, annealing and best.")] = 1,
    time_limit: Annotated[float | None, typer.Option(help="Seconds.")] = None,
    node_limit: Annotated[int | None, typer.Option(help="Nodes expanded.")] = None,
    memory_limit: Annotated[int, typer.Option(help="Bytes; 8 GiB unless said.")] = SearchSettings.memory_limit_bytes,
    width: Annotated[int, typer.Option(help="Of beam: states kept of each layer.")] = SearchSettings.width,
    diversity: Annotated[
        int | None, typer.Option(help="Of beam: children kept of one state; all unless given.")
    ] = None,
    level: Annotated[int | None, typer.Option(help="Of nmcs and nrpa: how deep searches are nested.")] = None,
    ties: Annotated[str | None, typer.Option(help="Of equals, which goes first: first, last or larger-g.")] = None,
    table: Annotated[
        bool | None, typer.Option("--table/--no-table", help="Whether to leave out states met before.")
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(help="A file for the expanded nodes, with f, g and h: a line of JSON each.")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Draw every state of the solution.")] = False,
    backend: BackendOption = None,
    threads: ThreadsOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Search a game for its best solution. A limit or an interrupt gives the best found so far."""
    settings = SearchSettings(
        time_limit_s=time_limit,
        node_limit=node_limit,
        memory_limit_bytes=memory_limit,
        seed=seed,
        width=width,
        diversity=diversity,
        level=level,
        ties=ties,
        table=table,
        trace=trace is not None,
    )
    settings.core()
    searches_on = chosen_backend(backend, threads)
    problem = _problem(game, board, pieces, heuristic, cost)
    with meter("searching", round(time_limit or 0)) as shown:
        solution = solve(problem, algorithm, settings, shown.tick, searches_on)
    if as_json:
        print_json({"game": game, **solution.as_json()})
    else:
        _print(game, solution)
        if show:
            for drawing in drawings(problem, solution):
                say(f"\n{drawing}")
    if trace:
        solution.write_trace(trace)
    if solution.stopped_by == "interrupt":
        raise KeyboardInterrupt


def _problem(
    game: str, board: Path | None, pieces: str | None, heuristic: str | None, cost: str
) -> HopelessProblem | IstProblem:
    if game != IST and game not in scorings():
        raise UnknownNameError("game", game, [*scorings(), IST])
    try:
        if game == IST:
            if not (pieces and pieces.strip()):
                raise SettingError("ist-tetris needs --pieces, such as ojlti")
            return IstProblem(IstState.start(pieces, read_text(board) if board else None), cost, heuristic)
        if board is None:
            raise SettingError(f"{game} needs --board FILE; blockfall board makes one")
        return HopelessProblem(HopelessBoard.from_text(read_text(board)), scoring(game), heuristic)
    except SettingError as error:
        raise SettingError(f"{board}: {error}" if board and "board" in str(error) else str(error)) from None


def drawings(problem: Searchable, solution: Solution) -> list[str]:
    """The states of a solution, each with the move that is to come: ist2015's as its desenha-estado draws them."""
    if isinstance(problem, IstProblem):
        state = problem.state
        drawn = []
        for move in solution.moves:
            drawn.append(state.drawing(move))
            state = state.result(move)
        return [*drawn, state.drawing()]
    assert isinstance(problem, HopelessProblem)
    game = Hopeless(problem.board, problem.scoring)
    drawn = []
    for move in solution.moves:
        squares = len(game.block(move))
        drawn.append(f"{game.board}\n{game.points} points; {squares} squares go at column {move[0]}, row {move[1]}")
        game.play(move)
    return [*drawn, f"{game.board}\n{game.points} points"]


def _print(game: str, solution: Solution) -> None:
    if solution.points is None:
        console.print(f"No solution {'exists' if solution.stopped_by == 'finished' else 'was found'}.")
    stopped = "" if solution.stopped_by == "finished" else f" (stopped by {solution.stopped_by})"
    moves = " ".join(f"{column},{rest}" for column, rest in solution.moves)
    print_table(
        f"{game}, {solution.algorithm}{stopped}",
        ("", "found"),
        (
            ("points", "none" if solution.points is None else f"{solution.points:,}"),
            ("proved optimal", "yes" if solution.optimal else "no"),
            ("moves", len(solution.moves)),
            ("nodes expanded", f"{solution.nodes_expanded:,}"),
            ("nodes generated", f"{solution.nodes_generated:,}"),
            ("seconds", f"{solution.seconds:.3f}"),
            ("peak memory", f"{solution.peak_bytes:,} bytes"),
        ),
        right=("found",),
    )
    if solution.moves:
        say(f"Moves (column, {'orientation' if game == IST else 'row from the floor'}):  {moves}")
