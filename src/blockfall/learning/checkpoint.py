"""A learner's state in a file: arrays in NumPy's .npz, never pickled. The file is either whole or absent."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from blockfall.errors import FileError
from blockfall.files import write_atomically
from blockfall.validation import visible

Arrays = dict[str, npt.NDArray[Any]]

_MOST_BYTES = 8 * 1024**3


def save(path: Path, arrays: Arrays) -> None:
    """Write the arrays. The file is either whole or absent."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    write_atomically(path, buffer.getvalue())


def load(path: Path) -> Arrays | None:
    """Return the arrays; None if there is no such file."""
    if not path.exists():
        return None
    if path.stat().st_size > _MOST_BYTES:
        raise FileError(f"{path}: larger than 8 GiB")
    try:
        with np.load(path, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except Exception as error:  # a damaged one can fail anywhere in zipfile and in NumPy's parser of headers
        raise damaged(path, f"it cannot be read: {visible(str(error))}") from None


def restore(path: Path, set_state: Callable[[Arrays], None]) -> Arrays | None:
    """Go back to a checkpoint by `set_state`, which may raise a ValueError. Return its arrays; None without a file."""
    arrays = load(path)
    if arrays is not None:
        try:
            set_state(arrays)
        except ValueError as error:
            raise damaged(path, str(error)) from None
    return arrays


def damaged(path: Path, why: str) -> FileError:
    """Return the error to raise for an unusable checkpoint."""
    return FileError(f"{path}: not a checkpoint of this run: {why}; delete it, and the restart begins again")
