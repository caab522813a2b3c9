"""The process that runs one submission: it is confined, loads the file, and answers calls.

Messages are lines of JSON: calls come from the original standard input, answers go to the original standard output, and
the student's own output is discarded. The process is not trusted. The parent checks every answer, and keeps the coming
boards, the seed and the marks to itself.
"""

import importlib.util
import json
import os
import sys
from typing import Any, BinaryIO

from blockfall.teaching.confinement import confine

OUT_OF_MEMORY = "it ran out of memory"
MOST_CHARACTERS = 300
"""The longest error text."""
_TEACHERS = ("marking.toml", "marks.json", "marks.xlsx")


def main() -> None:
    """Read the setup, confine the process, load the submission, and answer calls until there are no more."""
    calls, answers = _take_streams()
    setup = json.loads(calls.readline())
    sys.path[:] = [setup["folder"], *(path for path in sys.path if path != setup["source"])]
    for name in [name for name in sys.modules if name.split(".")[0] == "blockfall"]:
        del sys.modules[name]
    confined = confine([*setup["readable"], setup["folder"]], setup["memory_bytes"], setup["cpu_seconds"])
    _answer(answers, confined.as_json())
    _watch([*setup["readable"], setup["folder"]])
    _answer(answers, _guarded(setup["file"], lambda: _load(setup["file"], setup["function"])))
    while row := calls.readline():
        arguments = json.loads(row)
        _answer(answers, _guarded(setup["file"], lambda given=arguments: _functions[0](*given)))


_functions: list[Any] = []
"""The student's function, once loaded."""
_tried: list[str] = []
"""The teacher's and other people's paths that the student's code has tried to read since the last answer."""


def _take_streams() -> tuple[BinaryIO, BinaryIO]:
    """Return the streams of calls and answers, and cut the student's code off from them."""
    calls, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    return calls, answers


def _load(path: str, function: str) -> None:
    """Run the student's file and look for the function."""
    sys.dont_write_bytecode = True
    name = os.path.basename(path).rpartition(".")[0]  # noqa: PTH119 - pathlib is not loaded here
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    found = getattr(module, function, None)
    if not callable(found):
        raise NameError(f"it has no function {function}")
    _functions.append(found)


def _watch(folders: list[str]) -> None:
    """Record attempts to read the answers, even if the student's code hides that they fail.

    The system refuses them anyway (see `confinement`); this only makes them cost points.
    """

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event not in ("open", "os.listdir", "os.scandir") or not isinstance(arguments[0], str | bytes):
            return
        path = os.path.abspath(os.fsdecode(arguments[0]))  # noqa: PTH100 - pathlib is not loaded here
        parts = path.split("/")
        of_others = parts[1] == "proc" and parts[2:3] not in ([], ["self"], [str(os.getpid())])
        outside = not any(path == folder or path.startswith(folder.rstrip("/") + "/") for folder in folders)
        if parts[-1] in _TEACHERS or (of_others if event == "open" else outside):
            _tried.append(os.fsdecode(arguments[0]))

    sys.addaudithook(hook)


def _guarded(path: str, work: Any) -> dict[str, Any]:
    """Return the result of the work, or the error that ended it."""
    _tried.clear()
    try:
        result = work()
        return {"error": f"it tried to read {_tried[0]}"[:MOST_CHARACTERS]} if _tried else {"result": result}
    except BaseException as error:
        return {"error": _in_words(path, error)}


def _in_words(path: str, error: BaseException) -> str:
    try:
        if isinstance(error, MemoryError):
            return OUT_OF_MEMORY
        line = ""
        trace = error.__traceback__
        while trace:
            if trace.tb_frame.f_code.co_filename == path:
                line = f", line {trace.tb_lineno}"
            trace = trace.tb_next
        if isinstance(error, SyntaxError) and error.lineno:
            line = f", line {error.lineno}"
        return f"{type(error).__name__}{line}: {error}"[:MOST_CHARACTERS]
    except BaseException:  # the error's own text raises an error
        return type(error).__name__


def _answer(answers: BinaryIO, answer: dict[str, Any]) -> None:
    try:
        row = json.dumps(answer, default=_plain)
    except BaseException as error:
        row = json.dumps({"error": f"it gave no valid answer: {type(error).__name__}: {error}"[:MOST_CHARACTERS]})
    answers.write(row.encode() + b"\n")
    answers.flush()


def _plain(value: Any) -> Any:
    """Return a NumPy number as Python's own, and any other iterable as a list."""
    return value.item() if hasattr(value, "item") else list(value)
