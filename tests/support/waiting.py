"""Waiting for what another process does. Nothing here depends on how fast the machine is: a wait
ends as soon as it can, and gives up when nobody would wait any longer."""

import re
import signal
import time
from pathlib import Path

PATIENCE_S = 60
LOOK_S = 0.02


def until(seen, what="what was awaited", *processes):
    """The first truth that `seen` gives. Fails if it has not come in PATIENCE_S, or if one of the
    processes, which should be at work, has ended."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := seen()):
        for process in processes:
            if process.poll() is not None:
                raise AssertionError(f"{what} never came: {process.args} has ended, with exit code "
                                     f"{process.returncode}")
        if time.monotonic() > deadline:
            raise AssertionError(f"{what} never came")
        time.sleep(LOOK_S)
    return found


def takes_interrupts(process):
    """Whether the program has come so far that Ctrl-C ends its work and does not kill it: it has a
    handler, or a thread that waits for signals which all threads block."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    masks = re.findall(r"^Sig(?:Blk|Cgt):\s*(\w+)", status, re.MULTILINE)
    return any(int(mask, 16) >> (signal.SIGINT - 1) & 1 for mask in masks)
