"""`blockfall solve`, `board` and `algorithms`: games as search problems."""

from pathlib import Path
from typing import Annotated

import typer

from blockfall.cli.options import BackendOption, PluginOption, ThreadsOption, board_text, chosen_backend
from blockfall.cli.output import JsonFlag, console, meter, print_json, print_rows, say
from blockfall.errors import SettingError
from blockfall.files import write_atomically
from blockfall.games import GameKind, Position, game, shipped_games
from blockfall.games.hopeless import parse_size
from blockfall.games.protocol import action_in_words
from blockfall.search import Searchable, SearchSettings, Solution, algorithms, find_problem, problem_of, solve

GameOption = Annotated[
    str, typer.Option("--game", help=f"{', '.join(shipped_games())}, or a plugin's.", metavar="GAME")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", help="An option of the game, such as columns=6. May be repeated.", metavar="NAME=VALUE"),
]


def add_to(app: typer.Typer) -> None:
    """Adds these commands."""
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
    """List the search algorithms."""
    found = algorithms().values()
    if as_json:
        print_json([{"name": a.name, "title": a.title, "source": a.source} for a in found])
        return
    print_rows("Algorithms", ("name", "what it does", "source"), ((a.name, a.title, a.source) for a in found))


def _choices(name: str) -> str:
    """Says which games have the option and what it may be."""
    found = [
        (kind, option) for kind in map(game, shipped_games()) for option in kind.search_options if option.name == name
    ]
    return " ".join(f"For {kind.name}: {', '.join(option.choices)}." for kind, option in found)


def board_command(
    game_name: GameOption = "hopeless",
    size: Annotated[str | None, typer.Option(help="Columns x rows, at most 32x32 for hopeless.", metavar="WxH")] = None,
    colours: Annotated[int | None, typer.Option(help="How many colours: 1 to 9.")] = None,
    options: SetOption = None,
    seed: Annotated[int, typer.Option(help="Names the board: the same seed gives the same one.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Saves the board in a file in place of printing it.")] = None,
    plugin: PluginOption = None,  # noqa: ARG001
) -> None:
    """Make the board that a game starts with: a random one of 20x10 in 4 colours for hopeless."""
    given = _given(options, colours=colours)
    if size is not None:
        given["columns"], given["rows"] = parse_size(size)
    kind = game(game_name)
    position = kind.start(seed, **kind.split(given)[0])
    if out is None:
        print(position.text())
    else:
        write_atomically(out, f"{position.text()}\n")


