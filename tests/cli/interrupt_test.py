#!/usr/bin/env python3
"""Ctrl-C, terminals and progress. Nothing here waits for a time: what is awaited is seen."""

import contextlib
import os
import pty
import random
import signal
import subprocess
import time
from pathlib import Path

from cli import START_NS, BagFile, CliTest, main, u32
from peers import program

PATIENCE_S = 120


class LongRunTest(CliTest):
    def setUp(self):
        """big.bag: noise, so that compressing it takes many seconds."""
        super().setUp()
        rng = random.Random(1)
        bag = BagFile(self.path("noise.bag"))
        conn = bag.connection("/noise", "std_msgs/String")
        bag.add_chunk([(conn, START_NS + i, u32(99_996) + rng.randbytes(99_996))
                       for i in range(30)])
        bag.close()
        self.kitbag("merge", *["noise.bag"] * 25, "big.bag")
        (self.folder / "noise.bag").unlink()

    def compress(self, *arguments, **more):
        return subprocess.Popen(
            [program(), "convert", "big.bag", *arguments, "--compression", "bz2", "--threads", "1",
             "--chunk-size", "300kB"], cwd=self.folder, **more)

    def until(self, seen, process):
        deadline = time.monotonic() + PATIENCE_S
        while not seen():
            self.assertIsNone(process.poll(), "it ended before it could be interrupted")
            self.assertLess(time.monotonic(), deadline, "what was awaited never came")
            time.sleep(0.005)

    def begun(self):
        return any(name.endswith(".part") for name in self.files())

    def test_an_interrupted_target_never_appears(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.compress("out.bag", stderr=subprocess.PIPE, text=True) as process:
                self.until(self.begun, process)
                process.send_signal(number)
                _, told = process.communicate(timeout=PATIENCE_S)
            # Within a second the verb says it, later the program.
            self.assertRegex(told, r"\Akitbag: (out\.bag: )?interrupted"
                                   r"(; the bag was not written)?\n\Z")
            self.assertEqual(process.returncode, 2)
            self.assertEqual(self.files(), ["big.bag", "run.bag"])

    def test_a_job_in_the_background_of_a_script_stops_too(self):
        ignore = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)}
        with self.compress("out.bag", stderr=subprocess.DEVNULL, **ignore) as process:
            self.until(self.begun, process)
            process.send_signal(signal.SIGINT)
        self.assertEqual(process.returncode, 2)

    def test_an_old_target_stays(self):
        before = Path(self.bag).read_bytes()
        with self.compress(self.bag, "-f", stderr=subprocess.PIPE) as process:
            self.until(self.begun, process)
            process.send_signal(signal.SIGINT)
        self.assertEqual(Path(self.bag).read_bytes(), before)
        self.assertEqual(self.files(), ["big.bag", "run.bag"])

    def test_an_interrupted_append_adds_nothing(self):
        before = Path(self.bag).read_bytes()

        def grown():
            return Path(self.bag).stat().st_size > len(before)

        with self.compress(self.bag, "--append", stderr=subprocess.PIPE, text=True) as process:
            self.until(grown, process)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=PATIENCE_S)
        self.assertIn("interrupted", told)  # by the append, or by who waited a second for it
        self.assertEqual(Path(self.bag).read_bytes(), before)

    def test_of_an_interrupted_split_no_file_appears(self):
        with self.compress("part.bag", "--split-messages", "20", stderr=subprocess.PIPE,
                           text=True) as process:
            self.until(lambda: any(self.folder.glob(".part.bag.*/part_1.bag")), process)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate(timeout=PATIENCE_S)
        self.assertRegex(told, r"(part_0\.bag to part_\d+\.bag: )?interrupted"
                               r"(; none of the files was written)?\n")
        self.assertEqual(self.files(), ["big.bag", "run.bag"])

    def test_the_scan_of_a_bag_without_an_index_ends(self):
        """To the end of this one it would take minutes."""
        os.truncate(self.path("big.bag"), 3_000_000)
        os.truncate(self.path("big.bag"), 1 << 40)  # without blocks on the disk
        for verb in (["info"], ["check"], ["cat"], ["echo"], ["sql", "SELECT 1"]):
            with subprocess.Popen([program(), *verb, self.path("big.bag")],
                                  stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL) as process:
                self.until(lambda: self.reads(process), process)  # noqa: B023
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(PATIENCE_S), 2, verb)

    def reads(self, process):
        """Whether it has the bag open."""
        for file in Path(f"/proc/{process.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # it was closed meanwhile
                if os.readlink(file).endswith("big.bag"):
                    return True
        return False

    def test_the_second_signal_ends_it_at_once(self):
        """A full pipe that nobody reads: it cannot stop by itself."""
        with subprocess.Popen([program(), "cat", self.path("big.bag"), "--format", "raw"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            process.stdout.read(1)
            deadline = time.monotonic() + PATIENCE_S
            while process.poll() is None and time.monotonic() < deadline:
                process.send_signal(signal.SIGINT)
            self.assertEqual(process.returncode, 2)

    def test_progress_is_drawn_on_a_terminal_and_erased(self):
        ours, theirs = pty.openpty()
        shown = b""
        with self.compress("out.bag", stderr=theirs) as process:
            os.close(theirs)
            while b"%" not in shown:
                shown += os.read(ours, 4096)
            process.send_signal(signal.SIGINT)
            shown += read_all(ours)
        self.assertRegex(shown, rb"\[[#.]{30}\] +\d+ %  \d+ messages?, [\d.]+ [KMG]iB/s")
        self.assertRegex(shown, rb"\r\x1b\[K\x1b\[31mkitbag:\x1b\[0m (out\.bag: )?interrupted")

    def test_colours_only_where_they_are_wanted(self):
        self.assertIn(b"\x1b[1m", self.info_on_terminal({}))
        self.assertNotIn(b"\x1b", self.info_on_terminal({"NO_COLOR": "1"}))

    def info_on_terminal(self, environment):
        ours, theirs = pty.openpty()
        clean = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        with subprocess.Popen([program(), "info", self.bag], stdout=theirs,
                              env={**clean, **environment}) as process:
            os.close(theirs)
            shown = read_all(ours)
        self.assertEqual(process.returncode, 0)
        return shown


def read_all(terminal):
    """Until everybody at the other end has gone."""
    shown = b""
    try:
        while some := os.read(terminal, 4096):
            shown += some
    except OSError:  # how Linux says that a terminal has no other end
        pass
    os.close(terminal)
    return shown


if __name__ == "__main__":
    main()
