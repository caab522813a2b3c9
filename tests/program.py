"""The command line as a process of its own."""

import sys

PROGRAM = [sys.executable, "-c", "from blockfall.cli import main; main()"]
