"""Shared parts of pages: controls, charts, the board, and the work behind them."""
