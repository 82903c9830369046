#!/usr/bin/env python3
"""Both ways with the real rosbag: what it writes is read here, what is written here it reads."""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
import ros1  # noqa: E402
from peers import digest, kitbag, kitbag_digest, run  # noqa: E402

COMPRESSIONS = ("none", "bz2", "lz4")
FIRST_NS = 1_600_000_000_000_000_000
LATER_NS = FIRST_NS + 2_000_000_500  # begins while the first one still runs, never at one time


class WithRealBags(unittest.TestCase):
    """Bags that the real rosbag wrote, one in each compression, and one that goes on later."""

    @classmethod
    def setUpClass(cls):
        ros1.need_rosbag()
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        for compression in COMPRESSIONS:
            ros1.write_bag(cls.real(compression), compression, FIRST_NS)
        ros1.write_bag(cls.folder / "later.bag", "none", LATER_NS, messages=250)

    @classmethod
    def real(cls, compression):
        return cls.folder / f"real_{compression}.bag"

    def assert_sound(self, bag, messages, connections=None, sorted_=True):
        """The real rosbag has nothing against `bag` and finds these messages in it."""
        self.assertEqual(ros1.check(bag), [], bag)
        self.assertEqual(digest(ros1.messages(bag)), digest(messages), bag)
        info = ros1.info(bag)
        self.assertEqual(info["messages"], len(messages))
        self.assertTrue(info["indexed"])
        if connections is not None:
            self.assertEqual(ros1.connections(bag), connections)
        findings = kitbag("check", bag).splitlines()[:-1]
        self.assertEqual(len(findings), 0 if sorted_ else 1, findings)
        if not sorted_:
            self.assertIn("come after later ones", findings[0])


class ReadHere(WithRealBags):
    def test_content(self):
        for compression in COMPRESSIONS:
            with self.subTest(compression):
                bag = self.real(compression)
                self.assertEqual(kitbag_digest(bag), digest(ros1.messages(bag)))

    def test_yaml_of_info(self):
        for bag in [*map(self.real, COMPRESSIONS), self.folder / "later.bag"]:
            with self.subTest(bag.name):
                self.assertEqual(kitbag("info", "--yaml", bag).rstrip(),
                                 run("/usr/bin/rosbag", "info", "-y", bag).rstrip())

    def test_summary(self):
        for compression in COMPRESSIONS:
            with self.subTest(compression):
                bag = self.real(compression)
                here, there = peers.run_json(peers.program(), "info", bag, "--json"), ros1.info(bag)
                times = [time_ns for _, _, time_ns, _ in ros1.messages(bag)]
                self.assertEqual(here["messages"], there["messages"])
                self.assertEqual((here["start_ns"], here["end_ns"]), (min(times), max(times)))
                self.assertEqual(here["size_bytes"], there["size"])
                self.assertEqual(here["compression"], there["compression"])
                self.assertGreater(here["chunks"], 5)
                self.assertTrue(here["indexed"])

    def test_time_range_and_topics(self):
        bag = self.real("lz4")
        begin, end = FIRST_NS + 1_000_000_000, FIRST_NS + 3_000_000_000
        expected = [m for m in ros1.messages(bag)
                    if m[0] in ("/chatter", "/tick") and begin <= m[2] < end]
        found = kitbag_digest(bag, "--topics", "/chatter", "/tick", "--start",
                              f"{begin / 1e9:.9f}", "--end", f"{end / 1e9:.9f}")
        self.assertGreater(len(expected), 50)
        self.assertEqual(found, digest(expected))


