#!/usr/bin/env python3
"""Uploads to a folder of this machine: of a recorder, of a server, and of a folder alone."""

import json
import os
import re
import signal
import shutil
import subprocess
import time

from cli import CliTest, main
from peers import program
from server import Server
from waiting import until

DEMO = "demo://?seconds=1.5&seed=7"


class UploadTest(CliTest):
    def setUp(self):
        super().setUp()
        self.store = self.folder / "store"
        self.store.mkdir()
        (self.folder / "data").mkdir()

    def stored(self):
        return sorted(str(path.relative_to(self.store)) for path in self.store.rglob("*")
                      if path.is_file())

    def kept(self, folder="data"):
        return sorted(path.name for path in (self.folder / folder).glob("*.mcap"))

    def test_a_recording_is_uploaded_and_may_then_be_deleted(self):
        shown = self.kitbag("record", "/odom", "--from", DEMO, "-o", "data/a.mcap",
                            "--split-messages", "10", "--max-files", "2", "--robot", "r2",
                            "--upload", "store/{robot}/")
        self.assertRegex(shown, r"(?m)^uploaded: \d+ files, ")
        self.assertEqual(len(self.kept()), 2)
        names = self.stored()
        self.assertGreater(len(names), 3)
        self.assertEqual(set(names), {f"r2/a_{i}.mcap" for i in range(len(names))})
        messages = sum(json.loads(self.kitbag("info", "--json", self.store / name))["messages"]
                       for name in names)
        self.assertEqual(messages, int(shown.split(" message")[0].split()[-1]))

    def test_what_is_uploaded_after_the_end_is_deleted_too(self):
        """With a target so slow that nothing is there when the recording ends."""
        options = ["record", "/odom", "--from", "demo://?seconds=0.5&seed=7", "-o", "data/a.mcap",
                   "--split-messages", "5", "--max-files", "2", "--upload", "store",
                   "--upload-rate", "10kB"]
        shown = self.kitbag(*options)
        count = len(self.stored())
        self.assertEqual(count, 5)
        self.assertEqual(self.kept(), ["a_3.mcap", "a_4.mcap"])
        self.assertRegex(shown, r"(?m)^uploaded: 5 files, ")
        deleted = re.findall(r"(?m)^deleted .*: (\d) files?, (\d+) messages of this recording$",
                             shown)
        self.assertEqual([sum(map(int, each)) for each in zip(*deleted)], [3, 15])
        self.assertIn("deleted after their upload: ", shown)
        last = json.loads(self.kitbag(*options, "--json").splitlines()[-1])
        self.assertEqual(self.kept(), ["a_8.mcap", "a_9.mcap"])
        self.assertEqual((last["upload"]["waiting_files"], last["deleted_files"]), (0, 5))

    def test_names_without_a_folder(self):
        shown = self.kitbag("record", "/odom", "--from", DEMO, "-o", "a.mcap", "--split-messages",
                            "10", "--max-files", "2", "--upload", "store")
        self.assertRegex(shown, "deleted (by the retention limits|after their upload): ")
        self.assertEqual(len(self.kept(".")), 2)

    def test_the_status_says_what_waits(self):
        lines = self.kitbag("record", "/odom", "--from", DEMO, "-o", "data/a.mcap", "--json",
                            "--upload", "store").splitlines()
        upload = json.loads(lines[-1])["upload"]
        self.assertEqual((upload["waiting_files"], upload["uploaded_files"], upload["failure"]),
                         (0, 1, ""))
        self.assertEqual(upload["uploaded_bytes"], os.path.getsize(self.store / "a.mcap"))

    def test_what_waits_at_the_end(self):
        options = ["record", "--from", "demo://?seconds=3", "-o", "data/a.mcap",
                   "--upload", "store", "--upload-rate", "50kB"]
        done = self.run_program(*options, "--upload-wait", "1s")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"not uploaded yet: 1 file \(\S+ \S+\); the next start or "
                                      "kitbag upload goes on with it")
        self.assertEqual(self.stored(), [])
        self.assertIn("uploaded: 1 file,", self.kitbag("upload", "data", "store"))
        self.assertEqual(self.stored(), ["a.mcap"])

    def test_a_second_signal_leaves_the_rest(self):
        recorder = subprocess.Popen(
            [program(), "record", "--from", "demo://?seconds=60", "-o", "data/a.mcap", "--upload",
             "store", "--upload-rate", "1kB"], cwd=self.folder, stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL, text=True)
        self.addCleanup(recorder.kill)
        active = self.folder / "data/a.mcap.active"
        until(lambda: active.exists() and active.stat().st_size > 0, "the file", recorder)
        recorder.send_signal(signal.SIGINT)
        until((self.folder / "data/a.mcap").exists, "the whole file", recorder)
        time.sleep(1.3)  # a signal that comes sooner counts as the same one
        self.assertIsNone(recorder.poll())
        recorder.send_signal(signal.SIGINT)
        self.assertIn("not uploaded yet: 1 file", recorder.communicate(timeout=60)[1])
        self.assertEqual(recorder.returncode, 2)
        self.assertTrue((self.folder / "data/a.mcap").exists())

    def test_a_disk_that_is_full(self):
        self.kitbag("record", "/odom", "--from", DEMO, "-o", "data/a.mcap", "--split-messages",
                    "10")
        before = sorted(path.name for path in (self.folder / "data").iterdir())
        shutil.rmtree(self.store)
        self.store.mkdir()
        done = self.run_program("record", "/odom", "--from", DEMO, "-o", "data/a.mcap",
                                "--split-messages", "10", "--min-free-space", "1000TB",
                                "--upload", "store", "--upload-rate", "1kB")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"that may be deleted; not uploaded yet: \d+ files")
        there = {path.name for path in (self.folder / "data").iterdir()}
        self.assertLessEqual(set(before) - set(self.stored()), there)

    def test_what_is_refused(self):
        self.fails("record", "--from", DEMO, "-o", "a.mcap", "--upload", "store/{fleet}",
                   saying=r"unknown placeholder \{fleet\}; there are \{robot\}, \{host\}, \{date\}")
        self.fails("record", "--from", DEMO, "-o", "a.mcap", "--upload", "nowhere/x",
                   saying="nowhere/x/: no such folder")
        self.fails("record", "--from", DEMO, "-o", "a.mcap", "--upload", "store", "-f",
                   saying="--force cannot be used with --upload")
        self.fails("record", "-a", "--from", DEMO, "-o", "a/", "--upload", "store",
                   "--split-size", "1MB", "--max-files", "2",
                   saying="a directory that is uploaded cannot have limits")
        self.fails("upload", "nowhere", "store", saying="no such folder")
        self.fails("upload", "run.bag", "store", saying="is not a folder")

    def test_a_folder_is_uploaded(self):
        data = self.folder / "data"
        (data / "day").mkdir()
        self.kitbag("convert", "run.bag", "data/day/run/", "--split-messages", "100")
        shutil.copy(self.bag, data / "b.bag")
        (data / "calibration.yaml").write_text("x: 1")
        (data / ".hidden").write_text("")
        (data / "c.mcap.active").write_text("half")
        done = self.run_program("upload", "data", "store/{date}", "--json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("c.mcap.active: the recording is incomplete; kitbag repair", done.stderr)
        uploaded = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual({each["sent"] for each in uploaded}, {True})
        day = "2023-11-14"
        names = [name for name in self.stored() if "calibration" not in name]
        self.assertEqual(names, [f"{day}/b.bag"] + [
            f"{day}/day/run/{path.name}" for path in sorted((data / "day/run").iterdir())])
        self.assertEqual(self.kitbag("cat", "--format", "digest", self.store / day / "day/run"),
                         self.kitbag("cat", "--format", "digest", self.bag))
        order = [each["target"] for each in uploaded if "/run/" in each["target"]]
        self.assertTrue(order[-1].endswith("metadata.yaml"), order)
        (data / "c.mcap.active").unlink()
        self.assertIn("uploaded: 0 files", self.kitbag("upload", "data", "store/{date}"))
        self.kitbag("upload", "data", "store/{date}", "--delete")
        self.assertEqual(sorted(path.name for path in data.rglob("*")),
                         [".hidden", ".kitbag-uploads", "day"])

    def test_a_directory_alone_and_what_is_being_written(self):
        self.kitbag("convert", "run.bag", "data/run/")
        self.assertIn("uploaded: ", self.kitbag("upload", "data/run", "store"))
        self.assertEqual([name.split("/")[0] for name in self.stored()], ["run", "run"])
        recorder = subprocess.Popen([program(), "record", "--from", "demo://?seconds=60", "-o",
                                     "data/live/"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL)
        until((self.folder / "data/live/metadata.yaml").exists, "the directory", recorder)
        done = self.run_program("upload", "data", "store")
        recorder.send_signal(signal.SIGINT)
        recorder.wait()
        self.assertEqual(done.returncode, 1)
        self.assertIn("data/live: is being written", done.stderr)
        self.kitbag("upload", "data", "store")
        self.assertTrue((self.store / "live/metadata.yaml").exists())

    def test_a_folder_is_followed(self):
        shutil.copy(self.bag, self.folder / "data/a.bag")
        os.utime(self.folder / "data/a.bag", (1, 1))
        uploader = subprocess.Popen([program(), "upload", "data", "store", "--follow"],
                                    cwd=self.folder, stdout=subprocess.PIPE, text=True)
        self.addCleanup(uploader.kill)
        # The line comes when the file was compared with its source, later than the file itself.
        self.assertEqual(uploader.stdout.readline(), "data/a.bag -> store/a.bag\n")
        shutil.copy(self.bag, self.folder / "data/b.bag")
        os.utime(self.folder / "data/b.bag", (1, 1))
        self.assertEqual(uploader.stdout.readline(), "data/b.bag -> store/b.bag\n")
        self.assertEqual(self.stored(), ["a.bag", "b.bag"])
        uploader.send_signal(signal.SIGINT)
        self.assertIn("uploaded: 2 files", uploader.communicate(timeout=60)[0])
        self.assertEqual(uploader.returncode, 0)

    def test_a_server_uploads_what_it_records(self):
        server = Server(self.folder / "data", "--token", "t", "--record", "demo://", "--upload",
                        str(self.store))
        self.addCleanup(server.end)
        ask = {"authorization": "Bearer t", "content_type": "application/json"}
        until(lambda: server.ask("/api/recorder", **ask).json().get("messages"), "a message")
        self.assertEqual(server.ask("/api/recorder/stop", "POST", **ask).status, 200)
        until(lambda: any(name.endswith(".mcap") for name in self.stored()), "the upload")
        until(lambda: server.ask("/api/recorder", **ask).json()["upload"]["uploaded_files"] == 1,
              "its count")
        metrics = server.ask("/metrics", **ask).body
        metrics = metrics.decode() if isinstance(metrics, bytes) else metrics
        self.assertIn("kitbag_upload_waiting_files 0\n", metrics)


if __name__ == "__main__":
    main()
