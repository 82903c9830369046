#!/usr/bin/env python3
"""300 bags at once, as a side of `./dev bench many`: kitbag's program, and a shell loop around
Debian's rosbag, which starts once for each bag.

The loop handles the first 30 of the 300 bags; its seconds are then counted ten times. So its
figures are what 300 bags take if each takes as long as these do. Each bag is one second of the
simulated robot: 12 topics, 230 messages, 1.1 MB.

* find: the names of the bags that have /battery.
* compress: a bag with lz4 of each, in another folder; kitbag with two jobs.

usage: many_load.py BUILD SIDE FILE PHASE; the bags are in a folder beside FILE"""

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

BAGS = 300
PART = 30
SCRIPTS = {
    ("kitbag", "find"): "kitbag find in --topics /battery",
    ("kitbag", "compress"): "kitbag convert in/*.bag --output-dir out -j 2 --compression lz4",
    ("rosbag", "find"): 'for bag in in/*.bag; do rosbag info -y -k topics "$bag" |'
                        ' grep -q "topic: /battery$" && echo "$bag"; done',
    ("rosbag", "compress"): 'mkdir -p out; for bag in in/*.bag;'
                            ' do rosbag compress -q --lz4 --output-dir=out "$bag"; done',
}


def prepare(program, folder, count):
    """`count` bags in `folder`/in; kitbag writes them."""
    bags = folder / "in"
    if len(list(bags.glob("*.bag"))) == count:
        return
    shutil.rmtree(folder, ignore_errors=True)
    bags.mkdir(parents=True)
    for seed in range(count):
        subprocess.run([program, "convert", f"demo://?seconds=1&seed={seed}",
                        bags / f"{seed:03}.bag"], check=True, stdout=subprocess.DEVNULL)


def run(side, phase, folder, path):
    """The result: how many bags were found or written."""
    script = SCRIPTS[side, phase]
    done = subprocess.run(["bash", "-c", script], cwd=folder, check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1"})
    return done.stdout.count("\n") if phase == "find" else len(list((folder / "out").iterdir()))


def main():
    build, side, file, phase = sys.argv[1:]
    program = Path(build).resolve() / "kitbag"
    count = BAGS if side == "kitbag" else PART
    folder = Path(file).parent / f"many_{count}"
    prepare(program, folder, count)
    shutil.rmtree(folder / "out", ignore_errors=True)
    os.sync()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    handled = run(side, phase, folder, f"{program.parent}:{os.environ['PATH']}")
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if handled != count:
        raise SystemExit(f"{side} {phase}: {handled} bags of {count}")
    times = BAGS // count
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps({"messages": BAGS, "wall_s": wall * times, "cpu_s": cpu * times}))


if __name__ == "__main__":
    main()
