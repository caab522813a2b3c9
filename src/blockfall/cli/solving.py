"""`blockfall solve`, `board` and `algorithms`: searches of games and of your own problems."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from blockfall.cli.options import (
    BackendOption,
    PluginOption,
    SetOption,
    ThreadsOption,
    board_text,
    chosen_backend,
    given_options,
)
from blockfall.cli.output import JsonFlag, console, meter, print_json, print_rows, say
from blockfall.cli.problems import file_of, own_problem
from blockfall.cli.stepping import walk
from blockfall.compute import Backend
from blockfall.errors import SettingError
from blockfall.files import write_atomically
from blockfall.games import GameKind, Position, game, shipped_games
from blockfall.games.hopeless import parse_size
from blockfall.games.protocol import action_in_words
from blockfall.plugins import in_one_line, is_named_in_file
from blockfall.reports.of_search import progress_of
from blockfall.search import (
    Searchable,
    SearchSettings,
    Solution,
    TracedSearch,
    algorithms,
    find_algorithm,
    problem_of,
    solve,
)
from blockfall.search.tree import tree_svg

GameOption = Annotated[
    str, typer.Option("--game", help=f"The game: {', '.join(shipped_games())}, or a plugin's.", metavar="GAME")
]


app = typer.Typer()
_EXAMPLE = (
    "Example: blockfall board --size 15x15 --colours 5 --out board.txt, then "
    "blockfall solve --game samegame --board board.txt --algorithm best --time-limit 10"
)


@app.command("algorithms", epilog="Example: blockfall algorithms --json")
def list_algorithms(_plugins: PluginOption = None, as_json: JsonFlag = False) -> None:
    """List the search algorithms: what each does and what it promises."""
    found = algorithms().values()
    if as_json:
        names = ("name", "title", "source", "textbook", "promise", "skip_seen")
        print_json([{name: getattr(one, name) for name in names} for one in found])
        return
    rows = ((one.name, one.title, one.promise, one.source) for one in found)
    print_rows("Algorithms", ("name", "what it does", "what it promises", "source"), rows)


def _choices(name: str) -> str:
    """Return the help of an option that some games have: its values for each."""
    found = [
        (kind, option) for kind in map(game, shipped_games()) for option in kind.search_options if option.name == name
    ]
    return f"The {name}. " + " ".join(f"For {kind.name}: {', '.join(option.choices)}." for kind, option in found)


@app.command("board", epilog="Example: blockfall board --size 20x10 --colours 4 --seed 7 --out board.txt")
def board_command(
    game_name: GameOption = "hopeless",
    size: Annotated[
        str | None, typer.Option(help="The columns and rows, for hopeless at most 32x32.", metavar="WxH")
    ] = None,
    colours: Annotated[int | None, typer.Option(help="The number of colours, 1 to 9.")] = None,
    options: SetOption = None,
    seed: Annotated[int, typer.Option(help="The seed of the board: the same seed gives the same board.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Save the board in this file instead of printing it.")] = None,
    _plugins: PluginOption = None,
) -> None:
    """Make a starting board: for hopeless, by default, a random one of 20x10 in 4 colours."""
    given = given_options(options, colours=colours)
    if size is not None:
        given["columns"], given["rows"] = parse_size(size)
    kind = game(game_name)
    position = kind.start(seed, **kind.split(given)[0])
    if out is None:
        print(position.text())
    else:
        write_atomically(out, f"{position.text()}\n")


@app.command("solve", epilog=_EXAMPLE)
def solve_command(
    game_name: Annotated[
        str | None,
        typer.Option("--game", help=f"The game: {', '.join(shipped_games())}, or a plugin's. The default is hopeless."),
    ] = None,
    problem: Annotated[
        str | None,
        typer.Option(help="Your own problem instead of a game: FILE.py:CLASS, or the name of a plugin's."),
    ] = None,
    board: Annotated[
        str | None,
        typer.Option(help="The board: a text file of digits and ., or for Tetris # and ., top row first; or a fumen."),
    ] = None,
    pieces: Annotated[
        str | None, typer.Option(help="For ist-tetris: the pieces in order, such as ojlti. For tetris: their number.")
    ] = None,
    rules: Annotated[str | None, typer.Option(help="For tetris: the rule set, or your own TOML file.")] = None,
    algorithm: Annotated[
        str, typer.Option(help="A search algorithm (see blockfall algorithms), or your own function: FILE.py:NAME.")
    ] = "best",
    compare: Annotated[
        str | None,
        typer.Option(help="Search with several algorithms, separated by commas, and compare them."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the best points against nodes and seconds in this PNG file.")
    ] = None,
    heuristic: Annotated[str | None, typer.Option(help=_choices("heuristic"))] = None,
    cost: Annotated[str | None, typer.Option(help=_choices("cost"))] = None,
    options: SetOption = None,
    seed: Annotated[
        int, typer.Option(help="The seed of the game, and of the random choices of the algorithms that use chance.")
    ] = 1,
    time_limit: Annotated[float | None, typer.Option(help="The time limit in seconds.")] = None,
    node_limit: Annotated[int | None, typer.Option(help="The most nodes to expand.")] = None,
    memory_limit: Annotated[
        int | None,
        typer.Option(
            help="The most bytes of memory. The default is 8 GiB, or half of the free memory if that is less."
        ),
    ] = None,
    width: Annotated[
        int, typer.Option(help="For beam: the number of states kept in each layer.")
    ] = SearchSettings.width,
    diversity: Annotated[
        int | None, typer.Option(help="For beam: the number of children kept per state. The default is all.")
    ] = None,
    level: Annotated[int | None, typer.Option(help="For nmcs and nrpa: the depth of nesting.")] = None,
    weight: Annotated[
        float, typer.Option(help="For weighted-a-star: the weight of the heuristic.")
    ] = SearchSettings.weight,
    ties: Annotated[str | None, typer.Option(help="The node to prefer among equals: first, last or larger-g.")] = None,
    skip_seen: Annotated[
        bool | None,
        typer.Option(
            "--skip-seen/--no-skip-seen",
            help="Skip states seen before, or not. Some algorithms offer no choice.",
        ),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(help="Write each expanded node to this file, a line of JSON with f, g, h, state and open list."),
    ] = None,
    step: Annotated[
        bool, typer.Option("--step", help="Step through the search, forwards and back: open list, f, g, h and board.")
    ] = False,
    tree: Annotated[Path | None, typer.Option(help="Draw the search tree in this SVG file.")] = None,
    show: Annotated[bool, typer.Option("--show", help="Draw every position of the solution.")] = False,
    backend: BackendOption = None,
    threads: ThreadsOption = None,
    plugin: PluginOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Search a game or your own problem for its best solution. A limit or an interrupt gives the best so far."""
    _check_kinds({".png": plot, ".svg": tree})
    traces = trace is not None or step or tree is not None
    _check_together(compare, step, as_json, traces)
    if plot:
        from blockfall.reports.plots import png  # report a missing Matplotlib before the search
    settings = SearchSettings(
        time_limit_s=time_limit,
        node_limit=node_limit,
        memory_limit_bytes=memory_limit,
        seed=seed,
        width=width,
        diversity=diversity,
        level=level,
        weight=weight,
        ties=ties,
        skip_seen=skip_seen,
        trace=traces,
    )
    searches_on = chosen_backend(backend, threads)
    given = given_options(options, pieces=pieces, rules=rules, heuristic=heuristic, cost=cost)
    names = [algorithm] if compare is None else [name.strip() for name in compare.split(",") if name.strip()]
    files = [file_of(name) for name in (*names, problem or "") if is_named_in_file(name)]
    with in_one_line(*files, *map(str, plugin or ())):
        for name in names:
            find_algorithm(name)
        searched = _of_problem(problem, game_name, board, given) if problem else _of_game(game_name, board, seed, given)
        solutions = _solved(searched, names, settings, searches_on)
        if compare is not None:
            _print_compared(searched, solutions, as_json)
        elif as_json:
            print_json({**searched.named, **solutions[0].as_json()})
        else:
            _print(searched, solutions[0])
            if show:
                for drawing in searched.drawings(solutions[0]):
                    say(f"\n{drawing}")
        if plot:
            write_atomically(plot, png(progress_of(solutions, searched.title)))
        if traces:
            traced = TracedSearch(searched.problem, solutions[0])
            if trace:
                traced.write(trace)
            if tree:
                write_atomically(tree, tree_svg(traced))
            if step:
                walk(traced)
    if any(found.stopped_by == "interrupt" for found in solutions):
        raise KeyboardInterrupt


