"""The page Play: Tetris by keys, Hopeless and SameGame by clicks."""
