#!/usr/bin/env python3
"""A catalog of 1,000,000 bags with 20 topics each, in SQLite or in PostgreSQL, as a side of
`./dev bench catalogue`: kitbag, and the same questions in SQL, as somebody would write them in
sqlite3 or psql. The database makes the rows (tests/support/fleet_rows.py);
BENCH_CATALOGUE_BAGS is their number, for a try.

* A question is asked 21 times, each time of other bags where it can be, and in SQL 3 times; the
  median is reported, and how many bags the first answer has. A page has 50 bags: kitbag gets all of
  each (topics, tags, paths, events), SQL one row.
* add: 1,000 bags of 40 kB, a second of battery and IMU of the simulated robot each, are added to a
  catalog that is empty.
* where: the moments of 100 bags of 1 GB (holes in files) that meet a condition. The other side
  looks into the first 10 of them without a catalog; its seconds are then counted ten times.

usage: catalogue_load.py BUILD SIDE ENGINE FILE PHASE; all is in a folder beside FILE"""

import json
import os
import re
import resource
import sqlite3
import statistics
import struct
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from fleet_rows import Rows  # noqa: E402
from large_bags import MCAP_HEADER, MCAP_MAGIC, mcap_end, mcap_record, mcap_text  # noqa: E402
from postgres import Postgres  # noqa: E402

BAGS = int(os.environ.get("BENCH_CATALOGUE_BAGS", "1000000"))
ROUNDS, SQL_ROUNDS = 21, 3
SMALL_BAGS = 1000
LARGE_BAGS, PART, IMAGES = 100, 10, 1000
NS = 10**9


class Sqlite:
    def __init__(self, folder):
        self.folder = folder

    def url(self, name):
        return str(self.folder / f"{name}.db")

    def make(self, name):
        for end in ("", "-wal", "-shm"):
            Path(self.url(name) + end).unlink(missing_ok=True)

    def fill(self, name, end_ns):
        database = sqlite3.connect(self.url(name), isolation_level=None)
        for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -500000",
                        "temp_store = FILE"):
            database.execute(f"PRAGMA {setting}").fetchall()
        database.execute("BEGIN")
        Rows(lambda statement: database.execute(statement).fetchall(), True, BAGS,
             end_ns).fill_fast()
        database.execute("COMMIT")
        database.close()

    def timed(self, name, statements):
        database = sqlite3.connect(self.url(name))
        for statement in statements:
            start = time.monotonic()
            rows = database.execute(statement).fetchall()
            yield time.monotonic() - start, rows

    def end(self):
        pass


class Server:
    def __init__(self, folder):
        place = folder / "postgres"
        place.mkdir(exist_ok=True)
        self.server = Postgres(place, "-c shared_buffers=512MB -c maintenance_work_mem=512MB "
                               "-c max_wal_size=2GB -c wal_level=minimal -c max_wal_senders=0")

    def url(self, name):
        return self.server.url(name)

    def make(self, name):
        self.server.ask(f"DROP DATABASE IF EXISTS {name}")
        self.server.make_database(name)

    def fill(self, name, end_ns):
        def ask(statement):
            lines = self.server.ask(statement, name, timeout=3600,
                                    options="-c session_replication_role=replica")
            return [line.split("|", 1) for line in lines]

        Rows(ask, False, BAGS, end_ns).fill_fast()
        self.server.ask("VACUUM ANALYZE", name, timeout=3600)

    def timed(self, name, statements):
        done = subprocess.run(
            ["psql", "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", self.url(name)],
            input="\\timing on\n" + "".join(each + ";\n" for each in statements), text=True,
            check=True, stdout=subprocess.PIPE).stdout
        for answer in re.findall(r"(.*?)^Time: ([0-9.]+) ms.*?\n", done, re.M | re.S):
            yield float(answer[1]) / 1e3, answer[0].splitlines()

    def end(self):
        self.server.end()


# --- questions ------------------------------------------------------------------------------------

PAGE = "FROM bags {} ORDER BY start_ns DESC, bag DESC LIMIT 50"
BY_TOPIC = ("EXISTS (SELECT 1 FROM bag_channels JOIN channels USING (channel) WHERE "
            "bag_channels.bag = bags.bag AND {})")
BY_TAG = "bag IN (SELECT bag FROM tags WHERE name = '{}' AND value = '{}')"
BY_TEXT = "bag IN (SELECT bag FROM files WHERE path LIKE '%{}%')"


def page(*conditions):
    where = "WHERE " + " AND ".join(conditions) if conditions else ""
    return "SELECT * " + PAGE.format(where)


