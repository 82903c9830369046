#!/usr/bin/env python3
"""A bag of 1 GB in a real Ceph Object Gateway, as a side of `./dev bench remote`: kitbag, curl that
gets the whole object, and rclone that copies it there. Gateway and clients share the cores, and all
is in memory.

* read: every message of the bag, in the order of the file.
* info, query: of the whole bag, and of 1 % of its time; nginx between counts requests and bytes.
* upload: the bag, to an object.

Each is done three times, and the run with the median time is reported. The bench runs the sides in
turn, and takes the median of what they report: a machine whose speed drifts favours none of them.

usage: remote_load.py BUILD SIDE mcap FILE PHASE; the bag is in a folder beside FILE"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from nginx import Nginx  # noqa: E402
from object_store import REGION, ObjectStore, free_port  # noqa: E402

RUNS = 3
SECONDS = 880  # of the simulated robot: 1 GB
PROXY = """
log_format counted '$body_bytes_sent';
server {{
  listen unix:{folder}/socket;
  listen 127.0.0.1:{port};
  access_log {folder}/counted.log counted;
  client_max_body_size 0;
  location / {{ proxy_pass {url}; proxy_set_header Host $http_host; proxy_buffering off; }}
}}
"""
RCLONE = ("rclone", "--config", "/dev/null", "--s3-provider", "Ceph", "--s3-env-auth",
          "--s3-region", REGION)


def make_bag(program, folder):
    bag = folder / "drive.mcap"
    if not bag.exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run([program, "convert", f"demo://?seconds={SECONDS}&seed=7", bag,
                        "--compression", "none"], check=True, stdout=subprocess.DEVNULL)
    return bag


class Counter:
    """A proxy before the store. `url` is where it answers."""

    def __init__(self, store, folder):
        folder.mkdir()
        self.log = folder / "counted.log"
        port = free_port(range(store.port + 1, 32000))
        self.url = f"http://127.0.0.1:{port}"
        self.nginx = Nginx(folder, PROXY.format(folder=folder, port=port, url=store.url))
        self.nginx.wait_for("socket")

    def take(self):
        """What came since the last time: requests, and bytes of content."""
        time.sleep(0.2)  # a line is written after its answer
        lines = self.log.read_text().split() if self.log.exists() else []
        self.log.write_text("")
        return {"requests_in_all": len(lines), "transferred_bytes": sum(map(int, lines))}


def measured(command, environment):
    """The report of a run of a program."""
    with tempfile.TemporaryFile("w+") as said:
        start = time.monotonic()
        process = subprocess.Popen(list(map(str, command)), env=environment, stdout=said,
                                   stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            said.seek(0)
            raise SystemExit(f"{command[0]}: {process.returncode}: {said.read()}")
    return {"wall_s": wall, "cpu_s": usage.ru_utime + usage.ru_stime,
            "peak_bytes": usage.ru_maxrss << 10}


def commands(side, phase, build, bag, store, link):
    """What a side runs; `link` is one to the object."""
    here = "s3://bags/drive.mcap"
    return {
        ("kitbag", "read"): (build / "bench/kitbag_mcap", "a", "none", here, "read"),
        ("kitbag", "bounded"): (build / "kitbag", "check", here, "--cache-memory", "24MiB"),
        ("kitbag", "info"): (build / "kitbag", "info", "--json", here),
        ("kitbag", "query"): (build / "kitbag", "cat", here, "--start", f"+{SECONDS // 2}s",
                              "--duration", f"{SECONDS / 100}s", "--format", "digest"),
        ("kitbag", "upload"): (build / "kitbag", "cp", bag, "s3://bags/up.mcap", "--force"),
        ("curl", "read"): ("curl", "-sf", "-o", "/dev/null", link),
        ("rclone", "upload"): (*RCLONE, "--s3-endpoint", store.url, "copyto", bag,
                               ":s3:bags/up.mcap"),
    }[side, phase]


def main():
    build, side, _, file, phase = sys.argv[1:]
    build = Path(build).resolve()
    bag = make_bag(build / "kitbag", Path(file).parent / "remote")
    size = bag.stat().st_size
    asked = size // 100 if phase == "query" else size
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        store = ObjectStore(folder / "store", size_bytes=(RUNS + 3) * size)
        try:
            store.make_bucket("bags")
            own = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
            environment = {**own, **store.environment(), "HOME": str(folder)}
            if phase != "upload":
                measured((*RCLONE, "--s3-endpoint", store.url, "copyto", bag,
                          ":s3:bags/drive.mcap"), environment)
            link = None
            if side == "curl":
                link = subprocess.run([*RCLONE, "--s3-endpoint", store.url, "link", "--expire",
                                       "1h", ":s3:bags/drive.mcap"], check=True, text=True,
                                      env=environment, stdout=subprocess.PIPE).stdout.strip()
            counter = Counter(store, folder / "counter") if phase in ("info", "query") else None
            if counter:
                environment["AWS_ENDPOINT_URL"] = counter.url
            reports = []
            for _ in range(RUNS):
                store.delete("bags", "up.mcap")
                report = measured(commands(side, phase, build, bag, store, link),
                                  environment)
                report |= {"bytes": asked, **(counter.take() if counter else {})}
                reports.append(report)
            if counter:
                counter.nginx.end()
        finally:
            store.end()
    print(json.dumps(sorted(reports, key=lambda each: each["wall_s"])[RUNS // 2]))


if __name__ == "__main__":
    main()
