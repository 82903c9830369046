"""The output of a run: a table on the screen, all rows as JSON, and a summary of them."""

import json
import os
import platform
from pathlib import Path

import summary
from groups import GROUPS
from rows import describe, explain
from summary import number

RESULTS = Path(__file__).resolve().parent / "results.json"
TABLE = RESULTS.with_suffix(".md")
CHART = RESULTS.with_suffix(".svg")


def machine():
    def first(path, key):
        lines = Path(path).read_text().splitlines()
        return next((line.split(":", 1)[1].strip() for line in lines if line.startswith(key)), "")

    return {"cpu": first("/proc/cpuinfo", "model name"), "cores": os.cpu_count(),
            "memory": first("/proc/meminfo", "MemTotal"),
            "kernel": platform.release(), "system": first_line("/etc/debian_version"),
            "load_before": os.getloadavg()[0]}


def first_line(path):
    try:
        return "Debian " + Path(path).read_text().split()[0]
    except OSError:
        return platform.system()


def print_table(rows):
    width = max(len(row["work"]) for row in rows)
    print(f"{'work':{width}}  {'metric':23}  {'kitbag':>12} {'peer':>12} {'ratio':>8}  "
          f"{'unit':5} {'target':13} met  peer")
    for row in rows:
        met = {True: "yes", False: "NO", None: ""}[row["met"]]
        print(f"{row['work']:{width}}  {row['metric']:23}  {number(row['value']):>12} "
              f"{number(row['peer_value']):>12} {number(row['ratio']):>8}  {row['unit']:5} "
              f"{row['target'] or '':13} {met:4} {row['peer'] or ''} {row.get('why', '')}".rstrip())
        if "histogram" in row:
            print(f"    {describe(row['histogram'])}")


def chosen():
    """The (work, metric) pairs of the summary."""
    return [(work.name, work.summary) for group in GROUPS.values() for work in group.work()
            if work.summary]


def write_results(result):
    """All rows as JSON, and the summary that people read."""
    RESULTS.write_text(json.dumps(result, indent=1) + "\n")
    rows = list(summary.choose(result["rows"], chosen()))
    CHART.write_text(summary.chart(rows))
    TABLE.write_text(summary.table(result["machine"], rows, CHART.name))


def kept_rows(groups):
    """Rows of the groups that this run leaves out."""
    if not RESULTS.exists():
        return []
    rows = json.loads(RESULTS.read_text())["rows"]
    kept = [row for row in rows if row["work"].split()[0] not in groups]
    for row in kept:
        explain(row)
    return kept
