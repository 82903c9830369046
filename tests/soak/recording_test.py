#!/usr/bin/env python3
"""A soak of the recorder: the simulated robot, split and retained on a disk of its own, with
pauses, a disk that fills, readers that are killed in files that grow, snapshots beside it, and
clients of the control socket that never read. In the end every message is in a file, or reported as
dropped or deleted, every file is sound, and the recorder's memory has not grown.

Short by default. `./dev soak recording` runs it for 20 minutes (KITBAG_SOAK_MINUTES), at 200 MB/s.
"""

import json
import os
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from peers import need, program, run, run_json  # noqa: E402

IS_LONG = os.environ.get("KITBAG_SOAK") == "1"
LENGTH_S = float(os.environ.get("KITBAG_SOAK_MINUTES", 20)) * 60 if IS_LONG else 12
# The images of the robot are 57 kB: 3,500 of them a second are 200 MB.
IMAGES_HZ = 3500 if IS_LONG else 350
DISK = 3 * 10**9 if IS_LONG else 150 * 10**6
SPLIT = DISK // 15
KEPT = DISK // 2
LEFT_FREE = DISK // 10
SMALL_DISK = DISK // 10
PATIENCE_S = 120
STEP_S = 15 if IS_LONG else 2


class SmallDisk:
    """A file system of its own in a file; the system's own where that cannot be mounted."""

    def __init__(self, folder, name, size):
        self.path = folder / name
        self.path.mkdir()
        image = folder / f"{name}.image"
        with image.open("wb") as file:
            file.truncate(size)
        run("mkfs.ext4", "-q", "-m", "0", "-E", "nodiscard", image)
        done = subprocess.run(["mount", "-o", "loop", image, self.path], capture_output=True)
        if done.returncode != 0:
            run("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", self.path)

    def close(self):
        subprocess.run(["umount", "--lazy", self.path], check=True)

    def free(self):
        return shutil.disk_usage(self.path).free

    def fill(self, left):
        """Takes all of the disk but `left` bytes."""
        with (self.path / "filler").open("ab") as file:
            more = max(0, self.free() - left)
            os.posix_fallocate(file.fileno(), file.tell(), max(more, 1))

    def clear(self):
        (self.path / "filler").unlink(missing_ok=True)


class Recorder:
    """A recorder and what it prints."""

    def __init__(self, folder, name, *arguments):
        self.control_path = folder / f"{name}.ctl"
        self.out = folder / f"{name}.json"
        self.errors = folder / f"{name}.err"
        with self.out.open("w") as out, self.errors.open("w") as errors:
            self.process = subprocess.Popen(
                [program(), "record", "-a", "--json", "--control", self.control_path,
                 *map(str, arguments)], stdout=out, stderr=errors)

    def control(self, command):
        return run(program(), "control", self.control_path, command)

    def resident_bytes(self):
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) * 1024
        return 0

    def told(self):
        """Its statuses so far, in order."""
        return [json.loads(line) for line in self.out.read_text().splitlines()]

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def taken_messages(info):
    """Without those that were repeated at the begin of a file."""
    return sum(channel["messages"] for channel in info["channels"]
               if "kitbag_repeated" not in channel.get("metadata", {}))


