"""The work that is measured: for each group a function that gives its works in their order."""

import shutil
from dataclasses import dataclass, field, replace

from metrics import Target


@dataclass
class Work:
    """One thing that is measured, with the same arguments for kitbag and its peers."""

    name: str
    arguments: tuple  # workload, compression
    phase: str
    metrics: tuple
    targets: dict = field(default_factory=dict)  # metric -> Target
    prepare: str = None  # a phase that kitbag runs first: it makes what all sides then read
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


def rosbag():
    """Writing comes first, because what was written last is read."""
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


def old():
    """Reading includes opening the bag, which goes through the file once. Messages come by time."""
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


def mcap():
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


def threads():
    """The peer is kitbag itself with one thread."""
    yield Work("threads mcap write 1,000,000 x 100 B, zstd, two threads", ("a", "zstd"), "write",
               ("throughput", "CPU time"), {"throughput": Target("ratio", least=1.8)},
               summary="throughput")
    for workload, title, compression in (("a", "1,000,000 x 100 B", "lz4"),
                                         ("mixed", MIXED, "zstd")):
        yield Work(f"threads mcap read by time {title}, {compression}, two threads",
                   (workload, compression), "read", ("throughput", "CPU time"), prepare="write")


def live():
    """2,000 messages of 100 kB a second for 6 s, through 64 MiB, while the disk stops for 300 ms
    every second. The peer is a copy into memory."""
    for format_ in ("rosbag", "mcap"):
        yield Work(f"live push 2,000 x 100 kB a second, {format_}", ("live", format_), "push",
                   ("latency p99.9", "dropped", "CPU seconds per GB"),
                   {"latency p99.9": Target("value", most=50), "dropped": Target("value", most=0)},
                   summary="latency p99.9" if format_ == "mcap" else None)


def record():
    """The simulated robot with 3,500 images a second; and the robot as it is, played to nobody."""
    yield Work("record demo:// at 200 MB/s for 12 s, mcap", ("12", "mcap"), "record",
               ("throughput", "dropped", "CPU seconds per GB", "peak memory"),
               {"dropped": Target("value", most=0)}, summary="dropped")
    yield Work("record of what is played: 12 s of demo:// at rate 1", ("12", "mcap"), "play",
               ("timing error p99", "timing error at the end"),
               {"timing error p99": Target("value", most=1000)}, summary="timing error p99")


RECORDED = ("dropped", "messages per CPU-second", "bytes per CPU-second", "peak memory")


def ros1():
    """roscpp sends; the peer is `rosbag record` with a buffer without a limit."""
    yield Work("ros1 record 10 topics x 100 B, 60 kHz in all for 8 s",
               ("ros1", "480000", "60000", "100", "10"), "record", RECORDED,
               {"dropped": Target("value", most=0),
                "messages per CPU-second": Target("value", least=1e6 / 21)},
               summary="messages per CPU-second")
    yield Work("ros1 record 4 topics x 1 MB, 144 Hz in all for 8 s",
               ("ros1", "1152", "144", "1000000", "4"), "record", RECORDED,
               {"dropped": Target("value", most=0)}, summary="messages per CPU-second")


def ros2():
    """Cyclone DDS sends, reliably."""
    yield Work("ros2 record 10 topics x 100 B, 40 kHz in all for 8 s",
               ("ros2", "320000", "40000", "100", "10"), "record", RECORDED,
               {"dropped": Target("value", most=0)}, summary="messages per CPU-second")
    yield Work("ros2 record 4 topics x 1 MB, 100 Hz each for 8 s",
               ("ros2", "3200", "400", "1000000", "4"), "record", RECORDED,
               {"dropped": Target("value", most=0)})


def mqtt():
    """libmosquitto sends, with quality of service 1. The peer is libmosquitto in a loop that counts
    what comes: neither fields nor a file."""
    yield Work("mqtt record 10 topics x 100 B, 20 kHz in all for 8 s",
               ("mqtt", "160000", "20000", "100", "10"), "record", RECORDED,
               {"dropped": Target("value", most=0)})
    yield Work("mqtt record 4 topics x 1 MB, 200 Hz in all for 8 s",
               ("mqtt", "1600", "200", "1000000", "4"), "record", RECORDED,
               {"dropped": Target("value", most=0)})


