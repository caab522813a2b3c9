"""A user's TOML and JSON files, read into checked models. An error is one line that names the file, line and key."""

import io
import json
import math
import os
import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.fields import FieldInfo

from blockfall import deprecated
from blockfall.errors import FileError, SettingError, shortened
from blockfall.files import file_errors


class Model(BaseModel):
    """The keys of a user's file. An unknown key is an error. A field's description says which values are allowed."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _takes_old_names(cls, keys: object) -> object:
        return deprecated.current_keys(cls.__name__, keys) if isinstance(keys, dict) else keys


class Settings(Model):
    """Settings that come from files or from Python code. From code, a wrong one is a SettingError."""

    def __init__(self, **settings: Any) -> None:
        try:
            super().__init__(**settings)
        except ValidationError as error:
            name = type(self).__name__
            raise SettingError(_first_fault(error, type(self), name, "", "")) from None

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # so that `check` skips it

    @model_validator(mode="before")
    @classmethod
    def _lists_are_tuples(cls, settings: object) -> object:
        if not isinstance(settings, dict):
            return settings
        return {key: tuple(value) if isinstance(value, list) else value for key, value in settings.items()}


def whole_number(least: int, most: int, default: Any = ..., more: str = "", title: str | None = None) -> Any:
    """Return a model's field for a whole number between two limits. Without a default it is required."""
    text = f"a whole number from {least} to {most}{more}"
    return Field(default, title=title, ge=least, le=most, description=text)


AnyModel = TypeVar("AnyModel", bound=Model)

MAX_BYTES = 16 * 1024 * 1024
"""The largest file that is read."""
_PIECE = 1 << 20
_LONGEST_KEY = 100  # characters of a key that an error shows
_LARGEST_WEIGHT = 3e38  # weights are binary32 in the core


def usable_weight(weight: float) -> float:
    """Return the weight. Raise ValueError if it is not finite or does not fit the core's numbers."""
    if not math.isfinite(weight) or abs(weight) > _LARGEST_WEIGHT:
        raise ValueError(f"{weight} is not a weight; it must be a finite number")
    return weight


def read_text(path: Path) -> str:
    """Return the text of a file. Raise FileError if it cannot be read, is too large or is not text."""
    try:
        with file_errors(path), path.open("rb") as file:
            data = b""
            while len(data) <= MAX_BYTES and (more := file.read(_PIECE)):  # a device has no size, and may have no end
                data += more
        if len(data) > MAX_BYTES:
            raise FileError(f"{path}: the file is larger than 16 MiB")
        return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig").read()  # some editors write a mark first
    except UnicodeDecodeError:
        raise FileError(f"{path}: not a text file") from None
    except ValueError:  # a null character, or half of a surrogate pair
        raise FileError(f"{shortened(str(path))}: not a possible file name") from None


def read_bytes(path: Path, count: int) -> bytes:
    """Return the content of a file. Raise FileError if it does not have `count` bytes."""
    with file_errors(path), path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size  # 0 for a device
        data = file.read(count) if size == count else b""
    if len(data) != count:
        more = "more" if size > count else "fewer"
        raise FileError(f"{path}: it has {more} than the {count:,} bytes that it must have")
    return data


@contextmanager
def _parsing(kind: str, where: str) -> Iterator[None]:
    """Turn the errors of a parser into a FileError that names the file."""
    try:
        yield
    except json.JSONDecodeError as error:
        raise FileError(f"{where}: not JSON: {error.msg}, line {error.lineno}") from None
    except tomllib.TOMLDecodeError as error:
        raise FileError(f"{where}: not TOML: {error}") from None
    except RecursionError:
        raise FileError(f"{where}: the {kind} is nested too deeply") from None
    except ValueError:
        raise FileError(f"{where}: a number has too many digits") from None


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """Return the content of a TOML file. `where` names the file in errors."""
    with _parsing("TOML", where):
        return tomllib.loads(text)


def parse_json(text: str, where: str) -> Any:
    """Return the content of a JSON file. `where` names the file in errors. A repeated key is an error."""

    def refuse_constant(name: str) -> NoReturn:
        raise FileError(f"{where}: {name} is not a usable number")

    def refuse_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = dict(pairs)
        if len(keys) < len(pairs):
            twin = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
            raise FileError(f"{where}: the key {shortened(twin)} appears twice")
        return keys

    with _parsing("JSON", where):
        return json.loads(text, parse_constant=refuse_constant, object_pairs_hook=refuse_twins)


