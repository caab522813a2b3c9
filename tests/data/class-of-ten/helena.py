"""Hostile: reads the answers, writes and deletes files, uses the network, stops others."""

import os
import socket
import subprocess


def solve(board, seconds):
    here = os.path.dirname(__file__)
    tries = {
        "read": lambda: open("/etc/passwd").read(),
        "parent": lambda: open(f"/proc/{os.getppid()}/environ").read(),
        "list": lambda: os.listdir("/"),
        "write": lambda: open(os.path.join(here, "note"), "w"),
        "delete": lambda: os.unlink(__file__),
        "kill": lambda: os.kill(os.getppid(), 9),
        "network": lambda: socket.create_connection(("127.0.0.1", 80), 1),
        "program": lambda: subprocess.run(["true"]),
        "answers": lambda: [frame for frame in __import__("sys")._current_frames().values() if "seed" in frame.f_locals],
    }
    done = []
    for name, attempt in tries.items():
        try:
            if attempt():
                done.append(name)
        except (OSError, ValueError):
            pass
    raise RuntimeError(f"could do: {done}")
