#!/usr/bin/env python3
"""Bags are written to an object store, a real Ceph Object Gateway: equal to those on the disk,
whole or not at all, also on bad days; and rclone and the tools of AWS read them."""

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from fault_proxy import FaultProxy, Rule  # noqa: E402
from object_store import KEY, MOST_LISTED, SECRET  # noqa: E402
from peers import need, program  # noqa: E402
from store_case import StoreCase  # noqa: E402

AWS = "/usr/bin/aws"
MIB = 1 << 20
SMALL = "demo://?seconds=2&seed=7"
FORMATS = (".bag", ".mcap", ".db3")


def etag_of(content, first, then):
    """Of an upload in parts of these sizes."""
    sums, at, size = [], 0, first
    while at < len(content):
        sums.append(hashlib.md5(content[at:at + size]).digest())
        at += size
        size = then(len(sums) + 1)
    return f"{hashlib.md5(b''.join(sums)).hexdigest()}-{len(sums)}"


class ObjectWritingTest(StoreCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.proxy = FaultProxy(cls.store.port)
        cls.addClassCleanup(cls.proxy.end)
        peers.kitbag("convert", SMALL, cls.folder / "small.mcap")
        # Noise that no compression makes smaller, in messages of 1 MiB.
        noise = cls.folder / "noise.bin"
        noise.write_bytes(os.urandom(22 * MIB))
        peers.kitbag("convert", SMALL, cls.folder / "noise.mcap")
        peers.kitbag("add", cls.folder / "noise.mcap", "attachment", noise)
        # As convert writes it, here and there.
        cls.large = cls.folder / "large.mcap"
        peers.kitbag("convert", cls.folder / "noise.mcap", cls.large)

    def setUp(self):
        self.proxy.use()

    def through(self, *arguments, code=0, **environment):
        """As run_kitbag(), through the proxy."""
        return self.run_kitbag(*arguments, code=code,
                               **{"AWS_ENDPOINT_URL": self.proxy.url} | environment)

    def require_nothing(self, key):
        self.assertIsNone(self.store.get("bags", key))
        self.assertEqual(self.store.uploads("bags"), [])

    def test_every_format_is_written_equal(self):
        for extension in FORMATS:
            with self.subTest(extension=extension):
                local = self.folder / f"equal{extension}"
                self.run_kitbag("convert", SMALL, local)
                self.run_kitbag("convert", SMALL, f"s3://bags/equal{extension}")
                self.assertEqual(self.store.get("bags", f"equal{extension}"), local.read_bytes())
                self.assertEqual(self.digest(f"s3://bags/equal{extension}"), self.digest(local))

    def test_a_directory_has_its_metadata_last(self):
        for member in "mcap", "sqlite3":
            with self.subTest(member=member):
                self.proxy.use()
                self.through("split", self.folder / "small.mcap", f"s3://bags/{member}/",
                             "--split-messages", "400", "--format", member)
                written = [what.rsplit("/", 1)[1] for what in self.proxy.requests
                           if what.startswith("PUT ")]
                self.assertGreater(len(written), 2, written)
                self.assertEqual(written[-1], "metadata.yaml")
                self.assertEqual(self.digest(f"s3://bags/{member}"),
                                 self.digest(self.folder / "small.mcap"))

    def test_the_verbs_write_objects(self):
        small = self.folder / "small.mcap"
        self.store.put("bags", "verbs/in.mcap", small.read_bytes())
        there = "s3://bags/verbs"
        for arguments in (("convert", small, "{}/convert.bag"),
                          ("filter", small, "{}/filter.mcap", "--topics", "/odom"),
                          ("cut", small, "{}/cut.mcap", "--end", "+1s"),
                          ("merge", small, f"{there}/in.mcap", "-o", "{}/merge.mcap"),
                          ("compress", small, "-o", "{}/compress.mcap"),
                          ("repair", small, "{}/repair.mcap")):
            with self.subTest(verb=arguments[0]):
                (self.folder / "verbs").mkdir(exist_ok=True)
                here = self.folder / "verbs"
                self.run_kitbag(*(str(word).format(here) for word in arguments))
                self.run_kitbag(*(str(word).format(there) for word in arguments))
                name = next(str(word)[3:] for word in arguments if str(word).startswith("{}"))
                self.assertEqual(self.store.get("bags", f"verbs/{name}"),
                                 (here / name).read_bytes())

    def test_moments_are_cut_out_into_the_store(self):
        small = self.folder / "small.mcap"
        self.store.put("bags", "fleet/small.mcap", small.read_bytes())
        self.run_kitbag("catalog", "init", "fleet.db")
        self.run_kitbag("catalog", "scan", "fleet.db", "s3://bags/fleet")
        ask = ("find", "--catalog", "fleet.db", "--topics", "/odom", "--where",
               "pose.pose.position.x > -1e9", "--cut", "300ms", "--json", "--to")
        for place in "cuts", "s3://bags/cuts":
            cut = json.loads(self.run_kitbag(*ask, place).splitlines()[-1])
            self.assertEqual((cut["what"], cut["file"]), ("written", "s3://bags/fleet/small.mcap"))
        name = cut["cut"].rpartition("/")[2]
        self.assertEqual(self.store.get("bags", f"cuts/{name}"),
                         (self.folder / "cuts" / name).read_bytes())
        cut = json.loads(self.run_kitbag(*ask, "s3://bags/cuts").splitlines()[-1])
        self.assertEqual(cut["what"], "there")

    def test_parts_of_a_split_appear(self):
        self.run_kitbag("split", self.folder / "small.mcap", "s3://bags/split/part.mcap",
                        "--split-duration", "500ms")
        self.assertIn("split/part_3.mcap", self.store.keys("bags", "split/"))

    def test_a_recording(self):
        self.run_kitbag("record", "-a", "--from", "demo://?seconds=0.5", "-o",
                        "s3://bags/recorded.mcap")
        info = json.loads(self.run_kitbag("info", "--json", "s3://bags/recorded.mcap"))
        self.assertGreater(info["messages"], 10)
        self.proxy.use()
        self.through("record", "-a", "--from", "demo://?seconds=0.5", "-o", "s3://bags/recorded/")
        written = [what for what in self.proxy.requests if what.startswith("PUT ")]
        self.assertIn("metadata.yaml", written[-1])
        self.assertEqual(sum("metadata.yaml" in what for what in written), 1)
        info = json.loads(self.run_kitbag("info", "--json", "s3://bags/recorded"))
        self.assertGreater(info["messages"], 10)

    def test_an_export_appears_whole_or_not_at_all(self):
        small = self.folder / "small.mcap"
        self.run_kitbag("export", small, "-o", self.folder / "csv", "--format", "csv")
        self.run_kitbag("export", small, "-o", "s3://bags/csv", "--format", "csv")
        for file in (self.folder / "csv").iterdir():
            self.assertEqual(self.store.get("bags", f"csv/{file.name}"), file.read_bytes())
        self.proxy.use(Rule("PUT ", "denied", times=100, after=3))
        self.through("export", small, "-o", "s3://bags/csv2", "--format", "csv", code=2)
        self.assertEqual(self.store.keys("bags", "csv2"), [])

    def test_in_place(self):
        small = (self.folder / "small.mcap").read_bytes()
        self.store.put("bags", "place/a.mcap", small)
        self.run_kitbag("compress", "s3://bags/place/a.mcap")
        self.assertEqual(self.store.get("bags", "place/a.orig.mcap"), small)
        self.assertLess(len(self.store.get("bags", "place/a.mcap")), len(small))
        self.assertEqual(self.digest("s3://bags/place/a.mcap"),
                         self.digest(self.folder / "small.mcap"))
        self.store.put("bags", "place/cut.mcap", small[:len(small) // 2])
        self.run_kitbag("repair", "--in-place", "s3://bags/place/cut.mcap", code=1)
        self.run_kitbag("check", "s3://bags/place/cut.mcap")

    def test_an_object_is_not_continued(self):
        self.store.put("bags", "whole.mcap", (self.folder / "small.mcap").read_bytes())
        told = self.run_kitbag("add", "s3://bags/whole.mcap", "metadata", "site", "town=Bern",
                               code=2)
        self.assertIn("s3:// cannot continue a file; convert the bag to a new one", told)
        told = self.run_kitbag("convert", self.folder / "small.mcap", "s3://bags/whole.mcap",
                               "--append", code=2)
        self.assertIn("cannot continue", told)

    def test_what_is_there_is_not_replaced(self):
        self.store.put("bags", "there.mcap", b"mine")
        told = self.run_kitbag("convert", self.folder / "small.mcap", "s3://bags/there.mcap",
                               code=2)
        self.assertIn("s3://bags/there.mcap: already exists", told)
        self.assertEqual(self.store.get("bags", "there.mcap"), b"mine")
        self.run_kitbag("convert", "-f", self.folder / "small.mcap", "s3://bags/there.mcap")
        self.assertEqual(self.store.get("bags", "there.mcap"),
                         (self.folder / "small.mcap").read_bytes())

    def test_names_that_are_none(self):
        self.assertIn("NoSuchBucket", self.run_kitbag(
            "convert", self.folder / "small.mcap", "s3://no-bucket/x.mcap", code=2))
        self.assertIn("AccessDenied", self.run_kitbag(
            "convert", self.folder / "small.mcap", "s3://bags/x.mcap", code=2,
            AWS_ACCESS_KEY_ID=""))

    def test_parts(self):
        self.through("convert", self.large, "s3://bags/parts.mcap")
        self.assertEqual(self.store.get("bags", "parts.mcap"), self.large.read_bytes())
        numbers = [int(what.split("partNumber=")[1].split("&")[0]) for what in self.proxy.requests
                   if "partNumber" in what]
        self.assertEqual(numbers, [2, 3, 4, 1])
        self.assertEqual(self.etag("parts.mcap"), etag_of(
            self.large.read_bytes(), 5 * MIB, lambda k: 8 * MIB + 20 * 1024 * k))

    def test_equal_parts_and_parts_in_files(self):
        wanted = self.large.read_bytes()
        self.run_kitbag("convert", self.large, "s3://bags/equal-parts.mcap",
                        KITBAG_S3_PART_SIZE="6MiB", KITBAG_S3_MEMORY="1k", TMPDIR=str(self.folder))
        self.assertEqual(self.store.get("bags", "equal-parts.mcap"), wanted)
        self.assertEqual(self.etag("equal-parts.mcap"),
                         etag_of(wanted, 6 * MIB, lambda _: 6 * MIB))
        told = self.run_kitbag("convert", self.large, "s3://bags/no.mcap", code=2,
                               KITBAG_S3_MEMORY="1k", TMPDIR="/nowhere")
        self.assertIn("cannot create a temporary file", told)
        self.require_nothing("no.mcap")
        told = self.run_kitbag("convert", self.large, "s3://bags/no.mcap", code=2,
                               KITBAG_S3_PART_SIZE="1MiB")
        self.assertIn("5 MiB to 5 GiB", told)

    def etag(self, key):
        told = subprocess.run([AWS, "s3api", "head-object", "--bucket", "bags", "--key", key,
                               "--endpoint-url", self.store.url], capture_output=True, text=True,
                              env=self.environment(), check=True)
        return json.loads(told.stdout)["ETag"].strip('"')

    def test_bad_days_of_writing(self):
        """The right bytes, or an error and nothing."""
        large = self.large.read_bytes()
        small = (self.folder / "small.mcap").read_bytes()
        kinds = {500: 0, 503: 0, "cut request": 0, "lost answer": 0, "cut answer": 0,
                 "trickle": 0, "damaged": 0, "expired": 2, "denied": 2}
        places = (("PUT .*partNumber=3", self.large, large), ("POST .*uploadId", self.large, large),
                  ("PUT /bags/bad", self.folder / "small.mcap", small))
        for kind, code in kinds.items():
            for pattern, bag, wanted in places:
                with self.subTest(kind=kind, pattern=pattern):
                    self.proxy.use(Rule(pattern, kind))
                    self.through("convert", "-f", bag, "s3://bags/bad", "--format", "mcap",
                                 code=code)
                    if code == 0:
                        self.assertEqual(self.store.get("bags", "bad"), wanted)
                        self.store.delete("bags", "bad")
                    self.require_nothing("bad")

    def test_answers_that_lie(self):
        wanted = self.large.read_bytes()
        for pattern, kind, code in (("POST .*uploadId", "wrong ETag", 0),
                                    ("POST .*uploadId", "error in success", 0),
                                    ("PUT .*partNumber=2", "wrong ETag", 2)):
            with self.subTest(pattern=pattern, kind=kind):
                self.proxy.use(Rule(pattern, kind))
                self.through("convert", "-f", self.large, "s3://bags/lie.mcap", code=code)
                if code == 0:
                    self.assertEqual(self.store.get("bags", "lie.mcap"), wanted)
                    self.store.delete("bags", "lie.mcap")
                self.require_nothing("lie.mcap")
        self.proxy.use(Rule("POST .*uploadId", "error in success", times=100))
        self.assertIn("InternalError", self.through(
            "convert", self.large, "s3://bags/lie.mcap", code=2))
        self.require_nothing("lie.mcap")

    def test_a_store_that_does_not_know_conditions(self):
        for bag, pattern in ((self.folder / "small.mcap", "PUT "), (self.large, "POST .*uploadId")):
            self.proxy.use(Rule(pattern, "unknown condition"))
            self.through("convert", bag, "s3://bags/condition.mcap")
            self.assertEqual(self.digest("s3://bags/condition.mcap"), self.digest(bag))
            self.store.delete("bags", "condition.mcap")

    def test_a_bad_day_tells_what_it_is(self):
        self.proxy.use(Rule("PUT ", "expired", times=100))
        told = self.through("convert", self.folder / "small.mcap", "s3://bags/no.mcap", code=2)
        self.assertIn("s3://bags/no.mcap: ", told)
        self.assertIn("the clock of this machine", told)
        self.proxy.use(Rule("PUT ", 503, times=100))
        told = self.through("convert", self.folder / "small.mcap", "s3://bags/no.mcap", code=2)
        self.assertIn("SlowDown", told)
        self.require_nothing("no.mcap")

    def stop(self, *arguments, when):
        """Ends kitbag by Ctrl-C when the proxy sees a request, within a second."""
        process = subprocess.Popen([program(), *map(str, arguments)], stderr=subprocess.PIPE,
                                   text=True, env=self.environment(AWS_ENDPOINT_URL=self.proxy.url))
        with process:
            deadline = time.monotonic() + 20
            while not any(when in what for what in self.proxy.requests):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)
            asked = time.monotonic()
            process.send_signal(signal.SIGINT)
            told = process.communicate(timeout=20)[1]
            took = time.monotonic() - asked
        self.require_no_secrets(told)
        self.assertEqual(process.returncode, 2, told)
        self.assertIn("interrupted", told)
        self.assertLess(took, 10)  # one second, and what a busy machine adds

    def test_ctrl_c(self):
        self.proxy.use(Rule("PUT .*partNumber=[23]", "trickle", times=100))
        self.stop("convert", self.large, "s3://bags/stopped.mcap", when="partNumber")
        self.require_nothing("stopped.mcap")
        self.proxy.use(Rule("PUT ", "silence", times=100, after=3))
        self.stop("export", self.folder / "small.mcap", "-o", "s3://bags/stopped", "--format",
                  "csv", when="silence")
        self.assertEqual(self.store.keys("bags", "stopped"), [])

    def test_bad_days_of_reading(self):
        self.store.put("bags", "read.mcap", (self.folder / "small.mcap").read_bytes())
        wanted = self.digest(self.folder / "small.mcap")
        for kind in 500, 503, "lost answer", "cut answer", "trickle":
            for after in 0, 1:
                with self.subTest(kind=kind, after=after):
                    self.proxy.use(Rule("GET /bags/read", kind, times=2, after=after))
                    self.assertEqual(self.digest("s3://bags/read.mcap",
                                                 AWS_ENDPOINT_URL=self.proxy.url), wanted)
        self.proxy.use(Rule("GET /bags/read", "wrong ETag", times=100, after=1))
        self.assertIn("the file was replaced while it was read", self.through(
            "cat", "s3://bags/read.mcap", code=2))
        self.proxy.use(Rule("GET /bags/read", "expired", times=100, after=1))
        self.assertIn("RequestTimeTooSkewed", self.through("cat", "s3://bags/read.mcap", code=2))

    def test_a_list_that_begins_anew_is_an_error(self):
        for i in range(MOST_LISTED + 5):
            self.store.put("bags", f"pages/{i:02}.mcap", b"")
        self.proxy.use(Rule("GET /bags/\\?.*max-keys=1000", "same answer", times=100))
        self.assertIn("sends the same page of its list again",
                      self.through("find", "s3://bags/pages", code=2))

    def test_rclone(self):
        need(shutil.which("rclone"), "rclone is not installed")
        self.run_kitbag("convert", self.large, "s3://bags/rclone/ours.mcap")
        (self.folder / "theirs").mkdir()
        config = {"RCLONE_CONFIG_STORE_TYPE": "s3", "RCLONE_CONFIG_STORE_PROVIDER": "Ceph",
                  "RCLONE_CONFIG_STORE_ENDPOINT": self.store.url,
                  "RCLONE_CONFIG_STORE_ACCESS_KEY_ID": KEY,
                  "RCLONE_CONFIG_STORE_SECRET_ACCESS_KEY": SECRET,
                  "RCLONE_S3_UPLOAD_CUTOFF": "6M"}

        def rclone(*words):
            subprocess.run(["rclone", "--config", "/dev/null", *map(str, words)], check=True,
                           capture_output=True, env=self.environment(**config))

        rclone("copyto", "store:bags/rclone/ours.mcap", self.folder / "theirs/ours.mcap")
        self.assertEqual((self.folder / "theirs/ours.mcap").read_bytes(),
                         self.store.get("bags", "rclone/ours.mcap"))
        rclone("copyto", self.large, "store:bags/rclone/theirs.mcap")
        self.assertEqual(self.digest("s3://bags/rclone/theirs.mcap"), self.digest(self.large))

    def test_the_tools_of_aws(self):
        need(Path(AWS).exists(), "awscli is not installed")
        self.run_kitbag("convert", self.large, "s3://bags/aws/ours.mcap")

        def aws(*words):
            subprocess.run([AWS, "s3", "--endpoint-url", self.store.url, *map(str, words)],
                           check=True, capture_output=True, env=self.environment())

        aws("cp", "s3://bags/aws/ours.mcap", self.folder / "aws.mcap")
        self.assertEqual((self.folder / "aws.mcap").read_bytes(),
                         self.store.get("bags", "aws/ours.mcap"))
        aws("cp", self.large, "s3://bags/aws/theirs.mcap")
        self.assertEqual(self.digest("s3://bags/aws/theirs.mcap"), self.digest(self.large))


if __name__ == "__main__":
    peers.main()
