"""Forms built from settings models, and the values that visitors type into them.

>>> from blockfall.optimisers import Pso
>>> fields = {field.name: field for field in fields_of(Pso)}
>>> fields["particles"].default, fields["particles"].least, fields["particles"].most
(30, 2, 100000)
>>> fields["inertia"].read("0.7, 0.3")
[0.7, 0.3]
"""

import math
import re
import types
from dataclasses import dataclass, replace
from typing import Any, Literal, Union, get_args, get_origin

import annotated_types
from pydantic.fields import FieldInfo

from blockfall.errors import SettingError
from blockfall.validation import Model

FieldKind = Literal["whole", "number", "switch", "choice", "numbers", "text"]
_LONGEST_TEXT = 1000
_BOUNDS = re.compile(r"(a whole number)( from \d+ to \d+|, at least \d+|, \d+ or more)?")


@dataclass(frozen=True)
class FormField:
    """A form's field for a setting of a model."""

    name: str
    kind: FieldKind
    default: Any
    what: str
    """The allowed values, in words."""
    optional: bool = False
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    count: int | None = None
    """The number of values in the field; None for any."""
    wholes: bool = False
    """True if the numbers must be whole."""

    @property
    def label(self) -> str:
        """The name shown in the form."""
        return self.name.replace("_", " ").capitalize()

    @property
    def shown(self) -> Any:
        """The default, in an input's form."""
        return self.written(self.default)

    def written(self, value: Any) -> Any:
        """Return a value of the model in an input's form."""
        return ", ".join(f"{number:g}" for number in value or ()) if self.kind == "numbers" else value

    def problem(self, written: object) -> str | None:
        """Return what is wrong with an input, to show below the field, or None."""
        try:
            self.read(written)
        except SettingError:
            return f"It must be {self.what}."
        return None

    def up_to(self, most: int) -> "FormField":
        """Return the field with a smaller largest value, also in its hint.

        >>> FormField("games", "whole", 5, "a whole number, at least 1: per candidate", least=1).up_to(10).what
        'a whole number from 1 to 10: per candidate'
        """
        most = min(most, int(self.most)) if self.most is not None else most
        bounds = f"from {int(self.least or 0)} to {most}"
        return replace(self, most=most, what=_BOUNDS.sub(rf"\1 {bounds}", self.what, count=1))

    def read(self, written: object) -> Any:
        """Return a browser's input in the model's form; None for an empty optional field."""
        if written is None or (isinstance(written, str) and not written.strip()):
            if self.optional:
                return None
            if self.kind == "numbers" and self.count is None:
                return []
            raise SettingError(f"{self.label} is empty; it must be {self.what}")
        value = self._value(written)
        if value is None:
            said = f"{written:g}" if isinstance(written, float) else repr(written)[:40]
            raise SettingError(f"{self.label} is {said}; it must be {self.what}")
        return value

    def _value(self, written: object) -> Any:
        if self.kind == "switch":
            return written if isinstance(written, bool) else None
        if self.kind == "choice":
            return written if written in self.choices else None
        if self.kind == "text":
            return written[:_LONGEST_TEXT] if isinstance(written, str) else None
        if self.kind == "numbers":
            return self._numbers(str(written)[:_LONGEST_TEXT].split(","))
        number = _number(written)
        if number is None or not self._within(number):
            return None
        if self.kind == "whole":
            return int(number) if number == int(number) else None
        return number

    def _numbers(self, parts: list[str]) -> list[float] | list[int] | None:
        values = [value for value in map(_number, parts) if value is not None]
        if len(values) != (self.count or len(parts)) or (self.wholes and any(value % 1 for value in values)):
            return None
        return [int(value) for value in values] if self.wholes else values

    def _within(self, number: float) -> bool:
        return (self.least is None or number >= self.least) and (self.most is None or number <= self.most)


def fields_of(model: type[Model], without: tuple[str, ...] = ()) -> list[FormField]:
    """Return the fields of the model, in order, except those that a form cannot show."""
    found = (_field(name, info) for name, info in model.model_fields.items() if name not in without)
    return [field for field in found if field]


def _field(name: str, info: FieldInfo) -> FormField | None:
    kind_of, optional = _plain(info.annotation)
    kind, choices, count = _kind(kind_of)
    wholes = kind == "numbers" and float not in get_args(kind_of)
    if kind is None:
        return None
    bounds: dict[str, float] = {}
    for rule in info.metadata:
        if isinstance(rule, annotated_types.Ge):
            bounds["least"] = float(rule.ge)  # type: ignore[arg-type]
        elif isinstance(rule, annotated_types.Le):
            bounds["most"] = float(rule.le)  # type: ignore[arg-type]
    if kind == "whole":
        bounds = {key: int(value) for key, value in bounds.items()}
    default = info.get_default(call_default_factory=True)
    return FormField(
        name,
        kind,
        default,
        info.description or "",
        optional,
        bounds.get("least"),
        bounds.get("most"),
        choices,
        count,
        wholes,
    )


def _plain(annotation: Any) -> tuple[Any, bool]:
    """Return the type without None, and whether None is allowed."""
    if get_origin(annotation) in (Union, types.UnionType):
        others = [kind for kind in get_args(annotation) if kind is not types.NoneType]
        return (others[0], True) if len(others) == 1 else (None, True)
    return annotation, False


def _kind(annotation: Any) -> tuple[FieldKind | None, tuple[str, ...], int | None]:
    simple: dict[Any, FieldKind] = {int: "whole", float: "number", bool: "switch", str: "text"}
    if annotation in simple:
        return simple[annotation], (), None
    if get_origin(annotation) is Literal:
        return "choice", tuple(get_args(annotation)), None
    if get_origin(annotation) is tuple and set(get_args(annotation)) - {...} <= {int, float}:
        parts = get_args(annotation)
        return "numbers", (), None if ... in parts else len(parts)
    return None, (), None


def _number(written: object) -> float | None:
    if isinstance(written, bool):
        return None
    try:
        number = float(written) if isinstance(written, int | float) else float(str(written).strip())
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
