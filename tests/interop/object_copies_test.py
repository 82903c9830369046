#!/usr/bin/env python3
"""kitbag ls and kitbag cp with a real Ceph Object Gateway: what rclone and the tool of AWS read and
list is what was copied, and addresses that are given away work for those who have no keys."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import unittest
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from object_store import KEY, REGION, SECRET  # noqa: E402
from peers import kitbag, need, program  # noqa: E402
from store_case import StoreCase  # noqa: E402

AWS = "/usr/bin/aws"
NAMES = ("runs/drive.mcap", "runs/day 1/ä+b%&=.mcap", "runs/notes.txt", "drive.db3")


class ObjectCopiesTest(StoreCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.local = cls.folder / "local"
        for name in NAMES:
            (cls.local / name).parent.mkdir(parents=True, exist_ok=True)
            if name.endswith("txt"):
                (cls.local / name).write_bytes(b"notes")
            else:
                kitbag("convert", "demo://?seconds=3&seed=7", cls.local / name)
            cls.store.put("bags", name, (cls.local / name).read_bytes())

    def link(self, path, lifetime="1m", **environment):
        done = subprocess.run([program(), "ls", "--link", lifetime, path], capture_output=True,
                              text=True, check=False, env=self.environment(**environment))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn(SECRET, done.stdout)
        return done.stdout.strip()

    def lines(self, *arguments, **more):
        return self.run_kitbag(*arguments, **more).splitlines()

    def rclone(self, *arguments):
        config = self.folder / "rclone.conf"
        config.write_text(f"[s]\ntype = s3\nprovider = Ceph\naccess_key_id = {KEY}\n"
                          f"secret_access_key = {SECRET}\nendpoint = {self.store.url}\n")
        return subprocess.run(["rclone", "--config", config, *map(str, arguments)], check=False,
                              stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True,
                              env=self.environment())

    def aws(self, *arguments):
        need(Path(AWS).exists(), "awscli is not installed")
        return subprocess.run([AWS, "--endpoint-url", self.store.url, *map(str, arguments)],
                              check=True, capture_output=True, text=True,
                              env=self.environment(AWS_DEFAULT_REGION=REGION)).stdout

    def test_lists(self):
        self.assertEqual(self.lines("ls", "s3://bags/runs"), [
            "s3://bags/runs/day 1/", "s3://bags/runs/drive.mcap", "s3://bags/runs/notes.txt"])
        everything = sorted(f"s3://bags/runs/{name[5:]}" for name in NAMES if "runs/" in name)
        self.assertEqual(self.lines("ls", "-r", "s3://bags/runs/"), everything)
        found = [json.loads(line) for line in self.lines("ls", "--json", "s3://bags/runs/*.*")]
        self.assertEqual([each["size_bytes"] for each in found],
                         [(self.local / NAMES[0]).stat().st_size, 5])
        now = (self.local / NAMES[0]).stat().st_mtime
        self.assertLess(abs(found[0]["modified_ns"] / 1e9 - now), 120)
        self.assertIn("mcap", self.run_kitbag("ls", "-l", "--bags", "s3://bags/runs/drive.mcap"))

    def test_globs(self):
        for glob, count in (("s3://bags/runs/*.mcap", 1), ("s3://bags/**/*.mcap", 2),
                            ("s3://bags/*/day*/*", 1), ("s3://bags/*.[d]b3", 1)):
            with self.subTest(glob=glob):
                self.assertEqual(len(self.lines("ls", glob)), count)
                self.assertEqual(len(self.lines("info", "--json", glob)), count)
        self.assertIn("nothing matches", self.run_kitbag("ls", "s3://bags/*.bag", code=2))
        self.run_kitbag("merge", "s3://bags/**/*.mcap", "both.mcap")
        both = json.loads(self.run_kitbag("info", "--json", "both.mcap"))["messages"]
        self.assertEqual(both, 2 * json.loads(self.run_kitbag(
            "info", "--json", "s3://bags/drive.db3"))["messages"])

    def test_many_names(self):
        self.store.make_bucket("many")
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda i: self.store.put("many", f"x/{i % 7}/{i:04}", b""),
                             range(1005)))
        self.assertEqual(len(self.lines("ls", "-r", "s3://many")), 1005)
        self.assertEqual(len(self.lines("ls", "s3://many/x/*/*5")), 100)

    def test_copies_are_what_others_read(self):
        self.store.make_bucket("new")
        big = self.folder / "big.bin"
        big.write_bytes(os.urandom(12 << 20))  # of several parts
        told = self.run_kitbag("cp", "-j", "3", "--verify", "-r", self.local, big, "s3://new/all/")
        self.assertIn("5 files copied", told)
        # The size was known: equal parts of 8 MiB, as the ETag tells.
        content, part = big.read_bytes(), 8 << 20
        sums = b"".join(hashlib.md5(content[at:at + part]).digest()
                        for at in range(0, len(content), part))
        head = self.aws("s3api", "head-object", "--bucket", "new", "--key", "all/big.bin")
        self.assertEqual(json.loads(head)["ETag"].strip('"'), f"{hashlib.md5(sums).hexdigest()}-2")
        need(shutil.which("rclone"), "rclone is not installed")
        checked = self.rclone("check", self.local, "s:new/all/local", "--download")
        self.assertIn("0 differences found", checked.stdout)
        self.rclone("copy", "s:new/all", self.folder / "rcloned")
        self.assertEqual((self.folder / "rcloned/big.bin").read_bytes(), big.read_bytes())
        again = self.run_kitbag("cp", "-r", self.local, big, "s3://new/all/")
        self.assertIn("0 files copied, 5 already there", again)
        # And back, from one store to a disk, and within the store.
        self.run_kitbag("cp", "-r", "s3://new/all", "back")
        self.assertEqual((self.folder / "back/big.bin").read_bytes(), big.read_bytes())
        self.assertEqual((self.folder / "back/local" / NAMES[1]).read_bytes(),
                         (self.local / NAMES[1]).read_bytes())
        self.assertIn("0 files copied, 5 already there",
                      self.run_kitbag("cp", "-r", "s3://new/all/*", "back/"))
        self.run_kitbag("cp", "s3://new/all/big.bin", "s3://bags/big.bin")
        self.aws("s3", "cp", "s3://bags/big.bin", self.folder / "aws.bin")
        self.assertEqual((self.folder / "aws.bin").read_bytes(), big.read_bytes())
        self.store.delete("bags", "big.bin")

    def test_nothing_is_replaced(self):
        self.store.make_bucket("kept")
        self.store.put("kept", "drive.db3", b"other")
        told = self.run_kitbag("cp", self.local / "drive.db3", "s3://kept/", code=2)
        self.assertIn("already exists, with another content; use --force", told)
        self.run_kitbag("cp", "-f", self.local / "drive.db3", "s3://kept/")
        self.assertEqual(self.digest("s3://kept/drive.db3"), self.digest(self.local / "drive.db3"))

    def test_a_directory_of_rosbag2(self):
        self.run_kitbag("convert", self.local / NAMES[0], "dir/", "--split-messages", "100")
        self.store.make_bucket("dirs")
        self.run_kitbag("cp", "-r", "dir", "s3://dirs/")
        self.assertEqual(self.digest("s3://dirs/dir"), self.digest("dir"))

    def test_addresses_for_others(self):
        for name in NAMES:
            with urllib.request.urlopen(self.link(f"s3://bags/{name}")) as answer:
                self.assertEqual(answer.read(), (self.local / name).read_bytes())
        link = self.link("s3://bags/drive.db3")
        for url in link[:link.index("?")], link[:-1] + ("0" if link[-1] != "0" else "1"):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(url)
            self.assertEqual(refused.exception.code, 403)
        self.aws("s3api", "put-object-acl", "--bucket", "bags", "--key", NAMES[2], "--acl",
                 "public-read")
        unsigned = self.link(f"s3://bags/{NAMES[2]}", AWS_ACCESS_KEY_ID="")
        self.assertNotIn("?", unsigned)
        with urllib.request.urlopen(unsigned) as answer:
            self.assertEqual(answer.read(), b"notes")
        too_long = self.run_kitbag("ls", "--link", "8d", "s3://bags/drive.db3", code=2)
        self.assertIn("7 days", too_long)
        self.assertIn("s3", self.run_kitbag("ls", "--link", "1h", "local/drive.db3", code=2))

    def test_addresses_of_others(self):
        link = self.aws("s3", "presign", f"s3://bags/{NAMES[1]}").strip()
        nobody = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}
        whole = self.local / NAMES[1]
        self.assertEqual(self.digest(link, **nobody), self.digest(whole))
        self.assertIn("Signature=...", self.run_kitbag("info", link, **nobody))
        path = json.loads(self.run_kitbag("info", "--json", link, **nobody))["path"]
        self.assertIn("Signature=...", path)
        self.assertIn("Signature=...", self.run_kitbag("list", link, code=2, **nobody))
        for verb in "check", "find", "list", "du", "stats", "ls":
            what = ["topics"] if verb == "list" else []
            for more in [], [self.local / NAMES[0]], ["--json"]:
                self.run_kitbag(verb, link, *more, *what, **nobody)
        self.run_kitbag("diff", link, whole, **nobody)
        self.run_kitbag("cp", link, "taken/", **nobody)
        self.assertEqual((self.folder / "taken/ä+b%&=.mcap").read_bytes(), whole.read_bytes())
        self.run_kitbag("convert", link, "--output-dir", "made", **nobody)
        self.assertEqual(self.digest(self.folder / "made/ä+b%&=.mcap"), self.digest(whole))
        # What is no bag, and what is not signed; run_kitbag() sees that no signature is printed.
        notes = self.link(f"s3://bags/{NAMES[2]}")
        for link in notes, notes.replace("notes.txt", "none.mcap"):
            for verb in "info", "cat":
                self.assertIn("Signature=...", self.run_kitbag(verb, link, code=2, **nobody))


if __name__ == "__main__":
    peers.main()
