#!/usr/bin/env python3
"""Directories of many files that overlap in time, under a low limit of open files: all messages
come, or the program says that they cannot and ends with 2."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from peers import kitbag, program  # noqa: E402

IS_SOAK = os.environ.get("KITBAG_SOAK") == "1"
FILES = 10_000 if IS_SOAK else 2_000
LIMIT = 256
SECONDS = 600

METADATA = """rosbag2_bagfile_information:
  version: 5
  storage_identifier: {storage}
  duration: {{nanoseconds: {duration}}}
  starting_time: {{nanoseconds_since_epoch: {start}}}
  message_count: {messages}
  topics_with_message_count:
    - topic_metadata: {{name: {topic}, type: {type}, serialization_format: {encoding}}}
      message_count: {messages}
  relative_file_paths: [{paths}]
  files:
{files}
"""
FILE = ("    - {{path: {path}, starting_time: {{nanoseconds_since_epoch: {start}}},"
        " duration: {{nanoseconds: {duration}}}, message_count: {messages}}}")


class ManyMembers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def directory(self, extension, files, seconds=1):
        """Hard links of one bag; its messages."""
        bag = self.folder / ("one" + extension)
        kitbag("convert", f"demo://?seconds={seconds}", bag, "--topics", "/odom",
               "--encoding", "cdr")
        lines = kitbag("cat", bag, "--format", "csv").splitlines()[1:]
        times = [int(line.split(",")[0]) for line in lines]
        place = self.folder / "many"
        place.mkdir()
        names = [f"many_{i}{extension}" for i in range(files)]
        for name in names:
            os.link(bag, place / name)
        topic, type_, encoding = "/odom", "nav_msgs/msg/Odometry", "cdr"
        facts = {"start": min(times), "duration": max(times) - min(times)}
        entries = [FILE.format(path=name, messages=len(times), **facts) for name in names]
        (place / "metadata.yaml").write_text(METADATA.format(
            storage="mcap" if extension == ".mcap" else "sqlite3", topic=topic, type=type_,
            encoding=encoding, messages=files * len(times), paths=", ".join(names),
            files="\n".join(entries), **facts))
        return place, len(times)

    def run_limited(self, *arguments, limit=LIMIT):
        return subprocess.run(["prlimit", f"--nofile={limit}:{limit}", program(),
                               *map(str, arguments)], capture_output=True, text=True,
                              timeout=SECONDS)

    def check_all_come(self, extension, files):
        place, messages = self.directory(extension, files)
        out = self.folder / "out.mcap"
        done = self.run_limited("convert", place, out)
        self.assertEqual((done.returncode, done.stderr.count("warning")), (0, 0), done.stderr)
        self.assertIn(f"{files * messages:,} messages", done.stdout + done.stderr)
        rows = kitbag("cat", out, "--format", "csv", "--fields", "child_frame_id").splitlines()[1:]
        times = [int(row.split(",")[0]) for row in rows]
        self.assertEqual(len(times), files * messages)
        self.assertEqual(times, sorted(times))

    def test_mcap(self):
        self.check_all_come(".mcap", FILES)

    def test_sqlite3(self):
        self.check_all_come(".db3", FILES // 4)

    def test_what_the_system_refuses_is_no_damage(self):
        place, _ = self.directory(".mcap", 100, seconds=10)
        out = self.folder / "out.mcap"
        done = self.run_limited("convert", place, out, limit=24)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"(?m)^kitbag: .*too many open files")
        self.assertFalse(out.exists())

    def test_a_file_that_may_not_be_read_is_no_damage(self):
        place, _ = self.directory(".mcap", 3)
        member = place / "many_1.mcap"
        member.unlink()
        member.write_bytes((self.folder / "one.mcap").read_bytes())
        member.chmod(0)
        nobody = ["setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        self.folder.chmod(0o755)
        place.chmod(0o755)
        done = subprocess.run([*nobody, program(), "cat", str(place), "--format", "digest"],
                              capture_output=True, text=True, timeout=SECONDS)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"(?m)^kitbag: .*many_1\.mcap.*permission denied")


if __name__ == "__main__":
    peers.main()
