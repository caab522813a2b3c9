"""The reasons for a placement: its features, weights and shares, and bars against the next best."""

from html import escape

from nicegui import ui

from blockfall.agents import Agent
from blockfall.app.parts.cards import term
from blockfall.app.parts.reasons import Reason, reasons
from blockfall.games.explanation import Explained


class Why:
    """The reasons as one piece of HTML, so that an update is a single message."""

    def __init__(self) -> None:
        self._head = ui.label().classes("bf-soft")
        self._reasons = ui.html(sanitize=False).classes("bf-why-box")
        self.say("")

    def say(self, text: str) -> None:
        """Show a text instead of the reasons."""
        self._head.text = text
        self._reasons.content = ""

    def show(self, agent: Agent, one: Explained, other: Explained | None, against: str = "the next best") -> None:
        """Show the reasons for a placement against another one, described by `against`."""
        found = reasons(agent, one, other)
        self._head.text = _headline(agent, one, other, against)
        self._reasons.content = _html(found) if found else ""


def _headline(agent: Agent, one: Explained, other: Explained | None, against: str) -> str:
    if one.value is None:
        return "Every sequence of placements that starts here loses."
    worth = f"Worth {one.value:,.2f}"
    if other is None:
        worth += "; there is no other placement."
    elif other.value is None:
        worth += f"; {against} loses."
    else:
        worth += f", {one.value - other.value:+,.2f} against {against}."
    return f"{worth} {agent.value.explainer.remark}".rstrip()


def _html(found: list[Reason]) -> str:
    weighed = found[0].weight is not None
    compared = any(reason.ahead is not None for reason in found)
    most = max((abs(reason.ahead) for reason in found if reason.ahead is not None), default=0.0) or 1.0
    heads = [
        "feature",
        "value",
        *(["weight", "share"] if weighed else []),
        *(["difference"] if compared else []),
    ]
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    body = "".join(_row(reason, most) for reason in found)
    return f'<table class="bf-why"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _row(reason: Reason, most: float) -> str:
    cells = [f'<th scope="row">{term("feature", reason.feature)}</th>', f"<td>{reason.value:g}</td>"]
    if reason.weight is not None and reason.share is not None:
        cells += [f"<td>{reason.weight:.4g}</td>", f"<td>{reason.share + 0.0:+,.2f}</td>"]
    if reason.ahead is not None:
        cells.append(f"<td>{_bar(reason.ahead, most)}</td>")
    return f"<tr>{''.join(cells)}</tr>"


def _bar(ahead: float, most: float) -> str:
    """Draw a bar from the middle: to the right if the feature favours the placement, else to the left."""
    side = "for" if ahead >= 0 else "against"
    text = f"{ahead:+,.2f}" if ahead else "0"
    part = f"--part:{50 * abs(ahead) / most:.1f}%"
    return f'<div class="bf-bar bf-bar-{side}" style="{part}"><i></i><span>{text}</span></div>'
