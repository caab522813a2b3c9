"""Every feature by its definition, one small function each, in files named as in native/include/blockfall/features.

A test fails if a registered feature has no definition here.
"""

from tests.reference.features import cells, columns, heights, holes, move, transitions, wells
from tests.reference.features.position import FEATURES, Placed, Position

__all__ = ["FEATURES", "Placed", "Position", "cells", "columns", "heights", "holes", "move", "transitions", "wells"]