def solve_command(
    game_name: GameOption = "hopeless",
    problem_name: Annotated[
        str | None, typer.Option("--problem", help="A problem that a plugin registered, in place of a game.")
    ] = None,
    board: Annotated[
        str | None,
        typer.Option(help="A text file, the top row first: digits and ., or # and . for Tetris; or a fumen."),
    ] = None,
    pieces: Annotated[
        str | None, typer.Option(help="For ist-tetris: the pieces in order, such as ojlti. For tetris: how many.")
    ] = None,
    rules: Annotated[str | None, typer.Option(help="For tetris: a rule set, or your own TOML file.")] = None,
    algorithm: Annotated[str, typer.Option(help="See blockfall algorithms.")] = "best",
    heuristic: Annotated[str | None, typer.Option(help=_choices("heuristic"))] = None,
    cost: Annotated[str | None, typer.Option(help=_choices("cost"))] = None,
    options: SetOption = None,
    seed: Annotated[
        int, typer.Option(help="Names the game, and the random choices of nmcs, nrpa, annealing and best.")
    ] = 1,
    time_limit: Annotated[float | None, typer.Option(help="Stops after so many seconds.")] = None,
    node_limit: Annotated[int | None, typer.Option(help="Stops after so many expanded nodes.")] = None,
    memory_limit: Annotated[
        int | None,
        typer.Option(help="Stops at so many bytes of memory. The default is 8 GiB, or half of what is free."),
    ] = None,
    width: Annotated[
        int, typer.Option(help="For beam: how many states of each layer are kept.")
    ] = SearchSettings.width,
    diversity: Annotated[
        int | None, typer.Option(help="For beam: how many children of one state are kept. The default keeps all.")
    ] = None,
    level: Annotated[int | None, typer.Option(help="For nmcs and nrpa: how deep searches are nested.")] = None,
    ties: Annotated[str | None, typer.Option(help="Which of two equals goes first: first, last or larger-g.")] = None,
    skip_seen: Annotated[
        bool | None,
        typer.Option(
            "--table/--no-table",
            help="Whether to leave out states met before, which a table holds. Some algorithms have no such choice.",
        ),
    ] = None,
    trace: Annotated[
        Path | None, typer.Option(help="Writes the expanded nodes to a file, with f, g and h: a row of JSON each.")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Draws every position of the solution.")] = False,
    backend: BackendOption = None,
    threads: ThreadsOption = None,
    plugin: PluginOption = None,  # noqa: ARG001
    as_json: JsonFlag = False,
) -> None:
    """Search a game, or a problem of yours, for its best solution. A limit or an interrupt gives the best so far."""
    settings = SearchSettings(
        time_limit_s=time_limit,
        node_limit=node_limit,
        memory_limit_bytes=memory_limit,
        seed=seed,
        width=width,
        diversity=diversity,
        level=level,
        ties=ties,
        skip_seen=skip_seen,
        trace=trace is not None,
    )
    searches_on = chosen_backend(backend, threads)
    given = _given(options, pieces=pieces, rules=rules, heuristic=heuristic, cost=cost)
    problem: Searchable
    start: Position | None = None
    if problem_name is None:
        kind = game(game_name)
        of_game, of_search = kind.split(given)
        start = _start(kind, board, seed, of_game)
        problem = problem_of(start, **of_search)
        searched, action_words = {"game": game_name}, kind.action_words
    else:
        if board is not None or given or show:
            raise SettingError("--problem takes no board, no options of a game, and no --show")
        problem = find_problem(problem_name)
        searched, action_words = {"problem": problem_name}, "the problem's actions"
    with meter("searching", round(time_limit or 0)) as shown:
        solution = solve(problem, algorithm, settings, shown.tick, searches_on)
    if as_json:
        print_json({**searched, **solution.as_json()})
    else:
        _print(problem_name or game_name, action_words, solution)
        if show and start:
            for drawing in drawings(start, solution):
                say(f"\n{drawing}")
    if trace:
        solution.write_trace(trace)
    if solution.stopped_by == "interrupt":
        raise KeyboardInterrupt


def _given(options: list[str] | None, **named: object) -> dict[str, object]:
    """Joins what `--set` says with the options that have a name of their own here; leaves out what was not given."""
    given = {name: value for name, value in named.items() if value is not None}
    for text in options or []:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise SettingError(f"--set {text}; it must be NAME=VALUE, such as columns=6")
        if name in given:
            raise SettingError(f"{name} is given twice")
        given[name] = value
    return given


def _start(kind: GameKind, board: str | None, seed: int, options: dict[str, object]) -> Position:
    if board is None:
        if kind.needs_board:
            raise SettingError(f"{kind.name} needs --board FILE; blockfall board makes one")
        return kind.start(seed, **options)
    try:
        return kind.read(board_text(board), seed, **options)
    except SettingError as error:
        raise SettingError(f"{board}: {error}" if "board" in str(error) else str(error)) from None


def drawings(start: Position, solution: Solution) -> list[str]:
    """Draws the positions of a solution, each with the action that comes next."""
    position, drawn = start, []
    for move in solution.moves:
        drawn.append(position.drawing(move))
        position = position.apply(move)
    return [*drawn, position.drawing()]


def _print(name: str, action_words: str, solution: Solution) -> None:
    if solution.points is None:
        console.print(f"No solution {'exists' if solution.stopped_by == 'finished' else 'was found'}.")
    stopped = "" if solution.stopped_by == "finished" else f" (stopped by {solution.stopped_by})"
    moves = " ".join(action_in_words(move) for move in solution.moves)
    print_rows(
        f"{name}, {solution.algorithm}{stopped}",
        ("", "found"),
        (
            ("points", "none" if solution.points is None else f"{solution.points:,}"),
            *([("found by", "the greedy way out: the search was stopped first")] if solution.fallback else []),
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
        say(f"Moves ({action_words}):  {moves}")