def _check_kinds(files: dict[str, Path | None]) -> None:
    """Refuse file names that end in another kind of picture."""
    for ending, path in files.items():
        if path is not None and path.suffix.lower() in {".png", ".svg", ".jpg", ".pdf"} - {ending}:
            raise SettingError(f"{path}: this picture's name must end in {ending}")


def _check_together(compare: str | None, step: bool, as_json: bool, traces: bool) -> None:
    """Refuse options that exclude each other."""
    if compare is not None and traces:
        raise SettingError("--compare with --trace, --tree or --step; these three show a single search")
    if step and as_json:
        raise SettingError("--step with --json; a walk through a search is not JSON")


@dataclass(frozen=True)
class _Searched:
    """A problem to search, and its descriptions for people and JSON."""

    problem: Searchable
    title: str
    action_words: str
    named: dict[str, str]
    """Its names in the JSON."""
    start: Position | None = None

    def drawings(self, solution: Solution) -> list[str]:
        """Draw the states of a solution in order; those of a game with the next action."""
        if self.start is not None:
            return drawings(self.start, solution)
        plain = self.problem.plain()
        state: Any = plain.start()
        drawn = [plain.text(state)]
        for move in solution.moves:
            state = plain.result(state, move)
            drawn.append(f"{action_in_words(move)}\n{plain.text(state)}")
        return drawn