class RecordingSoak(unittest.TestCase):
    def setUp(self):
        need(os.geteuid() == 0, "only root can mount a disk of its own", "mount")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.chance = random.Random(14)
        self.is_over = threading.Event()
        self.failures = []
        self.done = {"pauses": 0, "snapshots": 0, "fillings": 0, "full disks": 0,
                     "readers killed": 0, "silent clients": 0}

    def disk(self, name, size):
        disk = SmallDisk(self.folder, name, size)
        self.addCleanup(disk.close)
        return disk

    def recorder(self, name, *arguments):
        recorder = Recorder(self.folder, name, *arguments)
        self.addCleanup(recorder.end)
        self.until(recorder.control_path.exists)
        return recorder

    def until(self, seen):
        deadline = time.monotonic() + PATIENCE_S
        while not seen():
            self.assertLess(time.monotonic(), deadline, "what was awaited never came")
            time.sleep(0.02)

    # --- what happens meanwhile, each on a thread of its own -------------------------------------

    def repeatedly(self, action, pause_s):
        """A thread that does it again and again until the soak is over."""
        def loop():
            while not self.is_over.wait(self.chance.uniform(0.5, 1.5) * pause_s):
                try:
                    action()
                except Exception as error:  # reported by the test, on its own thread
                    self.failures.append(f"{action.__name__}: {error!r}")
                    return
        thread = threading.Thread(target=loop)
        thread.start()
        return thread

    def pause(self):
        self.main.control("pause")
        time.sleep(self.chance.uniform(0.1, 1))
        self.main.control("resume")
        self.done["pauses"] += 1

    def snapshot(self):
        self.beside.control("snapshot")
        self.done["snapshots"] += 1

    def fill_disk(self):
        """The oldest files go, and the recording goes on."""
        self.disk_of_main.fill(LEFT_FREE // 2)
        self.done["fillings"] += 1
        time.sleep(self.chance.uniform(0.2, 2))
        self.disk_of_main.clear()

    def be_silent(self):
        """A client that asks and never reads, until the next one."""
        self.silent = socket.socket(socket.AF_UNIX)
        self.silent.connect(str(self.main.control_path))
        self.silent.setblocking(False)
        try:
            for _ in range(10_000):
                self.silent.send(b"status\n" * 100)
        except (BlockingIOError, ConnectionError):
            pass
        self.done["silent clients"] += 1

    def kill_reader(self):
        files = sorted(self.disk_of_main.path.glob("run_*"))
        if not files:
            return
        file = self.chance.choice(files[-2:])
        verb = self.chance.choice([["cat", "--format", "digest"], ["echo", "--topics", "/imu"],
                                   ["info"], ["check"]])
        with subprocess.Popen([program(), *verb, file], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as reader:
            time.sleep(self.chance.uniform(0, 0.5))
            reader.send_signal(signal.SIGKILL)
        self.done["readers killed"] += 1

    def fill_a_disk_to_the_end(self):
        """A recorder without retention says so and leaves what can be repaired."""
        for left in self.small_disk.path.glob("full*"):
            left.unlink()
        recorder = Recorder(self.folder, "full", "--from", "demo://?image=350&seconds=1000", "-o",
                            self.small_disk.path / "full.mcap")
        try:
            code = recorder.process.wait(PATIENCE_S)
        finally:
            recorder.end()
        errors = recorder.errors.read_text()
        self.assertEqual(code, 2, errors)
        self.assertIn("no space left on device", errors)
        saved = self.folder / "saved.mcap"
        # What is at its end was cut off, so the exit code is that of damage.
        run(program(), "repair", self.small_disk.path / "full.mcap.active", saved, code=None)
        self.assertIn("sound", run(program(), "check", saved))
        # The last status is up to a second old, and the last chunk is lost.
        self.assertGreater(run_json(program(), "info", "--json", saved)["size_bytes"],
                           SMALL_DISK // 2)
        saved.unlink()
        self.done["full disks"] += 1

    # --- the soak ---------------------------------------------------------------------------------

    def sample_memory(self):
        """Resident bytes of the recorder, once a second."""
        sizes = []
        end = time.monotonic() + LENGTH_S
        while time.monotonic() < end and not self.failures:
            self.assertIsNone(self.main.process.poll(), self.main.errors.read_text())
            sizes.append(self.main.resident_bytes())
            time.sleep(1 if IS_LONG else 0.25)
        return sizes

    def test_counts_agree_and_memory_is_flat(self):
        self.disk_of_main = self.disk("disk", DISK)
        self.small_disk = self.disk("small", SMALL_DISK)
        self.main = self.recorder(
            "run", "--from", f"demo://?seed=7&image={IMAGES_HZ}&seconds=100000", "-o",
            self.disk_of_main.path / "run.mcap", "--split-size", SPLIT, "--max-total-size", KEPT,
            "--min-free-space", LEFT_FREE)
        self.beside = self.recorder("beside", "--from", "demo://?seed=8&seconds=100000", "-o",
                                    self.folder / "beside.mcap", "--snapshot", "5s",
                                    "--max-files", "3")
        threads = [self.repeatedly(self.pause, STEP_S * 2), self.repeatedly(self.snapshot, STEP_S),
                   self.repeatedly(self.fill_disk, STEP_S * 3),
                   self.repeatedly(self.be_silent, STEP_S),
                   self.repeatedly(self.kill_reader, STEP_S / 5),
                   self.repeatedly(self.fill_a_disk_to_the_end, STEP_S * 4)]
        try:
            sizes = self.sample_memory()
        finally:
            self.is_over.set()
            for thread in threads:
                thread.join()
        self.assertEqual(self.failures, [])
        self.disk_of_main.clear()
        for recorder in (self.beside, self.main):
            self.assertEqual(recorder.control("stop"), "ok\n")
            recorder.process.wait(PATIENCE_S)
            self.assertEqual(recorder.process.returncode, 0, recorder.errors.read_text())
        self.check_counts()
        self.check_snapshots()
        self.check_memory(sizes)

    def check_counts(self):
        told = self.main.told()[-1]
        dropped = sum(told["dropped"].values())
        stored = 0
        files = sorted(self.disk_of_main.path.glob("run_*"))
        self.assertEqual([str(file) for file in files], sorted(told["files"]))
        for file in files:
            self.assertEqual(file.suffix, ".mcap", "it is still active")
            self.assertIn("sound", run(program(), "check", file))
            stored += taken_messages(run_json(program(), "info", "--json", file))
        print(f"\n{told['messages']:,} messages and {told['bytes'] / 1e9:,.1f} GB in "
              f"{told['seconds']:,.0f} s ({told['bytes'] / told['seconds'] / 1e6:.0f} MB/s): "
              f"{stored:,} in {len(files)} files, {told['deleted_messages']:,} in "
              f"{told['deleted_files']:,} deleted files, {dropped:,} dropped beside them; "
              + ", ".join(f"{count} {what}" for what, count in self.done.items()))
        self.assertEqual(told["messages"], stored + told["deleted_messages"])
        self.assertGreater(told["deleted_files"], 0)
        for what in ("pauses", "snapshots", "fillings", "readers killed", "silent clients"):
            self.assertGreater(self.done[what], 0, what)

    def check_snapshots(self):
        files = sorted(self.folder.glob("beside_*"))
        self.assertGreater(len(files), 0)
        self.assertLessEqual(len(files), 3)
        for file in files:
            self.assertIn("sound", run(program(), "check", file))

    def check_memory(self, sizes):
        """The highest of the last half against the first, when all has been used once."""
        sizes = sizes[len(sizes) // 10:]
        half = len(sizes) // 2
        first, last = max(sizes[:half]), max(sizes[half:])
        print(f"resident memory in MB: {first / 1e6:.1f} at most in the first half, "
              f"{last / 1e6:.1f} in the last; medians {statistics.median(sizes[:half]) / 1e6:.1f} "
              f"and {statistics.median(sizes[half:]) / 1e6:.1f}")
        self.assertLess(last, first * 1.1 + 16e6)


if __name__ == "__main__":
    # A mount namespace of its own: what a killed run has mounted goes with it.
    if os.geteuid() == 0 and shutil.which("unshare") and not os.environ.get("KITBAG_TEST_MOUNTS"):
        os.environ["KITBAG_TEST_MOUNTS"] = "1"
        os.execvp("unshare", ["unshare", "-m", sys.executable, "-B", *sys.argv])
    peers.main()
