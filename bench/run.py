#!/usr/bin/env python3
"""Measures kitbag against the real peers: prints a table, writes results.json, and a summary of it
to results.md and results.svg.

Every program runs in a process of its own, kitbag and the peers in turn, and the medians count.
A ratio is always kitbag's value by the peer's; a row has one peer. `met` is worked out from the
target; a target that is missed needs its reason in WHY, or the run ends with an error.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

import summary  # noqa: E402
from nginx import find_nginx  # noqa: E402
from summary import number  # noqa: E402

RESULTS = ROOT / "bench" / "results.json"
TABLE = RESULTS.with_suffix(".md")
CHART = RESULTS.with_suffix(".svg")

SMALL = "1,000,000 x 100 B on 10 topics, none"
PAGE_CACHE = ("of the same day's runs; 62 to 71 % of the time is the kernel's, which finds pages "
              "for the page cache, touches them first and copies")
COPY = "a copy of these bytes alone takes 48 to 140 us one time in a thousand on this machine"
WHY = {
    # (work, metric): "why the target is missed when it is"
    (f"rosbag write {SMALL}", "messages per CPU-second"): f"5.2 to 11.1 M in medians {PAGE_CACHE}",
    (f"mcap write {SMALL}", "messages per CPU-second"): f"11.3 to 15.7 M in medians {PAGE_CACHE}",
    (f"mcap read in file order {SMALL}", "messages per CPU-second"):
        "36 to 51 M in medians of the same day's runs: 38 % of the time is the kernel's copy out "
        "of the page cache, 16 % the messages, 8 % the batches, 7 % the CRC, 7 % the loading of "
        "libraries",
    ("mcap read in file order 2,000 x 1 MB on 1 topic, none", "bytes per CPU-second"):
        "5.9 to 12 GB: half is the kernel's copy out of the page cache, 15 % the CRC, 10 % the "
        "touching. Without the CRC it is 0.96 of the bare reader, which has none; the rest are "
        "five system calls for its one",
    ("threads mcap write 1,000,000 x 100 B, zstd, two threads", "throughput"):
        "1.33 to 1.88 in medians of the same day's runs: beside the one thread the caller fills "
        "chunks (1.08 cores are busy), so two can be 1.87 times as fast; they wait for nothing but "
        "the first chunk and the last",
    ("live push 2,000 x 100 kB a second, rosbag", "latency p99.9"): COPY,
    ("live push 2,000 x 100 kB a second, mcap", "latency p99.9"): COPY,
    ("convert rosbag, none, to mcap, zstd, of 70/20/10 % by bytes of 1 MiB, 10 KiB, 100 B",
     "throughput"): "0.81 to 1.15 in medians of the same day's runs: both write to the page cache",
    ("disk write 4,000 x 1 MiB past the page cache, synced, mcap", "CPU seconds per GB"):
        "0.097 to 0.13, and 0.09 to 0.15 for the bare loop, in medians of the same day's runs",
    ("serve the list of 1,000 bags", "requests"):
        "710 to 1,930 while other programs took most of both cores; 4,100 in a CPU-second of the "
        "server: nearly all of it is the kernel's, which copies 780 kB",
    ("serve a download of 1 GB, 4 at a time", "throughput"):
        "0.9 to 1.15 of nginx while other programs took most of both cores",
    ("codec an Odometry decode to a visitor", "messages per CPU-second"):
        "4.0 to 7.6 M in medians of two days' runs, and 5.0 to 7.1 M in runs a second apart",
}

METRICS = {  # name: (unit, worth of a run's report)
    "messages per CPU-second": ("1/s", lambda run: run["messages"] / run["cpu_s"]),
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
    "wall time": ("ms", lambda run: run["wall_s"] * 1e3),
    "latency p99.9": ("us", lambda run: run["latency_us"]),
    "timing error p99": ("us", lambda run: run["latency_us"]),
    "timing error at the end": ("us", lambda run: run["drift_us"]),
    "dropped": ("", lambda run: run["dropped"]),
    "requests": ("1/s", lambda run: run["requests"] / run["wall_s"]),
    "memory held": ("MB", lambda run: run["held_bytes"] / 1e6),
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
        worth = row[self.of]
        if worth is None:
            return None  # the peer is absent
        return worth >= self.least if self.most is None else worth <= self.most


@dataclass
class Work:
    """One thing that is measured: the same arguments for both programs."""

    name: str
    arguments: tuple  # workload, compression
    phase: str
    metrics: tuple
    targets: dict = field(default_factory=dict)  # metric -> Target
    prepare: str = None  # a phase of kitbag's, before the first run: what all sides then take
    summary: str = None  # the metric that is in the summary


THROUGHPUT = ("messages per CPU-second", "throughput", "CPU time", "peak memory")


def narrow_query(format_, compression="none"):
    packed = "" if compression == "none" else f", {compression}"
    targets = {"wall time": Target("value", most=5)} if not packed else {}
    return Work(f"{format_} open and query 1 % of the time, 1 topic of 1,000,000 x 100 B{packed}",
                ("a", compression), "query", ("wall time", "CPU time", "peak memory"), targets)


def first_message(format_, compression="none"):
    packed = "" if compression == "none" else f", {compression}"
    return Work(f"{format_} open and read the first message of 1,000,000 x 100 B on 10 topics"
                f"{packed}", ("a", compression), "open", ("wall time", "CPU time", "peak memory"),
                {"wall time": Target("value", most=20)})


def rosbag_work():
    """Write first: what was written last is read."""
    targets_of = {("a", "write"): {"messages per CPU-second": Target("value", least=8e6)},
                  ("a", "read"): {"messages per CPU-second": Target("value", least=20e6)},
                  ("b", "write"): {"messages per CPU-second": Target("ratio", least=1)},
                  ("b", "read"): {"messages per CPU-second": Target("ratio", least=1)}}
    titles = {"a": "1,000,000 x 100 B on 10 topics", "b": "2,000 x 1 MB on 1 topic"}
    for workload, title in titles.items():
        for compression in ("none", "lz4"):
            for phase in ("write", "read"):
                targets = targets_of[workload, phase] if compression == "none" else {}
                summary = "messages per CPU-second" if compression == "none" else None
                yield Work(f"rosbag {phase} {title}, {compression}", (workload, compression), phase,
                           THROUGHPUT, targets, summary=summary)
            if (workload, compression) == ("a", "none"):
                yield replace(narrow_query("rosbag"), summary="wall time")


def old_work():
    """Reading is opening, which goes through the file once, and reading all by time."""
    titles = {"mixed": "100 B to 1 kB", "small": "100 B"}
    targets = {"bytes per CPU-second": Target("value", least=500),
               "memory per message": Target("value", most=16)}
    for version in ("1.2", "1.1"):
        for kind, title in titles.items():
            name = f"200 MB of version {version}, messages of {title}, 10 topics"
            yield Work(f"old write {name}", (version, kind), "write", THROUGHPUT)
            summary = "bytes per CPU-second" if (version, kind) == ("1.2", "mixed") else None
            yield Work(f"old read {name}", (version, kind), "read", tuple(targets), targets,
                       summary=summary)


MIXED = "70/20/10 % by bytes of 1 MiB, 10 KiB, 100 B"


def mcap_work():
    """The peers are the compressors alone, a loop that reads the file, npm's reader, and a bare
    reader in the place of the MCAP C++ library, which Debian does not have: it does what the
    library does, without its checks and layers."""
    titles = {"a": "1,000,000 x 100 B on 10 topics", "b": "2,000 x 1 MB on 1 topic",
              "mixed": MIXED}
    phases = {"write_plain": "write without CRC", "write": "write", "read": "read in file order",
              "read_unchecked": "read in file order without verifying CRC",
              "read_time": "read by time"}
    chief = {("a", "none", "write"): "messages per CPU-second",
             ("a", "none", "read"): "messages per CPU-second",
             ("a", "none", "read_time"): "messages per CPU-second",
             ("b", "none", "write"): "bytes per CPU-second",
             ("b", "none", "read"): "bytes per CPU-second",
             ("a", "zstd", "write"): "bytes per CPU-second"}
    messages = {("a", "write"): 14e6, ("a", "read"): 40e6, ("a", "read_time"): 25e6}
    megabytes = {("b", "write"): 1150, ("b", "read"): 13000, ("b", "read_unchecked"): 13000}
    for workload, title in titles.items():
        for compression in ("none", "lz4", "zstd"):
            for phase, what in phases.items():
                targets = {}
                if compression == "none" and (workload, phase) in messages:
                    least = messages[workload, phase]
                    targets = {"messages per CPU-second": Target("value", least=least)}
                if compression == "none" and (workload, phase) in megabytes:
                    least = megabytes[workload, phase]
                    targets = {"bytes per CPU-second": Target("value", least=least)}
                if (workload, phase) == ("a", "read_time"):
                    summary = "wall time" if compression == "zstd" else None
                    yield replace(first_message("mcap", compression), summary=summary)
                    yield replace(narrow_query("mcap", compression), summary=summary)
                yield Work(f"mcap {what} {title}, {compression}", (workload, compression), phase,
                           ("messages per CPU-second", "bytes per CPU-second", "throughput",
                            "CPU time", "peak memory"), targets,
                           summary=chief.get((workload, compression, phase)))
    small = f"mcap read the topic of 100 B out of {MIXED}, zstd"
    yield Work(small, ("mixed", "zstd"), "read_small", ("CPU time", "wall time"))
    yield Work(f"{small}, large topics with chunks of their own", ("mixed", "zstd"), "read_small",
               ("CPU time", "wall time"), {"CPU time": Target("value", most=0.077)},
               prepare="write_lanes")


def threads_work():
    """The peer is kitbag itself with one thread."""
    yield Work("threads mcap write 1,000,000 x 100 B, zstd, two threads", ("a", "zstd"), "write",
               ("throughput", "CPU time"), {"throughput": Target("ratio", least=1.8)},
               summary="throughput")
    for workload, title, compression in (("a", "1,000,000 x 100 B", "lz4"),
                                         ("mixed", MIXED, "zstd")):
        yield Work(f"threads mcap read by time {title}, {compression}, two threads",
                   (workload, compression), "read", ("throughput", "CPU time"), prepare="write")


def live_work():
    """2,000 messages of 100 kB a second for 6 s, through 64 MiB, while the disk stops for 300 ms
    every second. The peer is a copy into memory."""
    for format_ in ("rosbag", "mcap"):
        yield Work(f"live push 2,000 x 100 kB a second, {format_}", ("live", format_), "push",
                   ("latency p99.9", "dropped", "CPU seconds per GB"),
                   {"latency p99.9": Target("value", most=50), "dropped": Target("value", most=0)},
                   summary="latency p99.9")


def record_work():
    """The simulated robot, its images 3,500 times a second; and as it is, played to nobody."""
    yield Work("record demo:// at 200 MB/s for 12 s, mcap", ("12", "mcap"), "record",
               ("throughput", "dropped", "CPU seconds per GB", "peak memory"),
               {"dropped": Target("value", most=0)}, summary="dropped")
    yield Work("record of what is played: 12 s of demo:// at rate 1", ("12", "mcap"), "play",
               ("timing error p99", "timing error at the end"),
               {"timing error p99": Target("value", most=1000)}, summary="timing error p99")


RECORDED = ("dropped", "messages per CPU-second", "bytes per CPU-second", "peak memory")


def ros1_work():
    """roscpp sends; the peer is `rosbag record` with a buffer without a limit."""
    yield Work("ros1 record 10 topics x 100 B, 60 kHz in all for 8 s",
               ("ros1", "480000", "60000", "100", "10"), "record", RECORDED,
               {"dropped": Target("value", most=0),
                "messages per CPU-second": Target("value", least=1e6 / 21)},
               summary="messages per CPU-second")
    yield Work("ros1 record 4 topics x 1 MB, 144 Hz in all for 8 s",
               ("ros1", "1152", "144", "1000000", "4"), "record", RECORDED,
               {"dropped": Target("value", most=0)}, summary="messages per CPU-second")


def ros2_work():
    """Cyclone DDS sends, reliably."""
    yield Work("ros2 record 10 topics x 100 B, 40 kHz in all for 8 s",
               ("ros2", "320000", "40000", "100", "10"), "record", RECORDED,
               {"dropped": Target("value", most=0)}, summary="messages per CPU-second")
    yield Work("ros2 record 4 topics x 1 MB, 100 Hz each for 8 s",
               ("ros2", "3200", "400", "1000000", "4"), "record", RECORDED,
               {"dropped": Target("value", most=0)})


def convert_work():
    """The program itself; the peer is the zstd of the command line on the same file."""
    yield Work(f"convert rosbag, none, to mcap, zstd, of {MIXED}", ("mixed",), "convert",
               ("throughput", "CPU time"), {"throughput": Target("ratio", least=0.85)},
               prepare="prepare", summary="throughput")


def sqlite3_work():
    """The peer is SQLite as rosbag2 uses it."""
    titles = {"a": "1,000,000 x 100 B on 10 topics", "b": "2,000 x 1 MB on 1 topic",
              "mixed": MIXED}
    phases = {"write": "write", "read": "read in file order", "read_time": "read by time"}
    least = {"write": 1.2e6, "read": 3e6, "read_time": 3e6}
    chief = {("a", "write"), ("mixed", "write"), ("a", "read_time")}
    for workload, title in titles.items():
        for phase, what in phases.items():
            targets = {}
            if workload == "a":
                targets = {"messages per CPU-second": Target("value", least=least[phase])}
            yield Work(f"sqlite3 {what} {title}", (workload, "none"), phase,
                       ("messages per CPU-second", "bytes per CPU-second", "throughput",
                        "CPU time", "peak memory"), targets,
                       summary="messages per CPU-second" if (workload, phase) in chief else None)
        if workload == "a":
            yield narrow_query("sqlite3")
            yield replace(first_message("sqlite3"), summary="wall time")


def disk_work():
    """The peer is what the disk takes: a loop of io_uring that writes the same bytes bare."""
    targets = {"throughput": Target("ratio", least=0.95),
               "CPU seconds per GB": Target("value", most=0.10),
               "memory beside the source": Target("value", most=64),
               "page cache left": Target("value", most=32)}
    for format_ in ("rosbag", "mcap"):
        yield Work(f"disk write 4,000 x 1 MiB past the page cache, synced, {format_}", (format_,),
                   "write", ("throughput", "CPU seconds per GB", "memory beside the source",
                             "page cache left"), targets, summary="throughput")


def huge_work():
    """A terabyte in a million chunks, all but a few of them holes; see tests/support/huge_bag.py.
    The query is a second in the middle: 80 messages."""
    for format_ in ("rosbag", "mcap"):
        yield Work(f"huge open and query 1 s of 1 TB in 1,000,000 chunks, {format_}", (format_,),
                   "query", ("wall time", "peak memory"),
                   {"wall time": Target("value", most=1000),
                    "peak memory": Target("value", most=300)}, prepare="prepare",
                   summary="wall time" if format_ == "mcap" else None)


def codec_work():
    """One message of ROS 1 again and again, out of 64 MiB of its copies. Peers go on for half a
    second; none of npm's or Debian's brings ROS 1 to CDR in one step."""
    titles = {"image": "an Image of 1 MB", "cloud": "a PointCloud2 of 1 MB",
              "scan": "a LaserScan of 1,080 floats", "odometry": "an Odometry",
              "transforms": "a TFMessage of 20"}
    phases = {"visit": "decode to a visitor", "json": "to JSON (bytes of JSON)", "cdr": "to CDR"}
    targets = {("image", "cdr"): {"bytes per CPU-second": Target("value", least=5000)},
               ("cloud", "cdr"): {"bytes per CPU-second": Target("value", least=5000)},
               ("odometry", "visit"): {"messages per CPU-second": Target("value", least=6e6)},
               ("scan", "json"): {"bytes per CPU-second": Target("value", least=150)}}
    for kind, title in titles.items():
        for phase, what in phases.items():
            yield Work(f"codec {title} {what}", (kind,), phase,
                       ("messages per CPU-second", "bytes per CPU-second"),
                       targets.get((kind, phase), {}), prepare="prepare",
                       summary="messages per CPU-second" if (kind, phase) in targets else None)


def serve_work():
    """`kitbag serve`, with its clients on the same cores: an hour and a half of the simulated
    robot, 1 GB with zstd, and a thousand small bags."""
    large, many = ("large",), ("many",)

    def work(name, bags, phase, metrics, targets, summary=None):
        return Work(f"serve {name}", bags, phase, metrics, targets, prepare="prepare",
                    summary=summary)

    yield work("a slice of 10 s of 1 GB to its first message, nothing unpacked yet", large, "first",
               ("wall time",), {"wall time": Target("value", most=50)}, "wall time")
    yield work("a slice of 10 s of 1 GB as JSON", large, "json",
               ("bytes per CPU-second", "throughput", "peak memory"),
               {"bytes per CPU-second": Target("value", least=150)}, "bytes per CPU-second")
    yield work("the list of 1,000 bags", many, "list", ("requests", "throughput", "peak memory"),
               {"requests": Target("value", least=3000)}, "requests")
    yield work("a new bag beside 1,000, until it is in the list", many, "new", ("wall time",),
               {"wall time": Target("value", most=1000)})
    yield work("slices of 1 s to 200 players for 30 s", large, "players",
               ("requests", "throughput", "bytes per CPU-second", "peak memory"),
               {"peak memory": Target("value", most=300)}, "peak memory")
    yield work("200 players that wait within their slice", large, "waiting", ("memory held",),
               {"memory held": Target("value", most=300)})
    yield work("a download of 1 GB, 4 at a time", large, "download",
               ("throughput", "bytes per CPU-second"),
               {"throughput": Target("ratio", least=0.9)}, "throughput")


@dataclass
class Peer:
    """Another program that does the same work, and takes the same arguments."""

    name: str
    command: tuple
    does: callable = lambda work: True
    is_limit: bool = False  # of another kind: it makes no bag, and counts other bytes
    is_bare: bool = False  # it counts the same, but does no more than it must


@dataclass
class Group:
    work: callable
    peers: callable = lambda build: []  # those that are there
    same: tuple = ("messages", "bytes", "sum")  # in the reports of all sides but limits
    own: callable = None  # kitbag's command; None: the program of that name
    plugin: str = None  # that it needs
    program: str = None  # likewise


def rosbag_peers(build):
    program = build / "bench" / "peer_rosbag"
    return [Peer("librosbag_storage", (program,))] if program.exists() else []


def mcap_peers(build):
    limits = (build / "bench" / "peer_limits",)
    for name in ("lz4", "zstd"):
        yield Peer(f"{name} alone", limits, is_limit=True,
                   does=lambda work, name=name: work.arguments[1] == name and work.phase == "write")
    yield Peer("a bare loop of read", limits, is_limit=True,
               does=lambda work: work.arguments == ("b", "none")
               and work.phase in ("read", "read_unchecked"))
    bare = {("a", "open"), ("a", "query"), ("b", "read"), ("b", "read_unchecked")}
    yield Peer("a bare reader of MCAP", (build / "bench" / "peer_mcap",), is_bare=True,
               does=lambda work: (work.arguments[0], work.phase) in bare)
    if (ROOT / "tests/interop/node_modules/@mcap/core").exists():
        yield Peer("npm's @mcap/core", ("node", ROOT / "bench/peer_mcap.mjs"),
                   does=lambda work: work.phase in ("open", "query"))


def sqlite3_peers(build):
    return [Peer("SQLite as rosbag2 uses it", (build / "bench" / "peer_sqlite3",),
                 does=lambda work: work.phase not in ("open", "query"))]


def threads_peers(build):
    return [Peer("one thread", ("env", "BENCH_THREADS=1", build / "bench" / "kitbag_threads"))]


def live_peers(build):
    return [Peer("a copy", (build / "bench" / "peer_limits",), is_limit=True)]


def convert_peers(_):
    return [Peer("zstd -1 -T2", ("python3", ROOT / "bench/peer_zstd.py"))]


def live_load(build, recorder="kitbag"):
    return ("python3", ROOT / "bench/live_load.py", build, recorder)


def ros1_peers(build):
    if Path("/usr/bin/rosbag").exists():
        yield Peer("rosbag record", live_load(build, "rosbag"))


def serve_load(build, server="kitbag"):
    return ("python3", ROOT / "bench/serve_load.py", build, server)


def serve_peers(build):
    if find_nginx():
        yield Peer("nginx", serve_load(build, "nginx"), lambda work: work.phase == "download")


def disk_peers(build):
    return [Peer("a bare loop of io_uring", (build / "bench" / "peer_disk",), is_bare=True)]


def codec_peers(_):
    sensors = Path("/usr/lib/python3/dist-packages/sensor_msgs")
    if sensors.exists():
        yield Peer("Debian's Python messages", ("/usr/bin/python3", ROOT / "bench/peer_codec.py"),
                   lambda work: work.phase in ("visit", "json"))
    if (ROOT / "tests/interop/node_modules/@foxglove/rosmsg-serialization").exists():
        yield Peer("npm's rosmsg-serialization", ("node", ROOT / "bench/peer_codec.mjs"))


GROUPS = {"rosbag": Group(rosbag_work, rosbag_peers), "old": Group(old_work),
          "mcap": Group(mcap_work, mcap_peers), "sqlite3": Group(sqlite3_work, sqlite3_peers),
          "threads": Group(threads_work, threads_peers), "live": Group(live_work, live_peers),
          "record": Group(record_work, same=()),
          "ros1": Group(ros1_work, ros1_peers, same=(), own=live_load, plugin="transport_ros1"),
          "ros2": Group(ros2_work, same=(), own=live_load, plugin="transport_ros2"),
          "serve": Group(serve_work, serve_peers, same=(), own=serve_load, program="wrk"),
          "convert": Group(convert_work, convert_peers, same=("bytes",)),
          "disk": Group(disk_work, disk_peers), "huge": Group(huge_work),
          "codec": Group(codec_work, codec_peers, same=("sum",))}


class Programs:
    """The sides of a group, and the folder in which they write."""

    def __init__(self, group, build, folder):
        own = GROUPS[group].own
        self.kitbag = Peer("kitbag", own(build) if own else (build / f"bench/kitbag_{group}",))
        self.peers = list(GROUPS[group].peers(build))
        self._same = GROUPS[group].same
        self._group = group
        self._folder = folder

    def path(self, work, side):
        """Each side writes its own; all read the one that a peer wrote, where there is one."""
        write = replace(work, phase="write")
        writers = [peer for peer in self.peers
                   if not peer.is_limit and not peer.is_bare and peer.does(write)]
        writer = self.kitbag
        if not work.prepare and writers and not side.is_limit:
            writer = side if work.phase.startswith("write") else writers[0]
        return self._folder / f"{self._group}_{writer.name}_{'_'.join(work.arguments)}.bag"

    def run(self, work, side, phase):
        path = self.path(work, side)
        if phase.startswith("write") and not side.is_limit:
            path.unlink(missing_ok=True)
            os.sync()  # the one before leaves nothing for this one to wait for
        return subprocess.run([*side.command, *work.arguments, path, phase], check=True,
                              capture_output=True, text=True).stdout

    def measure(self, work, runs):
        """Reports of all runs by side, taken in turn; kitbag's first."""
        if work.prepare:
            self.run(work, self.kitbag, work.prepare)
        sides = [self.kitbag] + [peer for peer in self.peers if peer.does(work)]
        reports = {side.name: [] for side in sides}
        for _ in range(runs):
            for side in sides:
                reports[side.name].append(json.loads(self.run(work, side, work.phase)))
        for key in self._same:
            same = {run[key] for side in sides if not side.is_limit for run in reports[side.name]}
            if len(same) != 1:
                raise SystemExit(f"{work.name}: the sides did not do the same ({key})")
        return reports