def _of_game(name: str | None, board: str | None, seed: int, given: dict[str, object]) -> _Searched:
    kind = game(name or "hopeless")
    of_game, of_search = kind.split(given)
    start = _start(kind, board, seed, of_game)
    return _Searched(problem_of(start, **of_search), kind.name, kind.action_words, {"game": kind.name}, start)


def _of_problem(named: str, game_name: str | None, board: str | None, given: dict[str, object]) -> _Searched:
    if game_name is not None or board is not None:
        raise SettingError(f"--problem {named} with --{'board' if game_name is None else 'game'}; give one of them")
    return _Searched(own_problem(named, given), named, "actions", {"problem": named})


def _solved(searched: _Searched, names: list[str], settings: SearchSettings, backend: Backend) -> list[Solution]:
    """Return each algorithm's solution. An interrupt ends the running search and skips the others."""
    found: list[Solution] = []
    for name in names:
        with meter(f"searching, {name}" if len(names) > 1 else "searching", round(settings.time_limit_s or 0)) as shown:
            found.append(solve(searched.problem, name, settings, shown.tick, backend))
        if found[-1].stopped_by == "interrupt":
            break
    return found


def _print_compared(searched: _Searched, solutions: list[Solution], as_json: bool) -> None:
    if as_json:
        print_json([{**searched.named, **found.as_json(), "improvements": found.progress()} for found in solutions])
        return
    print_rows(
        f"{searched.title}, compared",
        ("algorithm", "points", "proved", "moves", "nodes", "seconds", "bytes", "stopped by"),
        (
            (
                found.algorithm,
                "none" if found.points is None else f"{found.points:,}",
                "yes" if found.optimal else "no",
                len(found.moves),
                f"{found.nodes_expanded:,}",
                f"{found.seconds:.3f}",
                f"{found.peak_bytes:,}",
                "greedy fallback" if found.fallback else found.stopped_by,
            )
            for found in solutions
        ),
        right=("points", "moves", "nodes", "seconds", "bytes"),
    )


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
    """Draw the positions of a solution, each with the next action."""
    position, drawn = start, []
    for move in solution.moves:
        drawn.append(position.drawing(move))
        position = position.apply(move)
    return [*drawn, position.drawing()]


def _print(searched: _Searched, solution: Solution) -> None:
    if solution.points is None:
        console.print(f"No solution {'exists' if solution.stopped_by == 'finished' else 'was found'}.")
    stopped = "" if solution.stopped_by == "finished" else f" (stopped by {solution.stopped_by})"
    moves = " ".join(action_in_words(move) for move in solution.moves)
    print_rows(
        f"{searched.title}, {solution.algorithm}{stopped}",
        ("", "found"),
        (
            ("points", "none" if solution.points is None else f"{solution.points:,}"),
            *([("found by", "the greedy fallback, because a limit stopped the search")] if solution.fallback else []),
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
        say(f"Moves ({searched.action_words}):  {moves}")
