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
_LONGEST = 1000  # characters of an error line

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
    """Run the command line and exit with a code.

    Bad input gives code 2 and one line on stderr; a server that cannot be reached or has closed, 3; an interrupt, 130.
    """
    for stream in (sys.stdout, sys.stderr):  # characters that the terminal cannot show must not stop the program
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
        _fail(cast(typer.BadParameter, error).format_message())  # empty if the help was printed
    except MemoryError:
        _fail("out of memory; ask for less: fewer games, a smaller network or a smaller board")
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
    """Write one line to stderr, with control characters escaped: others may have chosen the names in it."""
    from blockfall.validation import visible

    line = " ".join(message.split())
    if len(line) > _LONGEST:  # keep the end, which says what is wrong
        line = f"{line[: _LONGEST // 2]} ... {line[-_LONGEST // 2 :]}"
    print(f"blockfall: {visible(line, len(line))}", file=sys.stderr)
