"""What can be measured. A metric has a unit, and a function that takes its value from the report of
one run. A target is a bound on that value, or on its ratio to the value of a peer.
"""

from dataclasses import dataclass

METRICS = {  # name: (unit, value of a run's report)
    "messages per CPU-second": ("1/s", lambda run: run["messages"] / run["cpu_s"]),
    "messages per second": ("1/s", lambda run: run["messages"] / run["wall_s"]),
    "throughput": ("MB/s", lambda run: run["bytes"] / run["wall_s"] / 1e6),
    "CPU time": ("s", lambda run: run["cpu_s"]),
    "peak memory": ("MB", lambda run: run["peak_bytes"] / 1e6),
    "bytes per CPU-second": ("MB/s", lambda run: run["bytes"] / run["cpu_s"] / 1e6),
    "memory per message": ("B", lambda run: (run["peak_bytes"] - run["peak_before_bytes"])
                           / run["messages"]),
    "CPU seconds per GB": ("s/GB", lambda run: run["cpu_s"] / run["bytes"] * 1e9),
    "memory beside the source": ("MB", lambda run: (run["peak_bytes"] - run["peak_before_bytes"])
                                 / 1e6),
    "page cache left": ("MB", lambda run: run["cached_bytes"] / 1e6),
    "overhead of a bag": ("ms", lambda run: run["overhead_s"] * 1e3),
    "wall time": ("ms", lambda run: run["wall_s"] * 1e3),
    "latency p99.9": ("us", lambda run: run["latency_us"]),
    "timing error p99": ("us", lambda run: run["latency_us"]),
    "timing error at the end": ("us", lambda run: run["drift_us"]),
    "dropped": ("", lambda run: run["dropped"]),
    "instructions per message": ("", lambda run: run["instructions"] / run["messages"]),
    "requests": ("1/s", lambda run: run["requests"] / run["wall_s"]),
    "requests in all": ("", lambda run: run["requests_in_all"]),
    "bytes per byte asked": ("", lambda run: run["transferred_bytes"] / run["bytes"]),
    "memory held": ("MB", lambda run: run["held_bytes"] / 1e6),
    "main thread per frame": ("ms", lambda run: run["frame_s"] * 1e3),
    "tasks per frame": ("ms", lambda run: run["tasks_s"] * 1e3),
    "frames": ("1/s", lambda run: run["frames"] / run["wall_s"]),
    "growth of memory": ("%", lambda run: (run["held_bytes"] / run["held_before_bytes"] - 1) * 100),
    "received": ("kB", lambda run: run["bytes"] / 1e3),
    "slowest": ("ms", lambda run: run["worst_s"] * 1e3),
    "bags per minute": ("1/min", lambda run: run["messages"] / run["wall_s"] * 60),
    "bags per minute of CPU": ("1/min", lambda run: run["messages"] / run["cpu_s"] * 60),
}


@dataclass
class Target:
    """A bound on a row's `value`, or on its `ratio` to the peer."""

    of: str
    least: float = None
    most: float = None

    def __str__(self):
        bound = f">= {self.least:g}" if self.most is None else f"<= {self.most:g}"
        return f"{self.of} {bound}"

    def met(self, row):
        value = row[self.of]
        if value is None:
            return None  # the peer is absent
        return value >= self.least if self.most is None else value <= self.most
