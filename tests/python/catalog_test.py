#!/usr/bin/env python3
"""kitbag.Catalog: bags and moments are those that the program finds, and what is noted stays."""

import datetime
import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from make_bag import make_bag  # noqa: E402
from peers import kitbag as program  # noqa: E402
from peers import main  # noqa: E402
from peers import program as program_path  # noqa: E402
from python_package import FolderTest, kitbag, make_demo  # noqa: E402

START = 1767225600 * 10**9
WHERE = "voltage < 25.1945"


class CatalogTest(FolderTest):
    modules = ()

    def setUp(self):
        super().setUp()
        (self.folder / "runs").mkdir()
        self.demo = make_demo(self.folder / "runs" / "demo.bag", 10)
        make_bag(str(self.folder / "runs" / "small.bag"), start_ns=1_700_000_000 * 10**9)
        self.address = self.folder / "fleet.db"
        self.catalog = kitbag.Catalog(self.address, create=True)

    def scan(self):
        return self.catalog.scan(self.folder / "runs", tags={"robot": "r7"})

    def test_adding(self):
        with self.assertRaises(kitbag.Error) as raised:
            kitbag.Catalog(self.folder / "nowhere.db")
        self.assertEqual(raised.exception.code, "not_found")
        (self.folder / "runs" / "broken.bag").write_bytes(b"#ROSBAG V2.0\n" + b"x" * 100)
        told = []
        scanned = self.catalog.scan(self.folder / "runs", progress=told.append)
        self.assertEqual(told, scanned)
        self.assertEqual([Path(each.path).name for each in scanned],
                         ["broken.bag", "demo.bag", "small.bag"])
        self.assertEqual([each.change for each in scanned[1:]], ["added", "added"])
        self.assertEqual(self.catalog.add(self.demo), "unchanged")
        self.demo.rename(self.folder / "moved.bag")
        self.assertEqual(self.catalog.check()[0].what, "is not there any more")
        self.assertEqual(self.catalog.add(self.folder / "moved.bag"), "moved")
        self.assertEqual(self.catalog.check(), [])
        self.assertTrue(self.catalog.remove(self.folder / "moved.bag"))
        self.assertFalse(self.catalog.remove(self.folder / "moved.bag"))
        with self.assertRaises(kitbag.Error):
            self.catalog.add(self.folder / "nowhere.bag")

    def test_finding_bags(self):
        self.scan()
        small, demo = self.catalog.find(newest_first=False)
        self.assertEqual((demo.paths, demo.format, demo.messages, demo.start),
                         ([str(self.demo)], "rosbag", 2287, START))
        self.assertEqual(demo.duration, demo.end - demo.start)
        self.assertEqual((demo.tags, demo.note, demo.events, demo.damage),
                         ({"robot": "r7"}, "", [], ""))
        imu = next(each for each in demo.topics if each.topic == "/imu")
        self.assertEqual((imu.type, imu.encoding, imu.messages, sum(imu.density)),
                         ("sensor_msgs/Imu", "ros1", 1000, 1000))
        self.assertEqual(len(small.topics), 3)
        with demo.open() as bag:
            self.assertEqual(len(bag), 2287)
        day = datetime.datetime(2026, 1, 1)
        for query, expected in (
                ({"topics": "/imu"}, 1), ({"topics": ["/imu", "/camera/*"]}, 1),
                ({"topics": ["/imu", "/tick"]}, 0), ({"types": "std_msgs/Int32"}, 1),
                ({"tags": {"robot": "r7"}}, 2), ({"tags": {"robot": "r8"}}, 0),
                ({"text": "SMALL"}, 1), ({"start": day}, 1), ({"end": day}, 1),
                ({"longer_than": datetime.timedelta(seconds=5)}, 1), ({"longer_than": 10**9}, 2)):
            self.assertEqual(len(self.catalog.find(**query)), expected, query)
            self.assertEqual(self.catalog.count(**query), expected, query)
        self.assertEqual([each.start for each in self.catalog.find(limit=1)], [START])
        self.assertEqual([each.start for each in self.catalog.find(skip=1)], [small.start])
        self.assertIn(("/imu", "sensor_msgs/Imu"), self.catalog.topics)
        self.assertEqual(self.catalog.bag(self.demo), demo)
        self.assertIsNone(self.catalog.bag("nowhere.bag"))

    def test_moments_and_events(self):
        self.scan()
        found = self.catalog.find_moments(WHERE, "/battery")
        out = program("find", "--catalog", self.address, "--where", WHERE, "--topics", "/battery",
                      "--json")
        expected = [json.loads(line) for line in out.splitlines()]
        self.assertGreater(len(expected), 0)
        self.assertEqual([(each.path, each.topic, each.start, each.end, each.messages, each.value)
                          for each in found],
                         [(each["file"], each["topic"], each["start_ns"], each["end_ns"],
                           each["messages"], each["value"]) for each in expected])
        self.assertEqual((found.bags, found.ruled_out, found.opened, found.changed, found.failed),
                         (1, 0, 1, 0, []))
        none = self.catalog.find_moments("voltage < 1", "/battery")
        self.assertEqual((none, none.ruled_out, none.opened), ([], 1, 0))
        self.assertEqual(self.catalog.add_events(found, "low"), len(found))
        self.assertEqual(self.catalog.add_events(found, "low"), 0)
        events = self.catalog.bag(self.demo).events
        self.assertEqual([(each.name, each.start) for each in events],
                         [("low", each.start) for each in found])
        self.assertTrue(self.catalog.remove_event(events[0].number))
        self.assertFalse(self.catalog.remove_event(events[0].number))
        with self.assertRaises(kitbag.Error) as raised:
            self.catalog.find_moments("voltag < 1")
        self.assertIn("similar: voltage", str(raised.exception))
        self.demo.unlink()
        self.assertIn("not there any more", self.catalog.find_moments(WHERE, "/battery").failed[0])

    def test_notes(self):
        self.catalog.add(self.demo)
        self.catalog.set_tag(self.demo, "site", "Zürich")
        self.catalog.set_note(self.demo, "the wheel slips")
        self.catalog.add_event(self.demo, START + 5, "slip", end=START + 7)
        with kitbag.Catalog(self.address) as again:
            bag = again.bag(self.demo)
        self.assertEqual((bag.tags, bag.note), ({"site": "Zürich"}, "the wheel slips"))
        self.assertEqual([(each.start, each.end, each.name) for each in bag.events],
                         [(START + 5, START + 7, "slip")])
        self.catalog.set_tag(self.demo, "site", "")
        self.assertEqual(self.catalog.bag(self.demo).tags, {})
        with self.assertRaises(kitbag.Error):
            again.find()  # it is closed
        with self.assertRaises(kitbag.Error):
            self.catalog.set_note("nowhere.bag", "x")

    def test_jobs(self):
        self.assertEqual(self.catalog.jobs(), [])
        (self.folder / "runs" / "broken.bag").write_bytes(b"no bag" * 1000)
        done = subprocess.run([program_path(), "batch", "check", "--from",
                               self.folder / "runs/*.bag",
                               "--to", self.folder / "out", "--job", self.folder / "job",
                               "--catalog", self.address], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        [job] = self.catalog.jobs()
        self.assertEqual((job.job, job.verb, job.target, job.is_at_work),
                         (str(self.folder / "job"), "check", str(self.folder / "out"), False))
        self.assertEqual((job.bags, job.done, job.damaged, job.failed), (3, 2, 1, 0))
        self.assertLessEqual(job.began, job.changed)
        [bag] = self.catalog.bad_bags("job")
        self.assertEqual((bag.source, bag.state),
                         (str(self.folder / "runs" / "broken.bag"), "damaged"))
        self.assertTrue(bag.reason)
        with self.assertRaises(kitbag.Error) as raised:
            self.catalog.bad_bags("other")
        self.assertEqual(raised.exception.code, "not_found")

    def test_a_process_that_was_forked_opens_it_again(self):
        self.catalog.add(self.demo)
        self.assertIn("another process", self.in_child(self.catalog.find))
        self.assertEqual(self.in_child(lambda: kitbag.Catalog(self.address).count()), "1")
        self.assertEqual(self.catalog.count(), 1)


if __name__ == "__main__":
    main()