def nats():
    """libnats sends. The peer is libnats in a loop that counts what comes."""
    yield Work("nats record 10 topics x 100 B, 20 kHz in all for 8 s",
               ("nats", "160000", "20000", "100", "10"), "record", RECORDED,
               {"dropped": Target("value", most=0)})
    yield Work("nats record 4 topics x 1 MB, 200 Hz in all for 8 s",
               ("nats", "1600", "200", "1000000", "4"), "record", RECORDED,
               {"dropped": Target("value", most=0)})


def convert():
    """The program itself; the peer is the zstd of the command line on the same file."""
    yield Work(f"convert rosbag, none, to mcap, zstd, of {MIXED}", ("mixed",), "convert",
               ("throughput", "CPU time"), {"throughput": Target("ratio", least=0.85)},
               prepare="prepare", summary="throughput")


def sqlite3():
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
            yield first_message("sqlite3")


def disk():
    """The peer shows what the disk can take: a bare loop of io_uring that writes the same bytes."""
    targets = {"throughput": Target("ratio", least=0.95),
               "CPU seconds per GB": Target("value", most=0.10),
               "memory beside the source": Target("value", most=64),
               "page cache left": Target("value", most=32)}
    for format_ in ("rosbag", "mcap"):
        yield Work(f"disk write 4,000 x 1 MiB past the page cache, synced, {format_}", (format_,),
                   "write", ("throughput", "CPU seconds per GB", "memory beside the source",
                             "page cache left"), targets,
                   summary="throughput" if format_ == "mcap" else None)


def huge():
    """A terabyte in a million chunks, nearly all of them holes in the file; see
    tests/support/huge_bag.py. The query is a second in the middle: 80 messages."""
    for format_ in ("rosbag", "mcap"):
        yield Work(f"huge open and query 1 s of 1 TB in 1,000,000 chunks, {format_}", (format_,),
                   "query", ("wall time", "peak memory"),
                   {"wall time": Target("value", most=1000),
                    "peak memory": Target("value", most=300)}, prepare="prepare",
                   summary="wall time" if format_ == "mcap" else None)


def columns():
    """1,000,000 messages of nav_msgs/Odometry, three fields and the stamp. The peers are kitbag's
    own ways: a visitor, and reading without decoding; for images a copy into warm memory. Another
    peer, rosbag's Python, reads the first 20,000 messages of a rosbag."""
    per_second = ("messages per CPU-second", "throughput", "peak memory")

    def work(name, bag, phase, least, metric="messages per CPU-second", metrics=per_second[:1],
             kind="value", summary=False):
        return Work(f"columns {name}", (bag,), phase, metrics, {metric: Target(kind, least=least)},
                    prepare=None if bag in ("image", "memory") else "prepare",
                    summary=metric if summary else None)

    odometry = "three fields and the stamp of Odometry"
    yield work(f"{odometry}, from memory", "memory", "memory", 15e6, summary=True)
    yield work(f"{odometry}, none", "none", "file", 4.5e6,
               metrics=("messages per CPU-second", "peak memory"))
    yield work(f"{odometry}, zstd", "zstd", "file", 2.3e6)
    yield work(f"{odometry}, none, beside reading them", "none", "beside", 0.75, kind="ratio")
    yield work(f"{odometry}, zstd, beside reading them", "zstd", "beside", 0.75, kind="ratio")
    yield work(f"{odometry}, rosbag", "rosbag", "file", 4.5e6)
    for bag in ("none", "zstd"):
        yield Work(f"columns all fields of Odometry, {bag}", (bag,), "whole",
                   ("wall time", "CPU time", "peak memory"), prepare="prepare")
    yield work("SELECT count(*), avg(x) of Odometry, none", "none", "sql", 3.5e6, summary=True)
    yield work("SELECT count(*), avg(x) of Odometry, zstd", "zstd", "sql", 2e6)
    yield Work("columns SELECT count(*), avg(x) of 1 % of the time, zstd, after opening", ("zstd",),
               "narrow", ("wall time", "CPU time"), {"wall time": Target("value", most=20)},
               prepare="prepare")
    yield work("images of 1 MB", "image", "memory", 0.8, metric="bytes per CPU-second",
               metrics=("bytes per CPU-second",), kind="ratio")