def rounded(number):
    return None if number is None else float(f"{number:.4g}")


def make_row(work, metric, ours, peer, theirs, is_limit):
    unit, worth = METRICS[metric]
    value = statistics.median(map(worth, ours))
    peer_value = statistics.median(map(worth, theirs)) if theirs else None
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
    """ "to 50 us 71 %, to 100 us 22 %": what is empty is left out."""
    def name(edge):
        return "more" if edge is None else f"to {edge:,} us"
    return ", ".join(f"{name(edge)} {share:.2%}" for edge, share in buckets if share)


def explain(row):
    key = row["work"], row["metric"]
    if row["met"] is False and key in WHY:
        row["why"] = WHY[key]


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
    """Everything as JSON, and of it what people read."""
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


def measure_group(group, options, folder):
    plugin = GROUPS[group].plugin
    if plugin and not (options.build / "plugins" / f"{plugin}.so").exists():
        print(f"{group}: {plugin} could not be built; left out", file=sys.stderr)
        return
    if not shutil.which(GROUPS[group].program or sys.executable):
        print(f"{group}: {GROUPS[group].program} is not installed; left out", file=sys.stderr)
        return
    programs = Programs(group, options.build, folder)
    if not programs.peers:
        print(f"{group}: no real peer is installed; measuring without it", file=sys.stderr)
    for work in GROUPS[group].work():
        print(f"  {work.name} ...", file=sys.stderr)
        reports = programs.measure(work, options.runs)
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
