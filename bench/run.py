#!/usr/bin/env python3
"""Measures kitbag against the real peers: prints a table, writes results.json, and a summary of it
to results.md and results.svg.

Every program runs in a process of its own, kitbag and the peers in turn, and the medians count.
groups.py lists what can be measured, and rows.py says what a row is. `met` is worked out from the
target; a target that is missed needs its reason in reasons.py, or the run ends with an error.
"""

import argparse
import shutil
import sys
from pathlib import Path

from groups import GROUPS
from results import kept_rows, machine, print_table, write_results
from rows import make_row
from runner import Programs

ROOT = Path(__file__).resolve().parent.parent


def measure_group(group, options, folder):
    plugin = GROUPS[group].plugin
    if plugin and not (options.build / "plugins" / f"{plugin}.so").exists():
        print(f"{group}: {plugin} could not be built; left out", file=sys.stderr)
        return
    if not shutil.which(GROUPS[group].program or sys.executable):
        print(f"{group}: {GROUPS[group].program} is not installed; left out", file=sys.stderr)
        return
    npm = GROUPS[group].npm
    if npm and not (ROOT / npm / "node_modules").exists():
        print(f"{group}: {npm} has no npm packages; left out", file=sys.stderr)
        return
    if GROUPS[group].needs_python and not list(options.build.glob("python/kitbag/_kitbag*.so")):
        print(f"{group}: the Python module is not built; left out", file=sys.stderr)
        return
    programs = Programs(group, options.build, folder)
    if not programs.peers:
        print(f"{group}: no real peer is installed; measuring without it", file=sys.stderr)
    for work in GROUPS[group].work():
        print(f"  {work.name} ...", file=sys.stderr)
        reports = programs.measure(work, GROUPS[group].runs or options.runs)
        ours = reports.pop("kitbag")
        limits = {peer.name for peer in programs.peers if peer.is_limit or peer.is_bare}
        for metric in work.metrics:
            for peer, theirs in reports.items() or [(None, [])]:
                yield make_row(work, metric, ours, peer, theirs, peer in limits)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of: {', '.join(GROUPS)}")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--runs", type=int, default=5, help="of each program (default 5)")
    options = parser.parse_args()
    groups = options.groups or list(GROUPS)
    if unknown := set(groups) - set(GROUPS):
        parser.error(f"no such group: {', '.join(unknown)}")
    result = {"machine": machine(), "rows": []}
    folder = options.build / "bench" / "bags"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        for group in groups:
            result["rows"] += measure_group(group, options, folder)
    finally:
        shutil.rmtree(folder)
    print_table(result["rows"])
    unexplained = [row for row in result["rows"] if row["met"] is False and "why" not in row]
    result["rows"] += kept_rows(groups)
    write_results(result)
    for row in unexplained:
        print(f"missed without a reason: {row['work']}: {row['metric']}", file=sys.stderr)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