class WrittenHere(WithRealBags):
    def test_convert(self):
        for source in COMPRESSIONS:
            for target in COMPRESSIONS:
                with self.subTest(f"{source} to {target}"):
                    bag, out = self.real(source), self.folder / f"{source}_{target}.bag"
                    kitbag("convert", "-f", bag, out, "--compression", target,
                           "--chunk-size", "2kB")
                    self.assert_sound(out, ros1.messages(bag), ros1.connections(bag))
                    self.assertEqual(ros1.info(out)["compression"], target)

    def test_programs_of_rosbag(self):
        out = self.folder / "programs.bag"
        kitbag("convert", "-f", self.real("none"), out)
        self.assertIn("does not need any migrations", run("rosbag", "check", out))
        self.assertIn("messages: 401", run("rosbag", "info", "--yaml", out))

    def test_reindex(self):
        copies = [self.folder / f"reindex_{c}.bag" for c in COMPRESSIONS]
        for copy, compression in zip(copies, COMPRESSIONS):
            kitbag("convert", "-f", self.real("none"), copy, "--compression", compression)
        run("rosbag", "reindex", *copies)
        for copy in copies:
            self.assert_sound(copy, ros1.messages(self.real("none")))

    def test_append(self):
        out = self.folder / "appended.bag"
        shutil.copy(self.real("bz2"), out)
        expected = ros1.messages(out)
        for k, compression in enumerate(("none", "lz4")):  # other ones than the bag began with
            more = self.folder / f"more_{k}.bag"
            ros1.write_bag(more, "none", LATER_NS + k * 60_000_000_000, messages=120)
            kitbag("convert", "-f", more, out, "--append", "--compression", compression)
            expected += ros1.messages(more)
            expected.sort(key=lambda m: m[2])
            self.assert_sound(out, expected, ros1.connections(self.real("bz2")), sorted_=False)
            self.assertEqual(kitbag_digest(out), digest(expected))

    def test_append_by_the_real_one(self):
        out = self.folder / "goes_on.bag"
        kitbag("convert", "-f", self.real("lz4"), out, "--compression", "lz4")
        expected = ros1.messages(out)
        with ros1.Recorder(out, "a") as recorder:
            recorder.write("/new", ros1.std.String("from the real one"), LATER_NS + 10**11)
        expected += [m for m in ros1.messages(out) if m[0] == "/new"]
        self.assertEqual(len(expected), 402)
        self.assert_sound(out, expected)
        self.assertEqual(kitbag_digest(out), digest(expected))

    def test_metadata_records_in_the_file_header(self):
        out = self.folder / "noted.bag"
        kitbag("convert", "-f", self.real("lz4"), out)
        kitbag("add", out, "metadata", "site", "town=Bern", "binary=\n=\t", "long=" + 3000 * "x")
        self.assert_sound(out, ros1.messages(self.real("lz4")))
        self.assertIn("town", kitbag("get", out, "metadata", "site"))
        run("rosbag", "reindex", out)
        self.assert_sound(out, ros1.messages(self.real("lz4")))
        with ros1.Recorder(out, "a") as recorder:
            recorder.write("/new", ros1.std.String("from the real one"), LATER_NS + 10**11)
        self.assert_sound(out, ros1.messages(out))
        self.assertEqual(len(ros1.messages(out)), 402)

    def test_split(self):
        kitbag("split", "-f", self.real("lz4"), self.folder / "part.bag", "--split-duration", "1s")
        parts = sorted(self.folder.glob("part_*.bag"))
        self.assertEqual(len(parts), 4)
        found = []
        for part in parts:
            messages = ros1.messages(part)
            self.assert_sound(part, messages, ros1.connections(self.real("lz4")))
            self.assertLessEqual(messages[-1][2] - messages[0][2], 1_000_000_000)
            found += messages
        self.assertEqual(digest(found), digest(ros1.messages(self.real("lz4"))))

    def test_merge(self):
        bags = [self.folder / "later.bag", self.real("bz2")]
        kitbag("merge", "-f", *bags, self.folder / "merged.bag")
        expected = sorted(sum(map(ros1.messages, bags), []), key=lambda m: m[2])
        self.assert_sound(self.folder / "merged.bag", expected, ros1.connections(bags[0]))

    def test_empty(self):
        empty = self.folder / "empty.bag"
        ros1.rosbag.Bag(str(empty), "w").close()
        self.assertEqual(kitbag_digest(empty), {})
        kitbag("convert", "-f", empty, self.folder / "still_empty.bag")
        self.assertEqual(ros1.messages(self.folder / "still_empty.bag"), [])


if __name__ == "__main__":
    peers.main()
