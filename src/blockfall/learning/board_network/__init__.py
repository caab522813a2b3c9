"""A network over the board that learns from its own games, with PyTorch (the extra `learn`)."""
