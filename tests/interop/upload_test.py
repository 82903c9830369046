#!/usr/bin/env python3
"""Recordings that are uploaded to a real Ceph Object Gateway while the network is cut, the recorder
killed, the gateway restarted and the disk full: afterwards every message is in the store once, and
no file was deleted before. KITBAG_KILLS says how often the recorder is killed."""

import contextlib
import ctypes
import hashlib
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from cut_network import Network  # noqa: E402
from peers import need, program  # noqa: E402
from store_case import StoreCase  # noqa: E402
from waiting import until  # noqa: E402

KILLS = int(os.environ.get("KITBAG_KILLS", "3"))
CHECK = ".kitbag-upload-check"


class Watcher:
    """Keeps what is recorded into `folder`: each complete file gets a second name in `kept`. When
    it loses its first one, `is_stored` must say that its content is in the store."""

    def __init__(self, folder, kept, is_stored):
        self.folder, self.kept, self.is_stored = folder, kept, is_stored
        self.ids, self.deleted, self.lost = {}, [], []
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.ending.wait(0.02):
            self.look()
        self.look()

    def look(self):
        there = {}
        for entry in os.scandir(self.folder):
            if entry.name.startswith(".") or not entry.name.endswith(".mcap"):
                continue
            there[entry.inode()] = entry.name
            if entry.inode() in self.ids:
                continue
            name = self.kept / f"{len(self.ids):04}_{entry.name}"
            with contextlib.suppress(FileNotFoundError):
                os.link(entry.path, name)
                self.ids[entry.inode()] = name
        for inode, name in list(self.ids.items()):
            if inode in there or name in self.deleted:
                continue
            self.deleted.append(name)
            if not self.is_stored(name):
                self.lost.append(name)

    def end(self):
        self.ending.set()
        self.thread.join()