def export():
    """1,000,000 messages of nav_msgs/Odometry, all fields, to Parquet with zstd. The peer writes
    the first 20,000 messages of a rosbag as CSV. A bag of 10 GB. JPEGs of a bag as files, beside a
    bare loop that writes such files; both are on the disk at the end. And 300 pictures as H.264,
    beside ffmpeg with the same settings, which has them without a bag."""
    for bag in ("rosbag", "zstd"):
        yield Work(f"export all fields of Odometry to Parquet, {bag}", (bag,), "export",
                   ("messages per CPU-second", "throughput", "peak memory"),
                   {"messages per CPU-second": Target("value", least=3e5)}, prepare="prepare",
                   summary="messages per CPU-second" if bag == "rosbag" else None)
    yield Work("export 10 GB of images and lists to Parquet", ("huge",), "export",
               ("CPU time", "peak memory"), {"peak memory": Target("value", most=300)},
               prepare="prepare")
    yield Work("export 1,000 JPEGs of 500 kB as files", ("jpegs",), "export",
               ("throughput", "CPU time", "peak memory"),
               {"throughput": Target("ratio", least=0.9)}, prepare="prepare")
    yield Work("export 300 pictures of 1280 x 720 pixels to MP4", ("pictures",), "video",
               ("messages per CPU-second", "wall time", "peak memory"),
               {"messages per CPU-second": Target("ratio", least=0.8)}, prepare="prepare")


def remote():
    """1 GB in a real Ceph Object Gateway on the same cores. The peers are curl, which gets the
    object as a whole and looks at nothing, and rclone, which copies it there."""
    yield Work("remote read a MCAP of 1 GB from an object store", ("mcap",), "read",
               ("throughput", "CPU time", "peak memory"),
               {"throughput": Target("ratio", least=0.8)})
    yield Work("remote check a MCAP of 1 GB with a cache of 24 MiB", ("mcap",), "bounded",
               ("throughput", "peak memory"), {"peak memory": Target("value", most=120)})
    yield Work("remote info of a MCAP of 1 GB", ("mcap",), "info",
               ("requests in all", "wall time"), {"requests in all": Target("value", most=4)})
    yield Work("remote 1 % of the time of a MCAP of 1 GB", ("mcap",), "query",
               ("requests in all", "bytes per byte asked", "wall time"),
               {"requests in all": Target("value", most=6),
                "bytes per byte asked": Target("value", most=1.5)})
    yield Work("remote upload a MCAP of 1 GB to an object store", ("mcap",), "upload",
               ("throughput", "CPU time", "peak memory"),
               {"throughput": Target("ratio", least=0.8)})


def codec():
    """One message of ROS 1, read again and again from 64 MiB of copies. Peers run for half a
    second. None of them converts ROS 1 to CDR in one step."""
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


def serve():
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


def page():
    """The player page in Chromium, as page_load.py says. Its server and all of Chromium are on the
    same cores, and the processor draws in place of a graphics card."""
    large = ("large",)

    def work(name, bag, phase, targets, *others, summary=True):
        metrics = (*targets, *others)
        return Work(f"page {name}", bag, phase, metrics, targets, prepare="prepare",
                    summary=metrics[0] if summary else None)

    yield work("opening a bag of 1 GB until its picture stands", large, "first",
               {"wall time": Target("value", most=1500)})
    yield work("a seek in 1 GB until what is there is drawn", large, "seek",
               {"wall time": Target("value", most=300)})
    yield work("10 minutes of 3D, a picture and two plots", ("large", "10"), "play",
               {"main thread per frame": Target("value", most=12),
                "growth of memory": Target("value", most=10)},
               "tasks per frame", "frames", "memory held")
    yield work("panning a plot of 10,000,000 messages", ("numbers",), "pan",
               {"frames": Target("value", least=30)})
    yield work("the first load, of its own files", large, "load",
               {"received": Target("value", most=1000)}, summary=False)


def instructions():
    """What no busy machine changes. A target is 3 % above what was measured when it was set."""
    for bag, to, most in (("bag", "bag", 481), ("bag", "mcap", 508), ("mcap", "bag", 471),
                          ("mcap", "mcap", 500), ("bag", "text", 5726)):
        what = f"print a .{bag}" if to == "text" else f"convert .{bag} to .{to}"
        yield Work(f"{what}, messages of 100 B on 10 topics", (bag, to), "count",
                   ("instructions per message",),
                   {"instructions per message": Target("value", most=most)}, prepare="prepare")


def many():
    """300 bags of one second. The peer's figures are those of the first 30, as many_load.py
    says."""
    for phase, what in (("find", "find a topic in 300 bags"),
                        ("compress", "compress 300 bags with lz4, by convert --output-dir -j 2")):
        targets = {"wall time": Target("ratio", most=1)}
        yield Work(what, (), phase, ("wall time", "CPU time"), targets)


