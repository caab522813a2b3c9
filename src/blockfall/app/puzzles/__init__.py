"""The page Puzzles: positions in which one placement is far better than the obvious one."""