class UploadTest(StoreCase):
    seed = 0

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # All now: a gateway that was killed is waited for half a minute by one that makes a bucket.
        for name in unittest.defaultTestLoader.getTestCaseNames(cls):
            cls.store.make_bucket(name.rsplit("_", 1)[1])

    def setUp(self):
        self.bucket = self.id().rsplit("_", 1)[1]
        self.data = self.folder / self.bucket
        self.data.mkdir()
        self.network = Network(self.store.port)
        self.addCleanup(self.network.end)
        self.target = f"s3://{self.bucket}/{{robot}}/{{date}}/"

    def environment(self, **more):
        own = {"KITBAG_ROBOT": "r2", "AWS_ENDPOINT_URL": self.network.url}
        return super().environment(**own | more)

    def run_kitbag(self, *arguments, code=0, **environment):
        done = subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True,
                              check=False, env=self.environment(**environment), timeout=60,
                              cwd=self.data)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def system(self):
        """Another one each time: equal seeds make equal files."""
        type(self).seed += 1
        return f"demo://?seconds=60&seed={self.seed}"

    def recorder(self, *arguments, **more):
        return subprocess.Popen(
            [program(), "record", "--from", self.system(), "--upload", self.target,
             *map(str, arguments)], env=self.environment(), cwd=self.data, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)

    def objects(self):
        return {key: self.store.get(self.bucket, key) for key in self.store.keys(self.bucket, "")
                if not key.endswith(CHECK)}

    def is_stored(self, kept):
        """Whether the store has the content of a file that had the name behind the number; asks
        until the store answers."""
        stem = kept.stem.split("_", 1)[1]
        for _ in range(600):
            try:
                keys = [key for key in self.store.keys(self.bucket, "r2/")
                        if Path(key).stem.split("-")[0] == stem]
                return any(self.store.get(self.bucket, key) == kept.read_bytes() for key in keys)
            except (AssertionError, OSError, http.client.HTTPException):
                time.sleep(0.05)
        return False

    def assert_is_stored_once(self, files):
        """Each of the files is one object; and kitbag reads each message once."""
        contents = [file.read_bytes() for file in files]
        self.assertGreater(len(contents), 0)
        objects = self.objects()
        self.assertEqual(Counter(hashlib.sha256(each).hexdigest() for each in contents),
                         Counter(hashlib.sha256(each).hexdigest() for each in objects.values()))
        self.assertEqual(self.store.uploads(self.bucket), [])
        stored = self.run_kitbag("info", "-r", "--json", f"s3://{self.bucket}/r2/")
        there = [json.loads(line)["messages"] for line in stored.splitlines()]
        here = [json.loads(self.run_kitbag("info", "--json", file))["messages"] for file in files]
        self.assertEqual(sorted(there), sorted(here))

    def complete_files(self):
        return sorted(self.data.glob("*.mcap"))

    def test_every_message_is_stored_once_after_kills_and_cuts_kills(self):
        random.seed(KILLS)
        kept = self.data.parent / "kept"
        kept.mkdir()
        watcher = Watcher(self.data, kept, self.is_stored)
        self.addCleanup(watcher.end)
        options = ["-o", "run.mcap", "--split-messages", "60", "--max-files", "3"]
        for number in range(KILLS):
            if number % 3 == 1:
                self.network.cut()
            recorder = self.recorder(*options)
            time.sleep(random.uniform(0.3, 2))
            if number % 3 == 2:
                self.store.restart_gateway()
            time.sleep(random.uniform(0, 0.7))
            recorder.kill()
            recorder.communicate()
            if number % 3 == 1:
                self.network.restore()
        said = self.run_kitbag("record", "--from", self.system(), "--duration", "2s",
                               "--upload", self.target, *options)
        self.assertIn("uploaded: ", said)
        watcher.end()
        self.assertEqual(list(self.data.glob("*.active")), [])
        self.assertGreater(len(watcher.deleted), 0)
        self.assertEqual(watcher.lost, [])
        self.assert_is_stored_once(sorted(kept.iterdir()))

    def test_without_a_network_it_begins_and_one_more_signal_leaves_it_cut(self):
        self.network.cut()
        recorder = self.recorder("-o", "run.mcap", "--split-messages", "60")
        until(lambda: len(self.complete_files()) > 1, "the second file", recorder)
        recorder.send_signal(signal.SIGINT)
        until(lambda: not list(self.data.glob("*.active")), "the last file", recorder)
        time.sleep(1.5)  # sooner the next signal counts as the same one
        self.assertIsNone(recorder.poll())
        recorder.send_signal(signal.SIGINT)
        said = recorder.communicate(timeout=60)[0]
        self.assertEqual(recorder.returncode, 2, said)
        self.assertIn("uploads fail: ", said)
        files = self.complete_files()
        self.assertIn(f"not uploaded yet: {len(files)} files", said)
        self.network.restore()
        said = self.run_kitbag("upload", self.data, self.target)
        self.assertIn(f"uploaded: {len(files)} files", said)
        self.assert_is_stored_once(files)
        # Again: nothing is sent, with the journal and without it.
        self.assertIn("uploaded: 0 files", self.run_kitbag("upload", self.data, self.target))
        (self.data / ".kitbag-uploads").unlink()
        said = self.run_kitbag("upload", self.data, self.target)
        self.assertIn(f"uploaded: 0 files, 0 B; already there: {len(files)} files", said)
        self.assert_is_stored_once(files)

    def test_a_refusal_is_an_error_at_the_start_refused(self):
        self.assertIn("NoSuchBucket", self.run_kitbag(
            "record", "--from", "demo://", "-o", "x.mcap", "--upload", "s3://nobody/x/", code=2))
        self.assertIn("SignatureDoesNotMatch", self.run_kitbag(
            "record", "--from", "demo://", "-o", "x.mcap", "--upload", self.target, code=2,
            AWS_SECRET_ACCESS_KEY="wrong"))
        self.assertEqual(list(self.data.iterdir()), [])

    def test_a_directory_is_one_bag_in_the_store_bagdir(self):
        self.run_kitbag("record", "--from", "demo://?seconds=2&seed=7", "-o", "run/",
                        "--split-messages", "500", "--upload", self.target)
        prefix = next(iter(self.objects())).rsplit("/", 1)[0]
        self.assertTrue(prefix.endswith("/run"), prefix)
        digest = self.run_kitbag("cat", "--format", "digest", f"s3://{self.bucket}/{prefix}")
        self.assertEqual(digest, self.run_kitbag("cat", "--format", "digest", "run"))
        self.assertEqual(len(self.objects()), len(list((self.data / "run").iterdir())))

    def test_a_full_disk_deletes_nothing_that_waits_fulldisk(self):
        libc = ctypes.CDLL(None)
        disk = str(self.data).encode()
        is_mounted = libc.mount(b"tmpfs", disk, b"tmpfs", 0, b"size=3m") == 0
        need(is_mounted, "only root can mount a small disk")
        self.addCleanup(libc.umount2, disk, 2)
        self.network.cut()
        recorder = self.recorder("-o", "run.mcap", "--split-size", "400KB", "--max-files", "2",
                                 "--min-free-space", "1MB")
        said = recorder.communicate(timeout=40)[0]
        self.assertEqual(recorder.returncode, 2, said)
        files = self.complete_files()
        self.assertGreater(len(files), 2)
        self.assertIn("no older file of this name is left that may be deleted", said)
        self.assertIn(f"not uploaded yet: {len(files)} files", said)
        self.network.restore()
        contents = [file.read_bytes() for file in files]
        self.run_kitbag("upload", self.data, self.target, "--delete")
        self.assertEqual(self.complete_files(), [])
        self.assertEqual(sorted(contents), sorted(self.objects().values()))


if __name__ == "__main__":
    peers.main()
