"""Waiting for what another process does. Nothing here depends on how fast the machine is: a wait
ends as soon as it can, and gives up when nobody would wait any longer."""

import time

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