def check(
    model: type[AnyModel], content: Any, where: str, text: str = "", inside: str = "", context: object = None
) -> AnyModel:
    """Return the content of a file as a model. Raise FileError for the first fault.

    `where` names the file in errors, and `text` is its text, which gives the line numbers. `inside` names the part of
    the file that the content comes from. The model's validators see the `context`.
    """
    try:
        return model.model_validate(content, context=context)
    except ValidationError as error:
        raise FileError(_first_fault(error, model, where, text, inside)) from None


def _first_fault(error: ValidationError, model: type[Model], where: str, text: str, inside: str) -> str:
    # Name an unknown key before a missing one: the unknown key is usually the missing one, misspelt.
    order = {"extra_forbidden": 0, "missing": 2}
    fault = min(error.errors(), key=lambda fault: order.get(fault["type"], 1))
    path = [part for part in fault["loc"] if not isinstance(part, str) or not part.startswith("function-")]
    full_path = [inside, *path] if inside else path
    key = ".".join(str(part) for part in full_path) or "the file"
    key = key if len(key) <= _LONGEST_KEY else key[:_LONGEST_KEY] + "..."
    line = _line_of(text, [part for part in full_path if isinstance(part, str)])
    place = f"{where}, line {line}" if line else where
    if fault["type"] == "extra_forbidden":
        fields = _model_at(model, path[:-1]).model_fields
        known = ", ".join(file_key(name, field) for name, field in fields.items())
        return f"{place}: unknown key {key!r}; known: {known}"
    if fault["type"] == "missing":
        return f"{place}: {key!r} is missing; it must be {_allowed(model, path) or 'given'}"
    if fault["type"] == "value_error":
        return f"{place}: {key + ': ' if full_path else ''}{fault['ctx']['error']}"
    value = shortened(fault["input"])
    if fault["type"] == "finite_number":
        return f"{place}: {key} is {value}; it must be a finite number"
    allowed = _allowed(model, path)
    if allowed:
        return f"{place}: {key} is {value}; it must be {allowed}"
    return f"{place}: {key} is {value}: {fault['msg'][0].lower()}{fault['msg'][1:]}"


def visible(text: str, most: int = 300) -> str:
    """Return the text on one line, safe for a terminal: control characters become escapes, and a long text is cut.

    >>> visible("\\x1b[2Jme")
    '\\\\x1b[2Jme'
    """
    shown = text if len(text) <= most else text[:most] + "..."
    return "".join(mark if mark.isprintable() else ascii(mark)[1:-1] for mark in shown)


def _model_at(model: type[Model], path: list[str | int]) -> type[Model]:
    for part in path:
        field = _field(model, part)
        for kind in _types_in(field.annotation) if field else ():
            if isinstance(kind, type) and issubclass(kind, Model):
                model = kind
                break
    return model


def _types_in(annotation: Any) -> list[Any]:
    inner = [kind for argument in getattr(annotation, "__args__", ()) for kind in _types_in(argument)]
    return [annotation, *inner]


def _allowed(model: type[Model], path: list[str | int]) -> str | None:
    names = [part for part in path if isinstance(part, str)]
    for end in range(len(names), 0, -1):
        owner = _model_at(model, list(names[: end - 1]))
        if field := _field(owner, names[end - 1]):
            return field.description
    return None


def file_key(name: str, field: FieldInfo) -> str:
    """Return the key of a model's field in files."""
    return field.serialization_alias or name


def _field(model: type[Model], key: str | int) -> FieldInfo | None:
    """Return the field that a key of a file belongs to."""
    return next((field for name, field in model.model_fields.items() if key in (name, file_key(name, field))), None)


def _line_of(text: str, path: list[str]) -> int | None:
    """Return the number of the line of a TOML file that has a key, or of its header if the key is missing."""
    section: list[str] = []
    found = None
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*\[+\s*([^\]]+?)\s*\]+", line)
        if header and "=" not in line.split("#")[0]:
            section = [part.strip().strip("\"'") for part in header[1].split(".")]
            if section == path[: len(section)]:
                found = number
        key = re.match(r"\s*[\"']?([\w>-]+)[\"']?\s*=", line)
        if key and [*section, key[1]] == path[: len(section) + 1]:
            return number
    return found
