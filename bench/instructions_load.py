#!/usr/bin/env python3
"""How many instructions kitbag executes per message of 100 B: instructions_load.py BUILD FROM TO
PATH PHASE. Valgrind counts them, so that a busy machine changes nothing. The start of the program
is not in it: counted is what twice as many messages take in addition."""

import json
import subprocess
import sys
from pathlib import Path

MESSAGES = 100_000


def prepare(build, bag, folder):
    """Two bags, one with twice as many messages."""
    folder.mkdir(exist_ok=True)
    for times in (1, 2):
        target = folder / f"{times}.{bag}"
        if target.exists():
            continue
        whole = folder / "whole.mcap"
        if not whole.exists():
            subprocess.run([build / "bench" / "kitbag_mcap", "a", "none", whole, "write"],
                           check=True, capture_output=True)
        subprocess.run([build / "kitbag", "convert", whole, target, "--compression", "none",
                        "--count", str(times * MESSAGES)], check=True, capture_output=True)


def instructions(command, folder):
    counts = folder / "callgrind.out"
    subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}", *command],
                   check=True, capture_output=True)
    with counts.open() as lines:
        return next(int(line.split()[1]) for line in lines
                    if line.startswith(("summary:", "totals:")))


def executed(build, bag, to, folder, times):
    source = folder / f"{times}.{bag}"
    if to == "text":
        return instructions([build / "kitbag", "cat", source], folder)
    target = folder / f"out.{to}"
    target.unlink(missing_ok=True)
    return instructions([build / "kitbag", "convert", source, target, "--compression", "none"],
                        folder)


def main():
    build, bag, to, path, phase = sys.argv[1:]
    build = Path(build)
    folder = Path(path).with_name("instructions")
    if phase == "prepare":
        prepare(build, bag, folder)
        return
    once, twice = (executed(build, bag, to, folder, times) for times in (1, 2))
    print(json.dumps({"messages": MESSAGES, "instructions": twice - once}))


if __name__ == "__main__":
    main()
