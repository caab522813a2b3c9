"""Show the examples of docstrings as code: mkdocstrings takes lines that begin with `>>>` for quotations."""

import re
from typing import Any

from griffe import Extension

EXAMPLE = re.compile(r"(?:^>>> .*\n(?:^(?!\s*$).*\n?)*)", re.MULTILINE)


class Examples(Extension):  # type: ignore[misc]  # griffe is installed by `make docs` only
    """Put a fence around every example."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        """Handle an object that Griffe has read."""
        if obj.docstring:
            obj.docstring.value = fenced(obj.docstring.value)


def fenced(text: str) -> str:
    """Return the text with a fence around each example.

    >>> print(fenced("Adds.\\n\\n>>> 1 + 1\\n2"))
    Adds.
    <BLANKLINE>
    ```pycon
    >>> 1 + 1
    2
    ```
    <BLANKLINE>
    """
    return EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text + "\n")
