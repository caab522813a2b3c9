"""Experiments that can be trusted: what a run is, how it trains and is tested, and what its figures say."""
