#!/usr/bin/env python3
"""Bags in an object store, a real Ceph Object Gateway: read by ranges, listed, found; and nothing
that gives access is printed."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import object_store  # noqa: E402
import peers  # noqa: E402
from fault_proxy import FaultProxy  # noqa: E402
from object_store import KEY, SECRET  # noqa: E402
from peers import REAL_BAGS, kitbag, need_real_bags  # noqa: E402
from store_case import StoreCase  # noqa: E402

NAMES = ("runs/drive.bag", "runs/drive.mcap", "runs/day 1/ä+b%&=?.mcap", "drive.db3")


class ObjectStoreTest(StoreCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.local = cls.folder / "local"
        for name in NAMES:
            (cls.local / name).parent.mkdir(parents=True, exist_ok=True)
            kitbag("convert", "demo://?seconds=5&seed=7", cls.local / name)
            cls.store.put("bags", name, (cls.local / name).read_bytes())

    def test_bags_of_every_format_read_equal(self):
        for name in NAMES:
            with self.subTest(name=name):
                self.assertEqual(self.digest(f"s3://bags/{name}"), self.digest(self.local / name))

    def test_a_directory_of_rosbag2(self):
        need_real_bags()
        talker = (REAL_BAGS.parent / "rosbag2/ros2_rosbag2/d63eecef4e/rosbag2_py/resources/talker")
        for file in talker.iterdir():
            self.store.put("bags", f"talker/{file.name}", file.read_bytes())
        self.assertEqual(self.digest("s3://bags/talker"), self.digest(talker))

    def test_folders_are_read_through(self):
        found = self.run_kitbag("find", "s3://bags/runs", "--topic", "/odom")
        self.assertEqual(sorted(line.rsplit(": ", 1)[0] for line in found.splitlines()),
                         sorted(f"s3://bags/{name}" for name in NAMES if "runs/" in name))
        lines = self.run_kitbag("info", "-r", "--json", "s3://bags/runs/").splitlines()
        self.assertEqual(len(lines), 3)
        self.assertEqual({json.loads(line)["messages"] for line in lines},
                         {json.loads(kitbag("info", "--json", self.local / NAMES[0]))["messages"]})

    def test_a_folder_is_listed_once(self):
        proxy = FaultProxy(self.store.port)
        self.addCleanup(proxy.end)
        self.run_kitbag("find", "s3://bags/runs", AWS_ENDPOINT_URL=proxy.url)
        lists = [each for each in proxy.requests if "list-type" in each]
        objects = [each for each in proxy.requests if "list-type" not in each]
        # Whether "runs" is a folder, a bag, what is in it; and so for "day 1".
        self.assertLessEqual(len(lists), 6, lists)
        # Of each bag its begin and its index, which may need two.
        self.assertLessEqual(len(objects), 4 * 3 + 1, objects)

    def test_a_scan_asks_for_no_bag_that_is_known(self):
        proxy = FaultProxy(self.store.port)
        self.addCleanup(proxy.end)

        def scanned():
            before = len(proxy.requests)
            said = self.run_kitbag("catalog", "scan", "c.db", "s3://bags/runs",
                                   AWS_ENDPOINT_URL=proxy.url).splitlines()[-1]
            asked = proxy.requests[before:]
            return said, [each for each in asked if ".bag" in each or ".mcap" in each], asked

        self.run_kitbag("catalog", "init", "c.db")
        said, of_bags, _ = scanned()
        self.assertEqual(said, "2 added, 1 copied")
        self.assertGreater(len(of_bags), 3)
        said, of_bags, asked = scanned()
        self.assertEqual((said, of_bags), ("3 unchanged", []))
        # Whether "runs" is there (two), what is in it, whether "day 1" is a bag, what is in it.
        self.assertLessEqual(len(asked), 5, asked)
        name = "runs/day 1/ä+b%&=?.mcap"
        self.addCleanup(self.store.put, "bags", name, (self.local / name).read_bytes())
        self.store.put("bags", name, (self.local / NAMES[0]).read_bytes())
        said, of_bags, _ = scanned()
        self.assertNotEqual(said, "3 unchanged")
        self.assertGreater(len(of_bags), 0)

    def test_more_names_than_a_page_has(self):
        self.store.make_bucket("many")
        for i in range(object_store.MOST_LISTED + 5):
            self.store.put("many", f"x/{i:04}.txt", b"")
        self.store.put("many", "x/z/last.bag", (self.local / NAMES[0]).read_bytes())
        found = self.run_kitbag("find", "s3://many/x")
        self.assertIn("s3://many/x/z/last.bag", found)

    def test_what_is_not_there(self):
        self.assertIn("s3://bags/none.bag", self.run_kitbag("info", "s3://bags/none.bag", code=2))
        self.assertIn("NoSuchBucket", self.run_kitbag("info", "s3://no-bucket/x.bag", code=2))
        self.assertIn("invalid name of a bucket", self.run_kitbag("info", "s3:///x.bag", code=2))

    def test_who_may_not(self):
        nobody = self.run_kitbag("info", "s3://bags/drive.db3", code=2, AWS_ACCESS_KEY_ID="")
        self.assertIn("no credentials were found", nobody)
        self.assertIn("AccessDenied", nobody)
        wrong = self.run_kitbag("info", "s3://bags/drive.db3", code=2,
                                AWS_SECRET_ACCESS_KEY="wrong")
        self.assertIn("SignatureDoesNotMatch", wrong)
        self.assertIn("no profile \"flet\"",
                      self.run_kitbag("info", "s3://bags/drive.db3", code=2, AWS_PROFILE="flet"))

    def test_a_profile(self):
        (self.folder / ".aws").mkdir(exist_ok=True)
        (self.folder / ".aws/credentials").write_text(
            f"[fleet]\naws_access_key_id = {KEY}\naws_secret_access_key = {SECRET}\n")
        (self.folder / ".aws/config").write_text(
            f"[profile fleet]\nendpoint_url = {self.store.url}\n")
        self.run_kitbag("info", "s3://bags/drive.db3", AWS_PROFILE="fleet", AWS_ACCESS_KEY_ID="",
                        AWS_ENDPOINT_URL="")

    def test_a_store_that_is_not_there(self):
        told = self.run_kitbag("info", "s3://bags/drive.db3", code=2,
                               AWS_ENDPOINT_URL="http://127.0.0.1:1")
        self.assertIn("s3://bags/drive.db3: cannot be read", told)


if __name__ == "__main__":
    peers.main()
