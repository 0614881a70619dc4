#!/usr/bin/env python3
"""two_ranks.py WORD...: runs `python3 WORD...` as rank 0 and rank 1 of a job, like torchrun. Returns the worse exit
code."""
import os
import socket
import subprocess
import sys

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    PORT = free.getsockname()[1]
RANKS = [subprocess.Popen([sys.executable, *(word.replace("%RANK", str(rank)) for word in sys.argv[1:])],
                          env={**os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2",
                               "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(PORT)}) for rank in range(2)]
sys.exit(max(rank.wait() for rank in RANKS))
