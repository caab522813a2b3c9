"""A form for the options of a game or of its search."""

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.validation_element import ValidationElement

from blockfall.app.parts import widgets
from blockfall.app.parts.choices import Kept
from blockfall.errors import BlockfallError, SettingError
from blockfall.games.protocol import Option, OptionValue

_LONGEST_TEXT = 40


class OptionsForm:
    """One field per option. It starts with the address's value (`asked`) or the visitor's last choice, if valid."""

    def __init__(
        self, options: Sequence[Option], kept: Kept | None = None, asked: Mapping[str, str] | None = None
    ) -> None:
        self._kept, self._asked = kept, asked or {}
        self._fields = {option: _field(option, self._usual(option)) for option in options}

    def hold(self) -> bool:
        """Validate every field; wrong ones say so below them."""
        return all(field.validate() for field in self._fields.values())

    def values(self) -> dict[str, OptionValue]:
        """Return the checked values by the options' names, and keep them for the next visit."""
        found = {option.name: _checked(option, field.value) for option, field in self._fields.items()}
        for name, value in found.items():
            if self._kept is not None:
                self._kept[name] = value
        return found

    def _usual(self, option: Option) -> OptionValue:
        kept = self._kept.get(option.name) if self._kept is not None else None
        for value in (self._asked.get(option.name), kept):
            try:
                if value is not None:
                    return _checked(option, value)
            except SettingError:
                pass
        return option.default


def _field(option: Option, value: OptionValue) -> ValidationElement[Any]:
    field: ValidationElement[Any]
    if option.choices:
        field = ui.select(list(option.choices), label=option.label, value=value, clearable=option.default is None)
    elif isinstance(option.default, int):
        assert isinstance(value, int)
        field = ui.number(option.label, value=value, min=option.least, max=option.most, precision=0)
    else:
        field = ui.input(option.label, value=str(value or "")).props(f"maxlength={_LONGEST_TEXT}")
    field.validation = lambda said: _problem(option, said)
    return field.props("hide-bottom-space").tooltip(option.what)


def _problem(option: Option, value: object) -> str | None:
    """Return what is wrong with a value, to show below its field, or None."""
    try:
        _checked(option, value)
    except BlockfallError as error:
        return widgets.sentence(error)
    return None


def _checked(option: Option, value: object) -> OptionValue:
    """Check a browser's value, which may not name files."""
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        raise SettingError(f"{option.label}: a text of {len(value)} characters; it has at most {_LONGEST_TEXT}")
    if option.choices and value is not None and value not in option.choices:
        raise SettingError(f"{option.label}: {str(value)[:40]!r}; choose one from the menu")
    return option.checked(value)
