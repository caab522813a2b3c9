"""The parent's side of a submission's process: calls with a time limit, and the faults that end them."""

import json
import os
import selectors
import signal
import site
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import blockfall
from blockfall.errors import BlockfallError, SettingError
from blockfall.teaching.child import OUT_OF_MEMORY
from blockfall.teaching.confinement import Confinement
from blockfall.validation import visible

MOST_BYTES = 1 << 20
"""The longest answer in bytes."""
_START_SECONDS = 30.0
_CPU_SECONDS = 24 * 3600  # the parent's clock acts first, unless the parent was killed
_SOURCE = str(Path(blockfall.__file__).parent.parent)
_BEGIN = "from blockfall.teaching.child import main; main()"


class SubmissionError(BlockfallError):
    """A fault of a submission, described for its author."""


class Sandbox:
    """One submission's process. It survives errors in the function but no other fault. Use it in a `with` block."""

    def __init__(self, file: Path, function: str, *, seconds: float, memory_mb: int, packages: bool) -> None:
        """Start the process and load the file. The submission sees no other folder of the user's."""
        if sys.platform == "win32":
            raise SettingError("grading needs Linux or macOS: submissions cannot be confined on Windows")
        self._process = subprocess.Popen(
            _command(packages),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PATH": os.defpath, "LANG": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"},
            cwd=file.parent,
            start_new_session=True,
        )
        self._read = b""
        setup = {
            "folder": str(file.parent),
            "file": str(file),
            "function": function,
            "source": None if packages else _SOURCE,
            "readable": readable(packages),
            "memory_bytes": memory_mb << 20,
            "cpu_seconds": _CPU_SECONDS,
        }
        try:
            for stream in (self._process.stdin, self._process.stdout):
                assert stream
                os.set_blocking(stream.fileno(), False)
            self.confinement = Confinement(**self._ask(setup, _START_SECONDS, "it did not start"))
            self._result(self._hear(time.monotonic() + seconds, f"not loaded within {seconds:g} s"))
        except BaseException:
            self.close()
            raise

    def call(self, arguments: Sequence[object], seconds: float, late: str = "") -> Any:
        """Return the function's answer to these arguments. Raise a SubmissionError if it does not come in time.

        `late` describes that fault, for a caller whose seconds are the rest of a longer time.
        """
        return self._result(self._ask(arguments, seconds, late or f"no answer within {seconds:g} s"))

    def close(self) -> None:
        """End the process and any that it started."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                stream.close()

    @property
    def closed(self) -> bool:
        """True if the process has ended."""
        return self._process.poll() is not None

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, message: object, seconds: float, late: str) -> dict[str, Any]:
        until = time.monotonic() + seconds
        self._say(json.dumps(message).encode() + b"\n", until, late)
        return self._hear(until, late)

    def _say(self, data: bytes, until: float, late: str) -> None:
        stream = self._process.stdin
        assert stream
        while data:
            self._wait(stream, selectors.EVENT_WRITE, until, late)
            try:
                data = data[os.write(stream.fileno(), data) :]
            except BlockingIOError:
                continue
            except OSError:
                raise self._ended() from None

    def _hear(self, until: float, late: str) -> dict[str, Any]:
        stream = self._process.stdout
        assert stream
        while b"\n" not in self._read:
            self._wait(stream, selectors.EVENT_READ, until, late)
            try:
                data = os.read(stream.fileno(), 1 << 16)
            except BlockingIOError:
                continue
            if not data:
                raise self._ended()
            self._read += data
            if len(self._read) > MOST_BYTES:
                raise self._fault(f"its answer has more than {MOST_BYTES >> 20} MiB")
        row, _, self._read = self._read.partition(b"\n")
        try:
            answer = json.loads(row)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise self._fault("it wrote rubbish instead of an answer")
        return answer

    def _wait(self, stream: IO[bytes], event: int, until: float, late: str) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(stream, event)
            left = until - time.monotonic()
            if left <= 0 or not selector.select(left):
                raise self._fault(late)

    def _result(self, answer: dict[str, Any]) -> Any:
        if "result" in answer:
            return answer["result"]
        if not isinstance(answer.get("error"), str):
            raise self._fault("it wrote rubbish instead of an answer")
        if answer["error"] == OUT_OF_MEMORY:  # it may still hold the memory
            self.close()
        raise SubmissionError(visible(answer["error"]))

    def _ended(self) -> SubmissionError:
        try:
            code = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return self._fault("it closed its streams")
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return self._fault(f"its process ended with {how}")

    def _fault(self, why: str) -> SubmissionError:
        self.close()
        return SubmissionError(why)


def readable(packages: bool) -> list[str]:
    """Return the folders of Python itself, with `packages` also those of the installed packages."""
    ours = [sys.base_prefix, sys.base_exec_prefix, "/usr/lib", "/lib", "/lib64", "/etc/ld.so.cache"]
    return list(dict.fromkeys([*ours, *([*site.getsitepackages(), _SOURCE] if packages else [])]))


def _command(packages: bool) -> list[str]:
    """Return a command for Python, with or without the installed packages, but never with the user's settings."""
    if packages:
        return [sys.executable, "-P", "-s", "-c", _BEGIN]
    return [sys.executable, "-P", "-s", "-S", "-c", f"import sys; sys.path.insert(0, {_SOURCE!r}); {_BEGIN}"]
