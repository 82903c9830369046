"""The rows that people read: a table in Markdown, and a chart in SVG. All rows are in results.json.

A row's `advantage` says how many times better kitbag is than the peer, whichever way the metric
counts.
"""

import math
from html import escape

LESS_IS_BETTER = {"CPU time", "peak memory", "memory per message", "CPU seconds per GB",
                  "memory beside the source", "page cache left", "wall time", "latency p99.9",
                  "timing error p99", "timing error at the end", "dropped", "memory held",
                  "main thread per frame", "tasks per frame", "growth of memory",
                  "received", "slowest"}


def number(value):
    return "-" if value is None else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def advantage(row):
    if not row["ratio"]:
        return None
    return 1 / row["ratio"] if row["metric"] in LESS_IS_BETTER else row["ratio"]


def choose(rows, chosen):
    """The rows of the (work, metric) pairs `chosen`, in that order; of several peers the best."""
    for key in chosen:
        found = [row for row in rows if (row["work"], row["metric"]) == key]
        if found:
            yield min(found, key=lambda row: advantage(row) or math.inf)


def table(machine, rows, image):
    facts = ", ".join(f"{name.replace('_', ' ')}: {value}" for name, value in machine.items())
    lines = ["# What `./dev bench` has measured", "",
             f"![How many times better kitbag is than its peers]({image})", "",
             "Blue: against other programs and libraries that do the same work. Grey: against "
             "limits, bare loops that only read, write, copy or compress the same bytes.",
             "", facts + ".", "",
             "Medians; peers run in turn with kitbag. \"Times better\" is by the metric of the "
             "row, against the best peer; below 1 the peer is better. All works, metrics and peers "
             "are in [results.json](results.json).", "",
             "| work | metric | kitbag | peer | times better | target |",
             "|---|---|---|---|---|---|"]
    for row in rows:
        peer = f"{number(row['peer_value'])} ({row['peer']})" if row["peer"] else "-"
        missed = " (missed)" if row["met"] is False else ""
        unit = f" {row['unit']}" if row["unit"] else ""
        lines.append(f"| {row['work']} | {row['metric']} | {number(row['value'])}{unit} | {peer} "
                     f"| {number(advantage(row))} | {row['target'] or ''}{missed} |")
    missed = [row for row in rows if row["met"] is False]
    if missed:
        lines += ["", "Why targets are missed:", ""]
        lines += [f"* {row['work']}, {row['metric']}: {row.get('why', 'not known')}"
                  for row in missed]
    return "\n".join(lines) + "\n"


def chart(rows):
    """A bar for each row that has a peer, on a logarithmic scale that begins at 1."""
    rows = [row for row in rows if advantage(row)]
    width, left, right, bar, top = 1100, 590, 1000, 20, 34
    low = min(0.5, *(advantage(row) for row in rows))
    high = max(10, *(advantage(row) for row in rows))
    height = top + bar * len(rows) + 12

    def place(value):
        return left + (right - left) * math.log(value / low) / math.log(high / low)

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
             f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
             f'<rect width="{width}" height="{height}" fill="white"/>']
    for line in (0.5, 1, 2, 5, 10, 20, 50, 100, 200):
        if low <= line <= high:
            x = place(line)
            parts.append(f'<line x1="{x:.1f}" y1="{top - 8}" x2="{x:.1f}" y2="{height - 8}" '
                         f'stroke="{"#444" if line == 1 else "#ddd"}"/>')
            parts.append(f'<text x="{x:.1f}" y="{top - 14}" text-anchor="middle" fill="#555">'
                         f'{line:g}x</text>')
    for at, row in enumerate(rows):
        y = top + at * bar
        begin, end = sorted((place(1), place(advantage(row))))
        color = "#9aa3ad" if row.get("limit") else "#2f6fb0"
        what = f"{row['work']}: {row['metric']}, {row['peer']}"
        parts.append(f'<g><title>{escape(what)}</title>'
                     f'<text x="{left - 8}" y="{y + 13}" text-anchor="end">{escape(row["work"])}'
                     f'</text><rect x="{begin:.1f}" y="{y + 3}" width="{end - begin:.1f}" '
                     f'height="{bar - 7}" fill="{color}"/><text x="{end + 5:.1f}" y="{y + 13}">'
                     f'{advantage(row):.3g}x</text></g>')
    return "\n".join([*parts, "</svg>"]) + "\n"
