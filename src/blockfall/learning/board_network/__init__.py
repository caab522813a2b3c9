"""A board network that learns from its own games, with PyTorch (the extra `learn`)."""
