"""The programs that do the same work as kitbag: for each group, those that are installed."""

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from nginx import find_nginx  # noqa: E402


@dataclass
class Peer:
    """Another program that does the same work, and takes the same arguments."""

    name: str
    command: tuple
    does: callable = lambda work: True
    is_limit: bool = False  # it makes no bag, and counts other bytes
    is_bare: bool = False  # it counts the same bytes, without checks and layers


def rosbag(build):
    program = build / "bench" / "peer_rosbag"
    return [Peer("librosbag_storage", (program,))] if program.exists() else []


def mcap(build):
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


def sqlite3(build):
    return [Peer("SQLite as rosbag2 uses it", (build / "bench" / "peer_sqlite3",),
                 does=lambda work: work.phase not in ("open", "query"))]


def threads(build):
    return [Peer("one thread", ("env", "BENCH_THREADS=1", build / "bench" / "kitbag_threads"))]


def live(build):
    return [Peer("a copy", (build / "bench" / "peer_limits",), is_limit=True)]


def convert(_):
    return [Peer("zstd -1 -T2", ("python3", ROOT / "bench/peer_zstd.py"))]


def many_load(build, side="kitbag"):
    return ("python3", ROOT / "bench/many_load.py", build, side)


def many(build):
    if Path("/usr/bin/rosbag").exists():
        yield Peer("a shell loop of rosbag", many_load(build, "rosbag"))


def jobs_load(build, side="kitbag"):
    return ("python3", ROOT / "bench/jobs_load.py", build, side)


def jobs(build):
    yield Peer("a shell loop of kitbag convert", jobs_load(build, "loop"),
               lambda work: work.metrics[0] == "wall time")


def remote_load(build, side="kitbag"):
    return ("python3", ROOT / "bench/remote_load.py", build, side)


def remote(build):
    yield Peer("curl", remote_load(build, "curl"), lambda work: work.phase == "read",
               is_limit=True)
    if shutil.which("rclone"):
        yield Peer("rclone", remote_load(build, "rclone"), lambda work: work.phase == "upload")


def catalogue_load(build, side="kitbag"):
    return ("python3", ROOT / "bench/catalogue_load.py", build, side)


def catalogue(build):
    yield Peer("plain SQL", catalogue_load(build, "SQL"),
               lambda work: not work.phase.startswith(("add", "where")))
    yield Peer("without a catalog", catalogue_load(build, "files"),
               lambda work: work.phase == "where_one", is_limit=True)


def live_load(build, recorder="kitbag"):
    return ("python3", ROOT / "bench/live_load.py", build, recorder)


def ros1(build):
    if Path("/usr/bin/rosbag").exists():
        yield Peer("rosbag record", live_load(build, "rosbag"))


def broker(build):
    """The library of the broker's client, which counts and keeps nothing."""
    yield Peer("a bare loop", live_load(build, "loop"), is_bare=True)


def serve_load(build, server="kitbag"):
    return ("python3", ROOT / "bench/serve_load.py", build, server)


def instructions_load(build):
    return ("python3", ROOT / "bench/instructions_load.py", build)


def page_load(build):
    return ("python3", ROOT / "bench/page_load.py", build)


def serve(build):
    if find_nginx():
        yield Peer("nginx", serve_load(build, "nginx"), lambda work: work.phase == "download")


def disk(build):
    return [Peer("a bare loop of io_uring", (build / "bench" / "peer_disk",), is_bare=True)]


def columns_program(build):
    return (build / "bench" / "kitbag_columns",)


def export(build):
    yield Peer("a bare loop", ("env", "BENCH_BY=loop", *columns_program(build)),
               lambda work: work.arguments == ("jpegs",), is_bare=True)
    if Path("/usr/lib/python3/dist-packages/rosbag").exists():
        yield Peer("rosbag's Python to CSV", ("/usr/bin/python3", ROOT / "bench/peer_export.py"),
                   lambda work: work.arguments == ("rosbag",))
    if Path("/usr/bin/ffmpeg").exists():
        yield Peer("ffmpeg", ("python3", ROOT / "bench/peer_video.py"),
                   lambda work: work.phase == "video")


def columns(build):
    """kitbag in its other ways; and rosbag's Python."""
    program, = columns_program(build)

    def by(name):
        return ("env", f"BENCH_BY={name}", program)

    yield Peer("kitbag's visitor", by("visitor"), lambda work: work.arguments == ("memory",))
    yield Peer("reading without decoding", by("reading"), lambda work: work.phase == "beside",
               is_bare=True)
    yield Peer("two more threads", by("threads"), lambda work: work.phase == "whole")
    yield Peer("a copy", by("copy"), lambda work: work.arguments == ("image",), is_limit=True)
    if Path("/usr/lib/python3/dist-packages/rosbag").exists():
        yield Peer("rosbag's Python", ("/usr/bin/python3", ROOT / "bench/peer_columns.py"),
                   lambda work: work.arguments == ("rosbag",))


def codec(_):
    sensors = Path("/usr/lib/python3/dist-packages/sensor_msgs")
    if sensors.exists():
        yield Peer("Debian's Python messages", ("/usr/bin/python3", ROOT / "bench/peer_codec.py"),
                   lambda work: work.phase in ("visit", "json"))
    if (ROOT / "tests/interop/node_modules/@foxglove/rosmsg-serialization").exists():
        yield Peer("npm's rosmsg-serialization", ("node", ROOT / "bench/peer_codec.mjs"))


def python_load(build, side="kitbag"):
    return ("/usr/bin/python3", ROOT / "bench/python_load.py", build, side)


def python(build):
    """The real rosbag, which reads a fiftieth of the messages; see python_load.py."""
    if Path("/usr/lib/python3/dist-packages/rosbag").exists():
        yield Peer("rosbag's Python", python_load(build, "rosbag"),
                   lambda work: work.arguments[1] == "rosbag")
