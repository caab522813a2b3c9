"""The command line as a process of its own."""

import sys

# A shell that starts the tests in the background lets them, and so this, ignore interrupts.
_HEED_INTERRUPTS = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"

PROGRAM = [sys.executable, "-c", f"{_HEED_INTERRUPTS}; from blockfall.cli import main; main()"]
