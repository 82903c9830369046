#!/usr/bin/env python3
"""kitbag batch --on slurm, with a real Slurm of two nodes on this machine."""

import errno
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import slurm  # noqa: E402
from make_bag import make_bag  # noqa: E402
from peers import main, need, preloaded, program  # noqa: E402


class SlurmTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need(slurm.is_installed(), "slurm-wlm is not installed")
        need(os.geteuid() == 0, "only root can start munge as another user", "other_user")
        cls.place = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.place, ignore_errors=True)
        cls.slurm = slurm.Slurm(cls.place / "slurm", most_tasks=50)
        cls.addClassCleanup(cls.slurm.end)

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(dir=self.place))

    def bags(self, count):
        (self.folder / "in").mkdir()
        paths = [self.folder / f"in/{i:03}.bag" for i in range(count)]
        for i, path in enumerate(paths):
            make_bag(path, start_ns=(1_700_000_000 + i) * 10**9, messages=3)
        return paths

    def started(self, *arguments, **more):
        return subprocess.Popen([program(), "batch", *map(str, arguments)], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env=os.environ | self.slurm.of_tasks | more)

    def batch(self, *arguments, code=0):
        process = self.started(*arguments)
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, code, out + err)
        return out, err

    def targets(self):
        return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns)
                for path in (self.folder / "out").glob("*.bag")}

    def test_converts_and_lists_what_has_failed(self):
        paths = self.bags(30)
        paths[7].write_bytes(b"no bag at all" * 100)
        command = ["convert", "--from", "in/*.bag", "--to", "out", "--on", "slurm",
                   "--bags-per-task", "10", "-j", "3", "--sbatch=--comment=x y"]
        out, err = self.batch(*command, "--", "--compression", "lz4", code=1)
        self.assertRegex(out, r"\A30 bags: 29 done, 1 failed, ")
        self.assertRegex(err, r"array job \d+ of Slurm: 3 tasks\n")
        self.assertRegex(err, r"/in/007.bag: ")
        targets = self.targets()
        self.assertEqual(len(targets), 29)
        subprocess.run([program(), "convert", "in/003.bag", "one.bag", "--compression", "lz4"],
                       check=True, cwd=self.folder, stdout=subprocess.DEVNULL)
        self.assertEqual((self.folder / "one.bag").read_bytes(),
                         (self.folder / "out/003.bag").read_bytes())
        # The logs are where Slurm puts them.
        logs = list(self.folder.glob("slurm-*_*.out"))
        self.assertEqual(len(logs), 3)
        self.assertIn("10 bags: 9 done, 1 failed", "".join(log.read_text() for log in logs))
        # Nothing is left to do, and no job is submitted.
        out, err = self.batch(*command, "--", "--compression", "lz4", code=1)
        self.assertIn("30 of them before", out)
        self.assertNotIn("array job", err)
        shutil.copy(paths[0], paths[7])
        out, err = self.batch(*command, "--retry", "--", "--compression", "lz4")
        self.assertIn("of Slurm: 1 task\n", err)
        self.assertRegex(out, r"\A30 bags: 30 done; 29 of them before")

    def test_no_more_tasks_than_slurm_takes(self):
        self.bags(101)
        out, err = self.batch("check", "--from", "in", "--to", "out", "--on", "slurm",
                              "--bags-per-task", "1")
        self.assertRegex(err, r"of Slurm: (3[0-9]|4[0-9]|50) tasks\n")
        self.assertEqual(len(list((self.folder / "out").glob("*.json"))), 101)
        self.assertRegex(out, r"\A101 bags: 101 done, ")

    def held(self):
        """A lock, and the environment in which no target is written while it is held."""
        lock = open(self.folder / "lock", "w", encoding="utf-8")
        self.addCleanup(lock.close)
        fcntl.flock(lock, fcntl.LOCK_EX)
        return lock, {"LD_PRELOAD": str(preloaded("held_writes", self.folder)),
                      "KITBAG_HOLD_LOCK": str(self.folder / "lock"),
                      "KITBAG_HOLD_UNDER": f"{self.folder}/out/"}

    def held_batch(self):
        self.bags(20)
        command = ["convert", "--from", "in", "--to", "out", "--job", "job", "--on", "slurm",
                   "--bags-per-task", "5"]
        lock, environment = self.held()
        process = self.started(*command, **environment)
        self.slurm.wait_for(lambda: len(list((self.folder / "out").glob(".*.part"))) == 4,
                            "tasks that write")
        return command, lock, process

    def test_a_node_fails_under_way(self):
        _, lock, process = self.held_batch()
        self.assertEqual({job.split()[2] for job in self.slurm.jobs()}, {"n1", "n2"})
        self.slurm.kill_node("n2")
        lock.close()
        out, err = process.communicate(timeout=300)
        self.slurm.start_node("n2")
        self.assertEqual(process.returncode, 0, out + err)
        self.assertEqual(len(self.targets()), 20)
        self.assertEqual(list((self.folder / "out").glob(".*")), [])

    def test_ctrl_c_leaves_the_array_job_and_the_same_command_waits_for_it(self):
        command, lock, process = self.held_batch()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2)
        self.assertRegex(err, r"interrupted; the array job \d+ goes on: [^\n]*scancel \d+\n")
        local = [*command[:command.index("--on")]]
        _, err = self.batch(*local, code=2)
        self.assertRegex(err, "the array job [0-9]+ of Slurm is at work on this job")
        process = self.started(*command)
        line = process.stderr.readline()
        self.assertRegex(line, r"array job \d+ of Slurm is at work\n")
        lock.close()
        out, err = process.communicate(timeout=300)
        self.assertEqual((process.returncode, err), (0, ""))
        self.assertRegex(out, r"\A20 bags: 20 done, ")
        self.assertEqual(len(self.targets()), 20)

    def test_an_array_job_that_is_cancelled_says_so(self):
        command, lock, process = self.held_batch()
        self.slurm.run("scancel", f"{self.slurm.jobs()[0].split('_')[0]}_1")
        lock.close()
        out, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 1, out + err)
        self.assertRegex(out, r"\A20 bags: 1[5-9] done, [1-5] not done yet, ")
        self.assertRegex(err, r"/in/00[5-9].bag: its task \d+_1 of Slurm ended before it: "
                              "CANCELLED")
        self.batch(*command)
        self.assertEqual(len(self.targets()), 20)

    def test_what_is_no_bags_fault_cancels_the_array_job(self):
        self.bags(40)
        process = self.started(
            "convert", "--from", "in", "--to", "out", "--job", "job", "--on", "slurm",
            "--bags-per-task", "2", LD_PRELOAD=str(preloaded("failing_writes", self.folder)),
            KITBAG_FAIL_UNDER=f"{self.folder}/out/", KITBAG_FAIL_AT="1",
            KITBAG_FAIL_ERRNO=str(errno.ENOSPC))
        _, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 2, err)
        self.assertRegex(err, r"(?i)the array job \d+ was cancelled: .*no space left on device")
        self.assertEqual(self.targets(), {})
        out, _ = self.batch("--job", "job")  # here, and with a disk that works
        self.assertRegex(out, r"\A40 bags: 40 done, ")

    def test_a_refusal_of_sbatch_is_said(self):
        self.bags(1)
        _, err = self.batch("convert", "--from", "in", "--to", "out", "--on", "slurm",
                            "--sbatch=--partition=none", code=2)
        self.assertRegex(err, "sbatch has refused the job: .*partition")


if __name__ == "__main__":
    main()
