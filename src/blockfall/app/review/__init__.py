"""The page Review: a game placement by placement, beside what an agent would have played."""
