"""What pages share: controls, charts, the board, and the work behind them."""
