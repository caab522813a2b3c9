"""Experiments that can be trusted: runs, their training and testing, and the statistics of their figures."""
