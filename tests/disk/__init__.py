"""Failing disks: a shim between a program and its files, and the state of the files after a power cut."""

GAMES = "[games]\ntraining = 1\nvalidation = 2\ntest = 3\nmax_pieces = 30\n"
NETWORK = (
    'rules = "nes-no-rotation"\nfeatures = ["holes"]\nhidden = [2]\npieces_known = 1\nrestarts = {restarts}\n'
    '[learning]\nname = "n-step"\nactions = 60\nwarm_up = 10\nstages = 2\nqueue = 1000\nsample = 4\nbatch = 4\n'
)
FILES = ("result.json", "agent.json")
"""The files of a finished run."""
