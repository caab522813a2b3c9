"""The figures of many games, added up slice by slice so that a batch of any length fits in memory."""

import math
from dataclasses import dataclass, field

from blockfall.compute.local import Evaluation
from blockfall.games.tetris import Termination


@dataclass
class Summary:
    """Sums are whole numbers, so the mean and the deviation do not depend on how the games were sliced."""

    games: int = 0
    lines: int = 0
    squared_lines: int = 0
    min: int = 0
    max: int = 0
    pieces: int = 0
    placements: int = 0
    score: int = 0
    clears: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    terminations: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0

    def add(self, played: Evaluation) -> None:
        lines = played.lines.tolist()
        self.min = min(lines) if self.games == 0 else min(self.min, *lines)
        self.max = max(self.max, *lines) if len(lines) > 1 else max(self.max, lines[0])
        self.games += len(lines)
        self.lines += sum(lines)
        self.squared_lines += sum(n * n for n in lines)
        self.pieces += int(played.pieces.sum())
        self.placements += int(played.placements.sum())
        self.score += sum(played.score.tolist())
        self.clears = [total + int(n) for total, n in zip(self.clears, played.clears.sum(axis=0), strict=True)]
        for end in Termination:
            if count := int((played.termination == end.value).sum()):
                name = end.name.lower().replace("_", "-")
                self.terminations[name] = self.terminations.get(name, 0) + count
        self.seconds += played.seconds

    @property
    def mean(self) -> float:
        return self.lines / self.games

    @property
    def std(self) -> float:
        """Of a sample: n - 1 in the denominator."""
        if self.games < 2:
            return 0.0
        return math.sqrt((self.games * self.squared_lines - self.lines**2) / (self.games * (self.games - 1)))

    @property
    def sem(self) -> float:
        return self.std / math.sqrt(self.games)

    @property
    def capped(self) -> int:
        return self.terminations.get("piece-limit", 0)

    def as_json(self) -> dict[str, object]:
        return {
            "games": self.games,
            "mean": self.mean,
            "std": self.std,
            "sem": self.sem,
            "min": self.min,
            "max": self.max,
            "lines": self.lines,
            "pieces": self.pieces,
            "placements": self.placements,
            "score_mean": self.score / self.games,
            "capped": self.capped,
            "clears": self.clears,
            "terminations": self.terminations,
            "seconds": self.seconds,
            "pieces_per_second": self.pieces / self.seconds,
            "placements_per_second": self.placements / self.seconds,
        }
