"""The command line: `blockfall COMMAND ...`."""

import io
import os
import sys
import warnings
from typing import NoReturn, cast

import typer

from blockfall.cli.commands import LazyCommands
from blockfall.errors import BlockfallError, ConnectionLostError

_UsageError = cast(
    type[Exception], typer.BadParameter.__mro__[1]
)  # click's class, which moves between Typer's versions
_LONGEST = 1000  # characters of a line that is told

app = typer.Typer(
    name="blockfall",
    cls=LazyCommands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="A laboratory for agents that play falling-block puzzles.",
    epilog="Start with: blockfall evaluate --rules nes-no-rotation --agent birken-6",
)


@app.callback(invoke_without_command=True)
def _about(version: bool = typer.Option(False, "--version", help="Print the version and stop.")) -> None:
    if version:
        from blockfall import __version__

        print(__version__)
        raise typer.Exit


def main() -> None:
    """Run the command line and exits with a code.

    Bad input: code 2 and one line on stderr. A server that cannot be reached or has gone: code 3. An interrupt: 130.
    """
    for stream in (sys.stdout, sys.stderr):  # a terminal of few characters, or a name that is no text, is no fault
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    warnings.showwarning = lambda message, *_args, **_kwargs: _tell(str(message))
    try:
        sys.exit(app(standalone_mode=False) or 0)
    except ConnectionLostError as error:
        _fail(str(error), 3)
    except BlockfallError as error:
        _fail(str(error))
    except _UsageError as error:
        _fail(cast(typer.BadParameter, error).format_message())  # empty where the help was printed
    except MemoryError:
        _fail("the memory is exhausted; ask for less: fewer games, a smaller network or a smaller board")
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    except BrokenPipeError:  # the program that reads our output has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except OSError as error:  # a name that no file can have, a disk that fails
        _fail(f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error))


def _fail(message: str, code: int = 2) -> NoReturn:
    if message:
        _tell(message)
    sys.exit(code)


def _tell(message: str) -> None:
    """Write one line on stderr. The names in it, which others may have chosen, cannot steer the terminal."""
    from blockfall.validation import visible

    line = " ".join(message.split())
    if len(line) > _LONGEST:  # what is wrong stands at the end, after a name
        line = f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 2 :]}"
    print(f"blockfall: {visible(line, len(line))}", file=sys.stderr)
