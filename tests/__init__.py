"""The tests, in folders named like the rooms of `src/blockfall`; `core` tests the native module."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
"""The repository."""
