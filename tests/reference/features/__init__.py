"""Every feature from its definition, one small function each, in the files of native/include/blockfall/features.

A test fails when a registered feature has none here.
"""

from tests.reference.features import cells, columns, heights, holes, move, transitions, wells
from tests.reference.features.position import FEATURES, Placed, Position

__all__ = ["FEATURES", "Placed", "Position", "cells", "columns", "heights", "holes", "move", "transitions", "wells"]