def catalogue():
    """1,000,000 bags of 20 topics each; see catalogue_load.py, also for what the peers do."""
    pages = {"list": "the first 50 of 1,000,000 bags", "deep": "50 bags behind 500,000",
             "skip": "50 bags, 500,000 skipped", "topic": "bags with /camera/*",
             "one_topic": "bags with one of 200 topics",
             "old_topic": "bags with a topic that none of the last year has",
             "rare_topic": "bags with a topic of 50 bags", "type": "bags with a type",
             "tag": "bags with a tag", "old_tag": "bags with a tag of long ago",
             "last": "bags of the last 30 days", "text_name": "bags with the name of a file",
             "text_day": "bags with a day in the path",
             "text_month": "bags with a month in the path",
             "text_common": "bags with a text that all have",
             "text_none": "bags with a text that none has",
             "all": "bags of the last 30 days with /camera/*, a tag and a text",
             "count_topic": "count bags with /camera/*, to 10,000", "count": "count all bags"}
    for engine, name, most_ms in (("postgres", "PostgreSQL", 50), ("sqlite", "SQLite", 200)):
        for phase, what in pages.items():
            targets = {"wall time": Target("value", most=most_ms)}
            if phase in ("skip", "count"):
                targets = {}
            yield Work(f"catalogue {what}, {name}", (engine,), phase, ("wall time", "slowest"),
                       targets)
        yield Work(f"catalogue add 1,000 small bags, {name}", (engine,), "add",
                   ("bags per minute", "bags per minute of CPU"),
                   {"bags per minute": Target("value", least=1000)})
        where = "moments in 100 bags of 1 GB"
        yield Work(f"catalogue {where}, where there are none, {name}", (engine,), "where_none",
                   ("wall time", "CPU time"), {"wall time": Target("value", most=1000)})
        yield Work(f"catalogue {where}, where one bag has one, {name}", (engine,), "where_one",
                   ("wall time", "CPU time"), {"wall time": Target("value", most=1000)})


def jobs():
    """300 bags of one second, each a task of a batch, as jobs_load.py says."""
    yield Work("300 bags converted with lz4, by batch --on local -j 2", (), "local",
               ("wall time", "CPU time"), {"wall time": Target("ratio", most=1)})
    metrics = ("overhead of a bag",)
    yield Work("300 bags converted with lz4, by batch --on local -j 2: above convert -j 2", (),
               "local", metrics, {metrics[0]: Target("value", most=50)})
    if shutil.which("slurmctld"):
        yield Work("300 bags converted with lz4, by batch --on slurm: above convert -j 2", (),
                   "slurm", metrics, {metrics[0]: Target("value", most=1000)})


def python():
    """1,000,000 messages. The peer's figures are those of the first 20,000, as python_load.py
    says."""
    metrics = ("messages per second", "messages per CPU-second")

    def read(name, arguments, phase, targets, metrics=metrics, summary=None):
        return Work(f"python {name}", arguments, phase, metrics, targets, prepare="prepare",
                    summary=summary)

    small = "1,000,000 x 100 B by time: topic, time, payload"
    for format_ in ("mcap", "rosbag"):
        targets = {"messages per second": Target("value", least=2e6)}
        yield read(f"{small}, {format_}", ("small", format_), "raw", targets)
    for format_ in ("mcap", "rosbag"):
        yield read(f"to_numpy() of five fields of 1,000,000 Odometry, {format_}",
                   ("odometry", format_), "columns", {"wall time": Target("value", most=500)},
                   ("wall time", "CPU time"), "wall time" if format_ == "rosbag" else None)
    odometry = ("odometry", "rosbag")
    yield read("message.data.pose.pose.position.x of 1,000,000 Odometry", odometry, "fields", {})
    yield read("read_messages() of kitbag.rosbag, Odometry", odometry, "same",
               {"messages per second": Target("ratio", least=1)})
    for name, phase in (("of dicts", "write"), ("by kitbag.rosbag", "write_same")):
        yield Work(f"python write 100,000 Odometry {name}", ("written", "rosbag"), phase, metrics,
                   {"messages per second": Target("ratio", least=1)})
    yield Work("python import kitbag", ("import", "rosbag"), "import", ("wall time", "CPU time"),
               {"wall time": Target("value", most=100)})
