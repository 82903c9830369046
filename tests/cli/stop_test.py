#!/usr/bin/env python3
"""SIGINT and SIGTERM end every verb within a second, whatever it is busy with, and leave everything
as it was. Every case runs for ever, or long, by itself. KITBAG_SOAK=1 tries them all with both
signals, else each has one of them."""

import contextlib
import fcntl
import hashlib
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from cli import START_NS, BagFile, CliTest, main, u32
from make_bag import make_bag
from peers import program

SOAK = os.environ.get("KITBAG_SOAK") == "1"
SIGNALS = (signal.SIGINT, signal.SIGTERM)
LIMIT_S = 10 if not SOAK else 20  # a second is promised; machines are busy
PATIENCE_S = 120
INTERRUPTED = 2
TERABYTE = 1 << 40
EXTENSIONS = (".bag", ".mcap", ".db3")


def heeds_signals(process):
    """On a busy machine a program may take longer to come so far than any fixed time."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    masks = [int(mask, 16) for mask in re.findall(r"Sig(?:Blk|Cgt):\s*(\w+)", status)]
    return any(mask >> (signal.SIGINT - 1) & 1 for mask in masks)


def state_of(process):
    """What each thread of a process that does not end waits in."""
    threads = Path(f"/proc/{process.pid}/task").iterdir()
    return "\n".join(f"{(each / 'comm').read_text().strip()}: {(each / 'wchan').read_text()}, "
                     f"{(each / 'syscall').read_text().strip()}" for each in threads)


class Case:
    """A run of the program in a folder of its own."""

    def __init__(self, test, name, *arguments, code=INTERRUPTED, ready=None, stdin=None,
                 stdout=subprocess.DEVNULL, may_end=False, env=None, after_s=0.3):
        self.test, self.name, self.code, self.may_end = test, name, code, may_end
        self.ready, self.after_s = ready, after_s
        self.before = test.state()
        if isinstance(stdin, bytes):
            stdin = test.silent(stdin)
        self.process = subprocess.Popen(
            [program(), *map(str, arguments)], cwd=test.folder, stdin=stdin, stdout=stdout,
            stderr=subprocess.PIPE, text=True, env={**os.environ, **(env or {})})

    def wait_until_begun(self):
        deadline = time.monotonic() + PATIENCE_S
        while not self.has_begun() and self.process.poll() is None:
            self.test.assertLess(time.monotonic(), deadline, f"{self.name} never began")
            time.sleep(0.01)
        time.sleep(self.after_s)

    def has_begun(self):
        return heeds_signals(self.process) and (self.ready is None or self.ready())

    def interrupt(self, number):
        """Seconds until it ended, or nothing where it had ended before."""
        try:
            self.wait_until_begun()
            if self.process.poll() is not None:
                told = f"exit {self.process.returncode}: {self.process.stderr.read()}"
                self.test.assertTrue(self.may_end, f"{self.name} ended by itself, {told}")
                return None
            begin = time.monotonic()
            self.process.send_signal(number)
            told = self.told_at_its_end()
            took = time.monotonic() - begin
        finally:
            self.process.kill()
            self.process.communicate()
        what = (f"{self.name}, {signal.Signals(number).name}: exit {self.process.returncode} after "
                f"{took:.2f} s, load {os.getloadavg()[0]:.1f}, standard error: {told!r}")
        self.test.assertLess(took, LIMIT_S, what)
        if self.may_end and "interrupted" not in told:  # it was at its end when the signal came
            return None
        self.test.assertEqual(self.process.returncode, self.code, what)
        if self.code == INTERRUPTED:
            self.test.assertRegex(told, r"interrupted[^\n]*\n\Z", what)
        self.test.assertEqual(self.test.state(), self.before, what)
        return took

    def told_at_its_end(self):
        try:
            return self.process.communicate(timeout=PATIENCE_S)[1]
        except subprocess.TimeoutExpired:
            self.test.fail(f"{self.name} goes on {PATIENCE_S} s after the signal\n"
                           f"{state_of(self.process)}")


class StopTest(CliTest):
    def setUp(self):
        super().setUp()
        make_bag(self.bag, start_ns=START_NS, latching=True)
        self.kitbag("convert", self.bag, "run.mcap", "--chunk-size", "2KiB")

    def state(self):
        """What is in the folder: small files by their content, large ones by size and time."""
        state = {}
        for file in sorted(self.folder.rglob("*")):
            seen = file.lstat()
            small = file.is_file() and seen.st_size < 1 << 27
            content = (hashlib.sha256(file.read_bytes()).hexdigest() if small
                       else (seen.st_size, seen.st_mtime_ns))
            if not file.is_dir():
                state[str(file.relative_to(self.folder))] = content
        return state

    def signals(self, index):
        return SIGNALS if SOAK else (SIGNALS[index % 2],)

    def stop(self, index, name, *arguments, **more):
        """Runs the case with the signals due; gives the last time it took."""
        for number in self.signals(index):
            took = Case(self, name, *arguments, **more).interrupt(number)
            shown = "ended by itself" if took is None else f"{took:.2f} s"
            print(f"  {name}, {number.name}: {shown}", file=sys.stderr)
        return took

    def silent(self, content=b""):
        """A pipe that gives `content`, and then nothing for ever."""
        reader, writer = os.pipe()
        fcntl.fcntl(writer, 1031, max(len(content), 4096))  # F_SETPIPE_SZ
        os.write(writer, content)
        self.addCleanup(os.close, reader)
        self.addCleanup(os.close, writer)
        return reader

    READERS = {
        "cat": ["cat", "-"], "digest": ["cat", "-", "--format", "digest"], "info": ["info", "-"],
        "du": ["du", "-"], "list": ["list", "-", "topics"], "types": ["types", "-"],
        "get": ["get", "-", "metadata", "x"], "nth": ["nth", "-", "/count", "99"],
        "diff": ["diff", "run.mcap", "-"], "convert": ["convert", "-", "out.mcap"],
        "cut": ["cut", "-", "out.bag", "--start", "+1s"], "sort": ["sort", "-", "out.db3"],
        "merge": ["merge", "run.mcap", "-", "out/"],
        "append": ["convert", "-", "run.mcap", "--append"],
        "append to a rosbag": ["convert", "-", "run.bag", "--append"]}

    def test_a_pipe_that_gives_nothing(self):
        for index, (name, arguments) in enumerate(self.READERS.items()):
            with self.subTest(name):
                self.stop(index, f"{name} of an empty pipe", *arguments, stdin=b"")

    def test_a_pipe_that_stops_giving(self):
        half = Path(self.path("run.mcap")).read_bytes()
        half = half[:len(half) // 2]
        for index, (name, arguments) in enumerate(self.READERS.items()):
            with self.subTest(name):
                self.stop(index, f"{name} of half a pipe", *arguments, stdin=half)

    def test_an_echo_ends_well(self):
        Path(self.path("half.mcap")).write_bytes(Path(self.path("run.mcap")).read_bytes()[:-1000])
        self.stop(0, "echo", "echo", "half.mcap", code=0)

    def test_an_output_that_nobody_reads(self):
        self.kitbag("merge", *["run.mcap"] * 40, "big.mcap")
        for index, arguments in enumerate((["cat", "big.mcap"], ["convert", "big.mcap", "-"],
                                           ["cat", "big.mcap", "--format", "raw"])):
            reader, writer = os.pipe()
            self.stop(index, f"{arguments[0]} to a full pipe", *arguments, stdout=writer)
            os.close(reader)
            os.close(writer)

    def test_a_fifo_that_nobody_opens(self):
        os.mkfifo(self.path("fifo.mcap"))
        self.stop(0, "convert to a FIFO", "convert", "run.mcap", "fifo.mcap")

    def test_a_socket_that_never_answers(self):
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(self.path("mute"))
            server.listen()
            self.stop(1, "control", "control", "mute", "status")

    def test_a_child_that_never_ends(self):
        tools = self.folder / "tools"
        tools.mkdir()
        gpg = tools / "gpg"
        gpg.write_text(f'#!/bin/sh\necho $$ > "{self.folder}.pid"\nexec sleep 1000\n')
        gpg.chmod(0o755)
        pid = Path(f"{self.folder}.pid")
        self.addCleanup(pid.unlink)
        self.stop(0, "encrypt", "encrypt", "run.bag", "-o", "secret.bag", "--gpg-key", "*",
                  env={"PATH": f"{tools}:{os.environ['PATH']}"},
                  ready=lambda: pid.exists() and pid.read_text())
        child = Path("/proc") / pid.read_text().strip() / "cmdline"
        deadline = time.monotonic() + PATIENCE_S
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            while "sleep" in child.read_text():
                self.assertLess(time.monotonic(), deadline, "gpg still runs")
                time.sleep(0.01)

    def test_endless_bags(self):
        """A sound beginning, and a terabyte of nothing: who looks for more has much to read."""
        index = 0
        for extension in EXTENSIONS:
            name = f"endless{extension}"
            self.kitbag("convert", self.bag, name)
            with open(self.path(name), "r+b") as file:
                file.truncate(file.seek(0, os.SEEK_END) - 200)
                file.truncate(TERABYTE)
            for arguments in (["info", name], ["cat", name], ["check", name],
                              ["convert", name, "out" + extension],
                              ["repair", name, "out" + extension], ["repair", name, "--in-place"],
                              ["list", name, "topics"], ["types", name],
                              ["convert", self.bag, name, "--append"]):
                index += 1
                with self.subTest(arguments=arguments):
                    self.stop(index, " ".join(arguments), *arguments, may_end=True)

    def noise(self, name, megabytes=64):
        """A bag of one chunk that cannot be compressed, which takes long."""
        rng = random.Random(1)
        bag = BagFile(self.path(name))
        conn = bag.connection("/noise", "std_msgs/String")
        bag.add_chunk([(conn, START_NS + i, u32(999_996) + rng.randbytes(999_996))
                       for i in range(megabytes)])
        bag.close()

    def test_one_huge_chunk_is_compressed(self):
        self.noise("noise.bag")
        begun = lambda: any(".part" in file.name for file in self.folder.rglob("*"))  # noqa: E731
        options = ["--chunk-size", "1GiB", "--threads", "1"]
        for index, (target, compression) in enumerate((
                ("out.bag", "bz2"), ("parts/", "file"), ("out.mcap", "zstd"))):
            if compression == "file":
                options_of = ["--format", "sqlite3"]
            else:
                options_of = [*options, "--compression", compression]
            with self.subTest(target):
                self.stop(index, f"{compression} to {target}", "convert", "noise.bag", target,
                          *options_of, ready=begun, may_end=compression != "bz2", after_s=1)

    def test_one_huge_chunk_is_appended(self):
        self.noise("noise.bag")
        self.stop(0, "bz2 behind a bag", "convert", "noise.bag", self.bag, "--append",
                  "--chunk-size", "1GiB", "--threads", "1", "--compression", "bz2", after_s=1)

    def test_a_huge_metadata_file(self):
        folder = self.folder / "huge"
        folder.mkdir()
        with open(folder / "metadata.yaml", "w", encoding="utf-8") as file:
            file.write("rosbag2_bagfile_information:\n  version: 5\n  files:\n")
            file.writelines(f"    - {{path: {i}.mcap, starting_time: {i}}}\n"
                            for i in range(200_000))
        for index, verb in enumerate(("info", "check", "cat")):
            self.stop(index, f"{verb} of 200,000 files", verb, "huge/", may_end=True, after_s=0.3)

    def test_recorders_and_players_complete_what_they_do(self):
        # On a busy machine a program may take longer to begin than any fixed time. Each makes a
        # socket just before it begins.
        socket_file, control = Path(self.path("socket")), Path(self.path("control"))
        address = f"zmq+ipc://{socket_file}"
        controlled = ["--control", control]
        for index, (made, arguments) in enumerate((
                (control, ["record", "-a", "--from", f"{address}?bind=1", "-o", "a.mcap",
                           *controlled]),
                (control, ["record", "-a", "--from", "demo://", "-o", "b.mcap", *controlled]),
                (control, ["play", "run.mcap", "--to", address, *controlled]),
                (socket_file, ["pipe", f"{address}?bind=1", address]))):
            for number in self.signals(index):
                made.unlink(missing_ok=True)
                process = subprocess.Popen([program(), *arguments], cwd=self.folder,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                while process.poll() is None and not made.exists():
                    time.sleep(0.01)
                time.sleep(1)
                process.send_signal(number)
                begin = time.monotonic()
                _, told = process.communicate(timeout=PATIENCE_S)
                took = time.monotonic() - begin
                print(f"  {arguments[0]}, {number.name}: {took:.2f} s", file=sys.stderr)
                what = (f"{arguments}, {number.name}: exit {process.returncode} after {took:.2f} s,"
                        f" load {os.getloadavg()[0]:.1f}, standard error: {told!r}")
                # To play for nobody is an error, which waits for no signal to be one.
                codes = (0,) if arguments[0] == "record" else (0, 2)
                self.assertIn(process.returncode, codes, what)
                self.assertNotIn(b"interrupted", told, what)
                self.assertLess(took, LIMIT_S, what)
            self.assertEqual([name for name in self.files() if name.endswith(".active")], [])
            for name in ("a.mcap", "b.mcap"):
                Path(self.path(name)).unlink(missing_ok=True)


if __name__ == "__main__":
    main()
