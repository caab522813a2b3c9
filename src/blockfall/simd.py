"""The instruction set that games are played with: the machine's widest, or the one in BLOCKFALL_SIMD."""

import os
import sys
from functools import cache

from blockfall import _core
from blockfall.errors import SettingError, shortened

VARIABLE = "BLOCKFALL_SIMD"
ALL = ("scalar", "avx2", "avx512", "neon")


def simd_levels() -> list[str]:
    """Return the instruction sets that this machine can run, narrowest first."""
    return _core.simd_levels()


def simd() -> str:
    """Return the instruction set that this process plays with. BLOCKFALL_SIMD is read on the first call."""
    _obey_variable()
    return _core.simd()


def check_simd(wanted: str, what: str = "simd") -> str:
    """Return the wanted instruction set, or the widest one if this machine lacks it.

    `what` names the setting in errors.
    """
    widest = simd_levels()[-1]
    if wanted not in ALL:
        raise SettingError(f"{what} is {shortened(wanted)}; it must be one of {', '.join(ALL)}")
    if wanted not in simd_levels():
        # Every instruction set plays the same games, so the result is the same.
        print(f"blockfall: this machine has no {wanted}; playing the same games with {widest}", file=sys.stderr)
        return widest
    return wanted


@cache
def _obey_variable() -> None:
    wanted = os.environ.get(VARIABLE)
    if wanted:
        _core.use_simd(check_simd(wanted, VARIABLE))