def questions(phase, end_ns):
    """What kitbag is asked, and the same in SQL."""
    month_ns = end_ns - 30 * 86_400 * NS
    for i in range(ROUNDS):
        bag = BAGS * (i + 1) // (ROUNDS + 1)
        robot = f"r{i * 2 + 1}"
        day = time.strftime("%Y-%m-%d", time.gmtime(end_ns // NS - (i + 1) * 86_400 * 40))
        camera = "topic LIKE '/camera/%'"
        yield {
            "list": ({}, page()),
            "deep": ({"behind": BAGS // 2 + i}, page() + f" OFFSET {BAGS // 2 + i}"),
            "skip": ({"skip": BAGS // 2 + i}, page() + f" OFFSET {BAGS // 2 + i}"),
            "count": ({"count": 2**64 - 1}, "SELECT COUNT(*) FROM bags"),
            "count_topic": ({"topic": "/camera/*", "count": 10_000},
                            "SELECT COUNT(*) FROM (SELECT 1 FROM bags WHERE "
                            f"{BY_TOPIC.format(camera)} LIMIT 10000) AS counted"),
            "topic": ({"topic": "/camera/*"}, page(BY_TOPIC.format(camera))),
            "one_topic": ({"topic": f"/state/s{90 + i}"},
                          page(BY_TOPIC.format(f"topic = '/state/s{90 + i}'"))),
            "old_topic": ({"topic": "/sonar"}, page(BY_TOPIC.format("topic = '/sonar'"))),
            "rare_topic": ({"topic": "/rare"}, page(BY_TOPIC.format("topic = '/rare'"))),
            "type": ({"type": "sensor_msgs/PointCloud2"},
                     page(BY_TOPIC.format("type = 'sensor_msgs/PointCloud2'"))),
            "tag": ({"tag": f"robot={robot}"}, page(BY_TAG.format("robot", robot))),
            "old_tag": ({"tag": "robot=r0"}, page(BY_TAG.format("robot", "r0"))),
            "last": ({"begin_ns": month_ns}, page(f"end_ns >= {month_ns}", "messages > 0")),
            "text_name": ({"text": f"drive_{bag:07}"}, page(BY_TEXT.format(f"drive_{bag:07}"))),
            "text_day": ({"text": day}, page(BY_TEXT.format(day))),
            "text_month": ({"text": day[:7]}, page(BY_TEXT.format(day[:7]))),
            "text_common": ({"text": "mcap"}, page(BY_TEXT.format("mcap"))),
            "text_none": ({"text": f"no such {i}"}, page(BY_TEXT.format(f"no such {i}"))),
            "all": ({"topic": "/camera/*", "tag": f"robot={robot}", "begin_ns": month_ns,
                     "text": "drive"},
                    page(BY_TOPIC.format(camera), BY_TAG.format("robot", robot),
                         f"end_ns >= {month_ns}", BY_TEXT.format("drive"))),
        }[phase]


def ask(build, engine, phase, end_ns):
    lines = ["\t".join(f"{key}={value}" for key, value in {"most": 50, **asked}.items())
             for asked, _ in questions(phase, end_ns)]
    done = subprocess.run([build / "bench/kitbag_catalogue", engine.url("fleet")], text=True,
                          input="\n".join(lines), check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def ask_bare(engine, phase, end_ns):
    statements = [sql for _, sql in questions(phase, end_ns)][:SQL_ROUNDS]
    timed = list(engine.timed("fleet", statements))
    seconds = [each for each, _ in timed]
    rows = timed[0][1]
    bags = int(str(rows[0]).strip("(),")) if phase.startswith("count") else len(rows)
    return {"messages": bags, "wall_s": statistics.median(seconds), "worst_s": max(seconds)}


# --- bags -----------------------------------------------------------------------------------------

def run(command, codes=(0,)):
    """The report of a program that ends with one of the codes, and what it has printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    done = subprocess.run(list(map(str, command)), text=True, capture_output=True)
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in codes:
        raise SystemExit(f"{command}: {done.returncode}: {done.stderr}")
    return {"wall_s": wall, "cpu_s": after.ru_utime + after.ru_stime - before.ru_utime
            - before.ru_stime}, done


def make_small_bags(program, folder):
    folder.mkdir(exist_ok=True)
    if len(list(folder.iterdir())) == SMALL_BAGS:
        return
    for seed in range(SMALL_BAGS):
        run([program, "convert", f"demo://?seconds=1&seed={seed}", folder / f"{seed:04}.mcap",
             "--topics", "/battery", "/imu", "--force"])


def write_large_bag(path, number):
    """1,000 images of 1 MB in 100 s, which are holes, with a number beside each. All numbers of all
    bags lie between 20 and 30, but one."""
    start_ns = 1_700_000_000 * NS + number * 200 * NS

    def channel(which, topic, name, definition):
        schema = mcap_record(3, which.to_bytes(2, "little") + mcap_text(name)
                             + mcap_text("ros1msg") + mcap_text(definition))
        return schema + mcap_record(4, which.to_bytes(2, "little") * 2 + mcap_text(topic)
                                    + mcap_text("ros1") + bytes(4))

    def message(which, i, size, content=b""):
        at = (start_ns + i * NS // 10).to_bytes(8, "little")
        return (b"\x05" + (22 + size).to_bytes(8, "little") + which.to_bytes(2, "little")
                + i.to_bytes(4, "little") + at + at + content)

    with open(path, "wb") as file:
        file.write(MCAP_MAGIC + MCAP_HEADER)
        channels = (channel(1, "/camera", "bench/Image", "uint32 width\nuint8[] pixels\n")
                    + channel(2, "/battery", "std_msgs/Float64", "float64 data\n"))
        file.write(channels)
        for i in range(IMAGES):
            value = 90 if number == LARGE_BAGS // 2 and i == 500 else 20 + (i * 7 + number) % 10
            file.write(message(2, i, 8, struct.pack("<d", value)))
            file.write(message(1, i, 1_000_000, bytes(4) + (999_992).to_bytes(4, "little")))
            file.seek(999_992, os.SEEK_CUR)
        counts = b"".join(struct.pack("<HQ", which, IMAGES) for which in (1, 2))
        mcap_end(file, channels + mcap_record(
            11, struct.pack("<QHIIIIQQI", 2 * IMAGES, 2, 2, 0, 0, 0, start_ns,
                            start_ns + (IMAGES - 1) * NS // 10, len(counts)) + counts))


def make_large_bags(folder):
    if folder.exists():
        return
    folder.mkdir()
    for number in range(LARGE_BAGS):
        write_large_bag(folder / f"{number:03}.mcap", number)


def prepare(program, engine, folder, phase):
    """What a phase needs, if it is not there."""
    mark = folder / f"{engine.name}_{phase}"
    if mark.exists():
        return
    if phase == "where":
        make_large_bags(folder / "large")
        engine.make("large")
        run([program, "catalog", "init", engine.url("large")])
        run([program, "catalog", "scan", engine.url("large"), folder / "large"])
    elif phase == "add":
        make_small_bags(program, folder / "small")
    else:
        end_ns = time.time_ns()
        engine.make("fleet")
        run([program, "convert", "demo://?seconds=200", folder / "one.mcap", "--topics",
             "/battery", "--force"])
        run([program, "catalog", "init", engine.url("fleet")])
        run([program, "catalog", "add", engine.url("fleet"), folder / "one.mcap"])
        engine.fill("fleet", end_ns)
        mark.write_text(str(end_ns))
        return
    mark.touch()


def add(program, engine, folder):
    engine.make("small")
    run([program, "catalog", "init", engine.url("small")])
    report, done = run([program, "catalog", "scan", engine.url("small"), folder / "small"])
    if f"{SMALL_BAGS:,} added" not in done.stdout:
        raise SystemExit(done.stdout[-200:])
    return report | {"messages": SMALL_BAGS}


def find_where(program, engine, folder, side, condition):
    if side == "kitbag":
        report, done = run([program, "find", "--catalog", engine.url("large"), "--where",
                            condition])
        return report | {"messages": done.stdout.count("\n")}
    part = sorted((folder / "large").iterdir())[:PART]
    report, done = run([program, "find", *part, "--where", condition])
    return {key: value * (LARGE_BAGS // PART) for key, value in report.items()}


def main():
    build, side, engine_name, file, phase = sys.argv[1:]
    build = Path(build).resolve()
    program = build / "kitbag"
    folder = Path(file).parent / "catalogue"
    folder.mkdir(exist_ok=True)
    engine = Sqlite(folder) if engine_name == "sqlite" else Server(folder)
    engine.name = engine_name
    try:
        group = phase.split("_")[0] if phase.startswith(("where", "add")) else "fleet"
        prepare(program, engine, folder, group)
        if group == "add":
            report = add(program, engine, folder)
        elif group == "where":
            condition = {"where_none": "data > 1000", "where_one": "data > 50"}[phase]
            report = find_where(program, engine, folder, side, condition)
        else:
            end_ns = int((folder / f"{engine_name}_fleet").read_text())
            report = (ask(build, engine, phase, end_ns) if side == "kitbag"
                      else ask_bare(engine, phase, end_ns))
    finally:
        engine.end()
    print(json.dumps(report))


if __name__ == "__main__":
    main()
