"""A row of the results: one metric of one work, with the medians of kitbag and of one peer. A ratio
is always kitbag's value divided by the peer's.
"""

import statistics

from metrics import METRICS
from reasons import WHY


def rounded(number):
    return None if number is None else float(f"{number:.4g}")


def make_row(work, metric, ours, peer, theirs, is_limit):
    unit, value_of = METRICS[metric]
    value = statistics.median(map(value_of, ours))
    peer_value = statistics.median(map(value_of, theirs)) if theirs else None
    target = work.targets.get(metric)
    row = {"work": work.name, "metric": metric, "unit": unit, "value": rounded(value),
           "peer": peer, "peer_value": rounded(peer_value),
           "ratio": rounded(value / peer_value) if peer_value else None,
           "target": str(target) if target else None, "met": None}
    if is_limit:
        row["limit"] = True
    if target:
        row["met"] = target.met(row)
    if metric == "timing error p99":
        row["histogram"] = histogram([run["histogram"] for run in ours])
    explain(row)
    return row


def histogram(runs):
    """The share of each bucket, of all runs together: [[upper bound in us, share], ...]."""
    counts = [(runs[0][i][0], sum(run[i][1] for run in runs)) for i in range(len(runs[0]))]
    total = sum(count for _, count in counts)
    return [[edge, rounded(count / total)] for edge, count in counts]


def describe(buckets):
    """ "to 50 us 71 %, to 100 us 22 %": empty buckets are left out."""
    def name(edge):
        return "more" if edge is None else f"to {edge:,} us"
    return ", ".join(f"{name(edge)} {share:.2%}" for edge, share in buckets if share)


def explain(row):
    key = row["work"], row["metric"]
    if row["met"] is False and key in WHY:
        row["why"] = WHY[key]
