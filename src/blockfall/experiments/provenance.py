"""What made a study's figures: command, seed, budget, version and behaviour signature.

>>> made = Provenance("blockfall study ist2015 --budget full --seed 1", 1, "full", "1.0", {"ist-tetris best": "0a"})
>>> print(made)
Made by `blockfall study ist2015 --budget full --seed 1`, version 1.0, behaviour signature 155a10f9 (1 entry).
>>> provenance_from(made.as_json()) == made
True
"""

from dataclasses import asdict, dataclass
from typing import Any

from blockfall.experiments.signature import Signature, short


@dataclass(frozen=True)
class Provenance:
    """The program and the settings that made some figures. `signature` has the entries that the figures rest on."""

    command: str
    seed: int
    budget: str
    version: str
    signature: Signature

    def __str__(self) -> str:
        count = len(self.signature)
        entries = f"{count} entr{'y' if count == 1 else 'ies'}"
        return (
            f"Made by `{self.command}`, version {self.version}, "
            f"behaviour signature {short(self.signature)} ({entries})."
        )

    def as_json(self) -> dict[str, Any]:
        """The fields as report.json has them."""
        return asdict(self)


def provenance_from(fields: dict[str, Any]) -> Provenance:
    """The provenance whose `as_json` gave these fields."""
    return Provenance(**fields)
