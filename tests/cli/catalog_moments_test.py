#!/usr/bin/env python3
"""Moments in many bags, by a catalog in SQLite and in PostgreSQL: found, noted, cut and linked."""

import json
import os
import random
import resource
import shutil
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from catalog_case import HOUR_NS, STEP_NS, Catalogs, InPostgres, InSqlite
from cli import START_NS, BagFile, CliTest, main, u32
from peers import REAL_BAGS, need_real_bags

MADE = 260
WHERE = ["--where", "mark > 500"]
SECOND_NS = 10**9


class Moments(Catalogs):
    def marks(self, name, values, start_ns=START_NS):
        self.numbers(name, values, start_ns, "/mark", "fleet_msgs/Mark", "int32 mark\n")

    def fleet(self):
        """Made bags, of which every fourth has a mark that no other has, real bags, and five of
        these with such a mark: {path: (mark, time)}, and the real ones as they are."""
        need_real_bags()
        dice = random.Random(7)
        planted = {}
        for number in range(MADE):
            name = f"runs/{number % 7}/{number}.bag"
            values = [dice.randrange(100) for _ in range(100)]
            if number % 4 == 0:
                at = dice.randrange(100)
                values[at] = 1000 + number
                planted[name] = (1000 + number, START_NS + number * HOUR_NS + at * STEP_NS)
            self.marks(name, values, START_NS + number * HOUR_NS)
        real = self.real_bags()
        for number, path in enumerate(real):
            shutil.copy(path, self.folder / "runs" / f"{number}_{path.name}")
        # Real bags with a moment of ours in them.
        of_ros1 = [path for path in real if path.name.startswith("v2.0")][-5:]
        for number, path in enumerate(of_ros1):
            mark, start_ns = 5000 + number, START_NS - (number + 1) * HOUR_NS
            self.marks("mark.bag", [3, mark, 3], start_ns)
            name = f"runs/with_{path.name}"
            self.assertLess(self.run_program("merge", path, "mark.bag", "-o", name).returncode, 2)
            planted[name] = (mark, start_ns + STEP_NS)
        (self.folder / "mark.bag").unlink()
        return planted, real

    @staticmethod
    def real_bags():
        """Of all formats, each content once, the smallest first; none that is only a beginning."""
        found = [path for pattern in ("ros1/v*.bag", "mcap/**/*.mcap", "rosbag2/**/*.db3")
                 for path in sorted(REAL_BAGS.parent.glob(pattern))
                 if 1000 < path.stat().st_size < 10**6 and "invalid" not in path.name]
        by_content = {path.read_bytes(): path for path in found}
        return sorted(by_content.values(), key=lambda path: path.stat().st_size)[:45]

    def expected(self, planted):
        return sorted((self.path(name), mark, time) for name, (mark, time) in planted.items())

    def moments(self, code=0):
        found, said = self.found(*WHERE, code=code)
        return sorted((each["file"], each["value"]["mark"], each["start_ns"])
                      for each in found), said

    def test_planted_moments_in_300_bags_wherever_they_are(self):
        planted, real = self.fleet()
        self.catalog("init")
        done = self.run_program("catalog", "scan", self.address, "runs")
        bags = len(self.listed())
        self.assertGreaterEqual(bags, 300)
        self.assertIn(f"{MADE + len(real) + 5} added", done.stdout, done.stderr)

        def opened(said, changed=0):
            """Those with a moment, and those of whose types nothing is known."""
            count = int(said.split(" bags: ")[1].split(" by the catalog, ")[1].split(" ")[0])
            self.assertIn(f"{bags} bags: {bags - count} ruled out", said)
            self.assertGreaterEqual(count, len(planted) + changed)
            self.assertLessEqual(count, len(planted) + changed + len(real) // 3)
            return count

        found, said = self.moments()
        self.assertEqual(found, self.expected(planted))
        opened(said)
        # With the topic, it is known that the others are not in question.
        found, said = self.found(*WHERE, "--topics", "/mark")
        self.assertEqual(len(found), len(planted))
        self.assertIn(f"{MADE + 5} bags: {MADE + 5 - len(planted)} ruled out by the catalog, "
                      f"{len(planted)} opened\n", said)

        # Some are moved: before the next scan, their moments are missed and named, not invented.
        moved = [f"runs/{number % 7}/{number}.bag" for number in (0, 4, 100)]
        for name in moved:
            target = name.replace("runs/", "later/")
            (self.folder / target).parent.mkdir(parents=True, exist_ok=True)
            os.rename(self.folder / name, self.folder / target)
        found, said = self.moments(code=2)
        self.assertEqual(found, self.expected({name: at for name, at in planted.items()
                                               if name not in moved}))
        for name in moved:
            self.assertRegex(said, f"{name.rpartition('/')[2]}: .*not there any more.*scan")
        self.run_program("catalog", "scan", self.address, ".")
        for name in moved:
            planted[name.replace("runs/", "later/")] = planted.pop(name)
        bags = len(self.listed())
        found, said = self.moments()
        self.assertEqual(found, self.expected(planted))
        opened(said)

        # Some are replaced: by others with a moment, without one, or damaged. Nobody scans.
        self.marks("runs/1/1.bag", [7777] + [1] * 99, START_NS + HOUR_NS)
        planted["runs/1/1.bag"] = (7777, START_NS + HOUR_NS)
        self.marks("runs/1/8.bag", [1] * 100, START_NS + 8 * HOUR_NS)
        del planted["runs/1/8.bag"]
        for number in (12, 16):  # a cut through the index loses no message
            path = self.folder / f"runs/{number % 7}/{number}.bag"
            path.write_bytes(path.read_bytes()[:-200])
        number = 20  # and one through the messages those behind it
        path = self.folder / f"runs/{number % 7}/{number}.bag"
        path.write_bytes(path.read_bytes()[:4300])
        del planted["runs/6/20.bag"]
        done = self.run_program("find", "--catalog", self.address, "--json", *WHERE)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        found = sorted((each["file"], each["value"]["mark"], each["start_ns"])
                       for each in map(json.loads, done.stdout.splitlines()))
        self.assertEqual(found, self.expected(planted))
        self.assertIn("5 of them because they have changed since they were added", done.stderr)
        self.run_program("catalog", "scan", self.address, ".")
        self.assertEqual(self.moments()[0], self.expected(planted))

    def planted_three(self):
        """Three moments in two bags, two of them close to each other."""
        self.marks("a/run1.bag", [0] * 50 + [600] + [0] * 10 + [700, 700] + [0] * 200)
        self.marks("b/run2.bag", [0] * 100 + [800] + [0] * 5, START_NS + HOUR_NS)
        self.marks("b/none.bag", [0] * 100)
        self.catalog("init")
        self.catalog("scan", "a", "b")

    def test_the_json_of_a_moment(self):
        self.planted_three()
        found, _ = self.found(*WHERE)
        self.assertEqual(found[1], {
            "file": self.path("a/run1.bag"), "topic": "/mark",
            "start_ns": START_NS + 61 * STEP_NS, "end_ns": START_NS + 62 * STEP_NS,
            "messages": 2, "value": {"mark": 700}})

    def test_moments_become_events_once(self):
        self.planted_three()
        _, said = self.found(*WHERE, "--events", "high mark")
        self.assertIn("3 events added\n", said)
        events = {Path(bag["files"][0]).name: [(each["name"], each["start_ns"], each["end_ns"])
                                               for each in bag["events"]] for bag in self.listed()}
        self.assertEqual(events, {
            "run1.bag": [("high mark", START_NS + 50 * STEP_NS, START_NS + 50 * STEP_NS),
                         ("high mark", START_NS + 61 * STEP_NS, START_NS + 62 * STEP_NS)],
            "run2.bag": [("high mark", START_NS + HOUR_NS + 100 * STEP_NS,
                          START_NS + HOUR_NS + 100 * STEP_NS)],
            "none.bag": []})
        _, said = self.found(*WHERE, "--events", "high mark")
        self.assertIn("0 events added, 3 were there\n", said)
        _, said = self.found("--where", "mark > 750", "--events", "very high")
        self.assertIn("1 event added\n", said)
        self.assertEqual(sum(len(bag["events"]) for bag in self.listed()), 4)
        self.assertEqual(len(self.listed("--text", "very")), 1)

    def cut(self, *arguments, code=0, **more):
        done = self.run_program("find", "--catalog", self.address, "--json", *WHERE, "--cut", "2s",
                                *arguments, **more)
        self.assertEqual(done.returncode, code, done.stderr)
        cuts = [each for each in map(json.loads, done.stdout.splitlines()) if "cut" in each]
        return cuts, done.stderr

    def test_cuts(self):
        self.planted_three()
        cuts, said = self.cut("--to", "new/cuts")
        self.assertIn("2 cuts written to new/cuts\n", said)
        names = ["run1-2023-11-14T22-13-23Z.mcap", "run2-2023-11-14T23-13-28Z.mcap"]
        self.assertEqual([(each["cut"], each["file"], each["moments"], each["what"])
                          for each in cuts],
                         [(f"new/cuts/{names[0]}", self.path("a/run1.bag"), 2, "written"),
                          (f"new/cuts/{names[1]}", self.path("b/run2.bag"), 1, "written")])
        self.assertEqual(sorted(os.listdir(self.folder / "new/cuts")), names)
        self.kitbag("cut", "a/run1.bag", "-o", "same.mcap", "--start", "+3s", "--end",
                    "+8200000001ns")
        self.assertEqual(self.digest(f"new/cuts/{names[0]}"), self.digest("same.mcap"))
        self.assertEqual(cuts[0]["messages"], 53)
        # The end of the bag is the end of the cut.
        self.assertEqual((cuts[1]["end_ns"] - START_NS - HOUR_NS) // STEP_NS, 105)
        self.kitbag("check", *(f"new/cuts/{name}" for name in names))

        # Asked again, what is there stays; another question writes only what is new.
        before = os.stat(self.folder / "new/cuts" / names[0]).st_mtime_ns
        cuts, said = self.cut("--to", "new/cuts")
        self.assertEqual([each["what"] for each in cuts], ["there", "there"])
        self.assertEqual(cuts[0]["messages"], 53)
        self.assertIn("0 cuts written to new/cuts, 2 were there\n", said)
        self.assertEqual(os.stat(self.folder / "new/cuts" / names[0]).st_mtime_ns, before)

        # A cut that was moved with its bag is still known.
        os.rename(self.folder / "a", self.folder / "elsewhere")
        self.catalog("scan", "elsewhere")
        self.assertEqual(self.cut("--to", "new/cuts")[0][0]["what"], "there")

    def test_a_name_that_is_taken(self):
        self.planted_three()
        name = "cuts/run1-2023-11-14T22-13-23Z.mcap"
        (self.folder / "cuts").mkdir()
        (self.folder / name).write_bytes(b"mine")
        cuts, said = self.cut("--to", "cuts", code=2)
        self.assertRegex(said, f"{name}: already exists, and is not this cut; use --force")
        self.assertIn("1 cut written to cuts, 1 failed", said)
        self.assertEqual((self.folder / name).read_bytes(), b"mine")
        self.assertEqual(len(cuts), 1)
        cuts, _ = self.cut("--to", "cuts", "--force")
        self.assertEqual([each["what"] for each in cuts], ["written", "there"])
        self.assertEqual(self.info(name)["messages"], 53)

    def test_latched_messages_are_in_a_cut(self):
        bag = BagFile(self.path("latched.bag"))
        mark = bag.connection("/mark", "fleet_msgs/Mark", definition="int32 mark\n")
        named = bag.connection("/map", "std_msgs/Int32", definition="int32 data\n", latching="1")
        bag.add_chunk([(named, START_NS, u32(42))]
                      + [(mark, START_NS + (1 + i) * STEP_NS, u32(900 if i == 60 else 0))
                         for i in range(100)])
        bag.close()
        self.catalog("init")
        self.catalog("add", "latched.bag")
        (cut,), _ = self.cut("--to", "cuts")
        messages = self.messages(cut["cut"], "--topics", "/map")
        self.assertEqual([each["data"]["data"] for each in messages], [42])
        self.assertEqual(cut["messages"], 42)

    def test_a_cut_that_fails_leaves_nothing(self):
        self.planted_three()

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))

        done = self.run_program("find", "a", "b", *WHERE, "--cut", "2s", "--to", "cuts",
                                preexec_fn=limit)  # no file of a database is written
        self.assertEqual(done.returncode, 2)
        self.assertIn("0 cuts written to cuts, 2 failed\n", done.stderr)
        left = self.folder / "cuts"
        self.assertEqual(os.listdir(left) if left.exists() else [], [])
        # A bag that is gone when the cut is to be made is named as one that cannot be read.
        os.remove(self.folder / "b/run2.bag")
        cuts, said = self.cut("--to", "cuts", code=2)
        self.assertEqual(len(cuts), 1)
        self.assertRegex(said, "run2.bag: .*not there any more")

    def test_cuts_of_paths_are_those_of_the_catalog(self):
        self.planted_three()
        self.cut("--to", "by_catalog")
        done = self.run_program("find", "a", "b", *WHERE, "--cut", "2s", "--to", "by_paths")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count(".mcap: "), 2)
        self.assertIn("2 cuts written to by_paths\n", done.stderr)
        names = sorted(os.listdir(self.folder / "by_catalog"))
        self.assertEqual(sorted(os.listdir(self.folder / "by_paths")), names)
        for name in names:
            self.assertEqual(self.digest(f"by_paths/{name}"), self.digest(f"by_catalog/{name}"))

    def test_links_of_the_player(self):
        self.planted_three()
        page = "http://robot:8090"
        found, _ = self.found(*WHERE, "--links", page)
        prints = {Path(bag["files"][0]).name: bag["fingerprint"][:16] for bag in self.listed()}
        links = [urlsplit(each["link"]) for each in found]
        self.assertEqual({each.netloc + each.path for each in links}, {"robot:8090/"})
        self.assertEqual([parse_qs(each.query) for each in links],
                         [{"bag": [f"{prints['run1.bag']}~run1.bag"], "t": ["5.000"]},
                          {"bag": [f"{prints['run1.bag']}~run1.bag"], "t": ["6.100"]},
                          {"bag": [f"{prints['run2.bag']}~run2.bag"], "t": ["10.000"]}])
        text = self.run_program("find", "a", *WHERE, "--links", f"{page}/?token=x").stdout
        self.assertIn(f"; {page}/?token=x&bag=run1.bag&t=5.000\n", text)
        text = self.run_program("find", "a", "--links", page).stdout
        self.assertIn(f"; {page}/?bag=run1.bag&t=0.000\n", text)

    def test_messages_that_cannot_be_decoded(self):
        bag = BagFile(self.path("broken.bag"))
        mark = bag.connection("/mark", "fleet_msgs/Mark", definition="int32 mark\n")
        bag.add_chunk([(mark, START_NS + i * STEP_NS, u32(i)[:2] if i == 5 else u32(i))
                       for i in range(50)])
        bag.close()
        self.marks("whole.bag", [1, 2, 3])
        self.catalog("init")
        self.catalog("add", "broken.bag", "whole.bag")
        found, said = self.found(*WHERE)
        self.assertEqual(found, [])
        self.assertIn("2 bags: 2 ruled out by the catalog, 0 opened; 1 message cannot be decoded, "
                      "so no condition is met there\n", said)
        self.marks("late.bag", [1, 2])
        self.catalog("add", "late.bag", "--index-only")
        self.assertIn("1 opened; 1 message cannot be decoded, so no condition is met there; read "
                      "whole, as the catalog has no numbers of it: 1 topic of 1 bag\n",
                      self.found(*WHERE)[1])

    def test_parts_of_times(self):
        """By each of their names, which the catalog does not list."""
        bag = BagFile(self.path("times.bag"))
        number = bag.connection("/times", "fleet_msgs/Times", definition="time stamp\n")
        bag.add_chunk([(number, START_NS + i * STEP_NS, u32(i) + u32(700 + i)) for i in range(9)])
        bag.close()
        self.catalog("init")
        self.catalog("add", "times.bag")
        for condition in ("sec == 5", "secs == 5", "seconds == 5", "nsec == 705", "nsecs == 705",
                          "nanosec == 705", "nanos == 705"):
            found, _ = self.found("--where", f"stamp.{condition}")
            self.assertEqual([each["start_ns"] for each in found], [START_NS + 5 * STEP_NS],
                             condition)

    def test_more_fields_than_a_catalog_lists(self):
        fields = 5000
        bag = BagFile(self.path("wide.bag"))
        definition = "".join(f"string t{i}\n" for i in range(fields)) + "string name\n"
        number = bag.connection("/wide", "fleet_msgs/Wide", definition=definition)
        bag.add_chunk([(number, START_NS, b"\0" * 4 * fields + u32(3) + b"end")])
        bag.close()
        self.catalog("init")
        self.catalog("add", "wide.bag")
        self.assertEqual(len(self.found("--where", "name == 'end'")[0]), 1)

    def test_bags_without_definitions(self):
        """As rosbag2 of Humble writes them: the standard ones are known."""
        self.kitbag("convert", "demo://?seconds=5&seed=7", "bare.db3", "--ros-distro", "humble")
        self.catalog("init")
        self.catalog("add", "bare.db3")
        where = ["--where", "voltage < 25.198", "--topics", "/battery"]
        found, said = self.found(*where)
        done = self.run_program("find", self.path("bare.db3"), "--json", *where)
        self.assertEqual(found, [json.loads(line) for line in done.stdout.splitlines()])
        self.assertEqual(len(found), 1)
        self.assertIn("1 opened\n", said)
        self.assertIn("1 ruled out", self.found("--where", "voltage < 1")[1])

    def test_misuse(self):
        self.catalog("init")
        catalog = ["--catalog", self.address]
        for arguments, said in (
                (["--events", "x", *WHERE], "--events needs --catalog and --where"),
                ([*catalog, "--events", "x"], "--events needs --catalog and --where"),
                ([*WHERE, "--cut", "5s"], "--cut needs --to"),
                (["--cut", "5s", "--to", "x"], "--cut needs --where"),
                ([*WHERE, "--to", "x"], "--to needs --cut"),
                ([*WHERE, "--force"], "--force needs --cut"),
                ([*WHERE, "--cut", "0s", "--to", "x"], "--cut: ")):
            self.fails("find", *arguments, saying=said)


class SqliteMomentsTest(InSqlite, Moments, CliTest):
    pass


class PostgresMomentsTest(InPostgres, Moments, CliTest):
    pass


if __name__ == "__main__":
    main()
