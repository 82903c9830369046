#!/usr/bin/env python3
"""The figures of docs/fleet.md, of the fleet that runs:

    ./dev fleet up && python3 deploy/fleet/measure.py build/fleet build/release/kitbag
"""

import json
import re
import subprocess
import sys
import time
import urllib.request
from urllib.parse import quote

import units
from fleet import CATALOG, SERVER, Fleet

START = 1767225600
LISTED = 2000
# Of the robot; for many bags without its cameras and laser points, which have next to no
# numbers, so that they take little room.
ROBOT = "demo://?seconds={}&start={}&seed={}"
SMALL = ROBOT + "&image=0.1&points=0.1&scan=0.1"


class Measure:
    def __init__(self, fleet):
        self.fleet = fleet
        self.folder = fleet.place.folder("/var/measured")

    def store_counters(self):
        """Requests that the gateway has answered."""
        socket = self.fleet.place.path("/var/lib/ceph/run/client.rgw.asok")
        said = subprocess.run(["ceph", "--admin-daemon", socket, "perf", "dump"], check=True,
                              capture_output=True, text=True).stdout
        return json.loads(said)["rgw"]["req"]

    def upload(self):
        """Bytes of a minute, requests, seconds and CPU seconds for an uploaded GB."""
        folder = self.fleet.place.folder("/var/measured/minutes")
        for i in range(5):
            self.fleet.kitbag("convert", ROBOT.format(60, START + i * 60, i),
                              folder / f"m{i}.mcap", "--compression", "zstd", "--force")
        size = sum(path.stat().st_size for path in folder.iterdir())
        before, begin = self.store_counters(), time.monotonic()
        self.fleet.kitbag("upload", folder, f"s3://bags/r1/measured-{int(time.time())}/", user="r1")
        seconds, requests = time.monotonic() - begin, self.store_counters() - before
        print(f"a minute of the robot: {size / 5e6:.1f} MB (zstd)")
        print(f"uploading: {requests} requests for {size / 1e6:.0f} MB in 5 files, "
              f"{requests * 1e9 / size:.0f} a GB, {size / 1e6 / seconds:.0f} MB/s")

    def sql(self, statement):
        return self.fleet.database.ask("fleet", "-c", statement)

    def sizes(self):
        """Rows and bytes of all tables."""
        tables = self.sql("SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = "
                          "'public'::regnamespace ORDER BY relname")
        rows = {name: int(self.sql(f"SELECT count(*) FROM {name}")[0]) for name in tables}
        size = self.sql("SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' "
                        "AND relnamespace = 'public'::regnamespace")
        return rows, int(size[0])

    def catalog(self, minutes, count):
        folder = self.fleet.place.folder(f"/var/measured/many{minutes}")
        for i in range(count):
            seconds = minutes * 60
            self.fleet.kitbag("convert", SMALL.format(seconds, START + i * seconds, i),
                              folder / f"s{i}.mcap", "--compression", "zstd", "--force")
        url = self.fleet.database.url("writer")
        known = self.known(folder)
        if known:
            self.fleet.kitbag("catalog", "remove", url, *known, role="writer")
        self.sql("VACUUM FULL")
        rows, size = self.sizes()
        begin = time.monotonic()
        self.fleet.kitbag("catalog", "scan", url, folder, role="writer")
        seconds = time.monotonic() - begin
        self.sql("VACUUM FULL")
        more_rows, more_size = self.sizes()
        new = {name: (more - rows.get(name, 0)) / count for name, more in more_rows.items()}
        print(f"catalog: bags of {minutes} min: {count / seconds:.0f} a second, "
              f"{(more_size - size) / count / 1e3:.1f} kB and {sum(new.values()):.0f} rows each")
        print("  " + ", ".join(f"{name} {each:.0f}" for name, each in new.items() if each))

    def known(self, folder):
        listed = self.fleet.kitbag("catalog", "list", self.fleet.database.url("reader"), "--json",
                                   role="reader")
        return [path for line in listed.splitlines() for path in json.loads(line)["files"]
                if path.startswith(str(folder))]

    def servers(self):
        self.fleet.kitbag("catalog", "scan", self.fleet.database.url("writer"), "s3://bags",
                          user="catalog", role="writer")
        token = self.fleet.state["passwords"]["server"]
        asked = urllib.request.Request(f"{self.fleet.proxy.url}/bags/?text=m0.mcap", headers={
            "Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(asked, timeout=60) as answer:
            name = quote(json.load(answer)[0]["filename"], safe="")
        for what in ("", "info", "player?start_time=1767225610&end_time=1767225610.1",
                     "series?topics=/odom&fields=pose.pose.position.x&buckets=100"):
            path = f"/bags/{name}/{what}" if what else "/bags/?limit=100"
            said = subprocess.run(
                ["wrk", "-t", "1", "-c", "16", "-d", "5s", "-H", f"Authorization: Bearer {token}",
                 f"{self.fleet.proxy.url}{path}"], check=True, capture_output=True,
                text=True).stdout
            rate = re.search(r"Requests/sec: *([\d.]+)", said)[1]
            failed = re.search(r"Non-2xx.*", said)
            print(f"servers: {what.split('?')[0] or 'list of 100'}: {float(rate):,.0f} requests/s"
                  f"{f' ({failed[0]})' if failed else ''}")


    def listing(self):
        folder = self.fleet.place.folder("/var/measured/listed")
        for i in range(LISTED):
            (folder / f"{i}").write_bytes(b"x")
        self.fleet.kitbag("cp", "-r", "-j", "8", folder, "s3://converted/", "-f", user="batch")
        before, begin = self.store_counters(), time.monotonic()
        self.fleet.kitbag("ls", "-r", "s3://converted/listed", user="batch")
        seconds, requests = time.monotonic() - begin, self.store_counters() - before
        print(f"listing {LISTED:,} objects: {requests} requests, {seconds:.2f} s")


def main():
    fleet = Fleet(sys.argv[1], sys.argv[2])
    for name in fleet.unit_names():  # what else would ask the store
        if not name.startswith(SERVER):
            fleet.stop_unit(name)
    measure = Measure(fleet)
    measure.upload()
    measure.listing()
    measure.catalog(1, 100)
    measure.catalog(10, 20)
    measure.servers()
    units.start(fleet.place, CATALOG)


if __name__ == "__main__":
    main()
