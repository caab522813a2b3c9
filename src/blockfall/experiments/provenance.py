"""The provenance of a study's figures: command, seed, budget, version and behaviour signature.

>>> made = Provenance("blockfall study ist2015 --budget full --seed 1", 1, "full", "1.0", {"ist-tetris best": "0a"})
>>> print(made)
Made by "blockfall study ist2015 --budget full --seed 1", version 1.0, behaviour signature 155a10f9 (1 entry).
>>> provenance_from(made.as_json()) == made
True
"""

import zlib
from dataclasses import asdict, dataclass
from typing import Any

Signature = dict[str, str]
"""The digest of each entry. An entry's name is `RULES AGENT`, `GAME ALGORITHM` or `RULES TRAINER`."""


@dataclass(frozen=True)
class Provenance:
    """The program and the settings that made some figures. `signature` has the entries that the figures depend on."""

    command: str
    seed: int
    budget: str
    version: str
    signature: Signature

    def __str__(self) -> str:
        count = len(self.signature)
        entries = f"{count} entr{'y' if count == 1 else 'ies'}"
        return (
            f'Made by "{self.command}", version {self.version}, '
            f"behaviour signature {short(self.signature)} ({entries})."
        )

    def as_json(self) -> dict[str, Any]:
        """Return the fields as in report.json."""
        return asdict(self)


def provenance_from(fields: dict[str, Any]) -> Provenance:
    """Return the provenance of these fields, which its `as_json` gave."""
    return Provenance(**fields)


def changes(before: Signature, after: Signature) -> list[str]:
    """Return a sentence on each entry that differs.

    >>> changes({"nes lee": "1", "nes bdu": "2"}, {"nes lee": "3", "sz lee": "4"})
    ['nes lee: 1 is now 3', 'nes bdu: 2 is gone', 'sz lee: new']
    """
    said = [
        f"{name}: {digest} is {f'now {after[name]}' if name in after else 'gone'}"
        for name, digest in before.items()
        if after.get(name) != digest
    ]
    return said + [f"{name}: new" for name in after if name not in before]


def written(entries: Signature) -> str:
    """Return the entries as text, one after another: `RULES AGENT DIGEST` and so on."""
    return "".join(f"{name} {digest}\n" for name, digest in entries.items())


def read(text: str) -> Signature:
    """Return the entries from a text that `written` gave."""
    return dict(entry.rsplit(" ", 1) for entry in text.splitlines())


def short(entries: Signature) -> str:
    """Return one short digest of all entries."""
    return f"{zlib.crc32(written(entries).encode()):08x}"
