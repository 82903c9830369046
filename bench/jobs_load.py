#!/usr/bin/env python3
"""300 bags converted by `kitbag batch`, as a side of `./dev bench jobs`: with two processes of this
machine, and by a real Slurm with two nodes that are this machine. Beside it, a shell loop that
starts `kitbag convert` for each bag.

The overhead of a bag is what the batch takes longer than `kitbag convert -j 2` with all bags in one
process, divided by their number. Each bag is one second of the simulated robot: 12 topics, 230
messages, 1.1 MB.

usage: jobs_load.py BUILD SIDE FILE PHASE; the bags are in a folder beside FILE"""

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

from many_load import BAGS, prepare

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from slurm import Slurm  # noqa: E402

PLAIN = "kitbag convert in/*.bag --output-dir out -j 2 --compression lz4"
BATCH = "kitbag batch convert --from in --to out {} -- --compression lz4"
SCRIPTS = {
    ("kitbag", "local"): BATCH.format("--on local -j 2"),
    ("kitbag", "slurm"): BATCH.format("--on slurm"),
    ("loop", "local"): 'mkdir -p out; for bag in in/*.bag;'
                       ' do kitbag convert "$bag" -o "out/${bag##*/}" --compression lz4; done',
}


def run(script, folder, environment):
    """How long it takes: by the clock, and of the processors."""
    for leftover in [folder / "out", *folder.glob("slurm-*.out")]:
        if leftover.is_dir():
            shutil.rmtree(leftover)
        else:
            leftover.unlink(missing_ok=True)
    os.sync()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    subprocess.run(["bash", "-c", script], cwd=folder, check=True, env=environment,
                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    written = len(list((folder / "out").glob("*.bag")))
    if written != BAGS:
        raise SystemExit(f"{script}: {written} bags of {BAGS}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    build, side, file, phase = sys.argv[1:]
    program = Path(build).resolve() / "kitbag"
    folder = Path(file).parent / f"many_{BAGS}"
    prepare(program, folder, BAGS)
    environment = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    report = {"messages": BAGS}
    if side == "kitbag":
        plain, _ = run(PLAIN, folder, environment)
    cluster = None
    if phase == "slurm":
        place = Path(file).parent / "slurm"
        shutil.rmtree(place, ignore_errors=True)
        cluster = Slurm(place)
        environment |= cluster.of_tasks
    try:
        report["wall_s"], report["cpu_s"] = run(SCRIPTS[side, phase], folder, environment)
    finally:
        if cluster:
            cluster.end()
    if side == "kitbag":
        report["overhead_s"] = max(report["wall_s"] - plain, 0) / BAGS
    print(json.dumps(report))


if __name__ == "__main__":
    main()
