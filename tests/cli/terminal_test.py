#!/usr/bin/env python3
"""A person at a terminal: lines that fit, keys, Ctrl-Z and `fg`, Ctrl-C under bz2."""

import codecs
import contextlib
import fcntl
import os
import pty
import random
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import time
import unicodedata
from pathlib import Path

from cli import START_NS, BagFile, CliTest, main, u32
from make_bag import make_bag
from peers import need, program

PATIENCE_S = 120
WIDTHS = (60, 80, 120)
ERASE = "\r\x1b[K"
PROMPT = "READY> "
STYLE = re.compile(r"\x1b\[\d*m")


def width_of(text):
    """Columns, as a terminal counts them."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


class Terminal:
    """A terminal, and what runs in it as its first job."""

    def __init__(self, test, columns, *command, **environment):
        self.shown = ""
        self.seen = 0  # how much of it was looked at
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        test.addCleanup(self.close)
        self.process, self.ours = pty.fork()
        if self.process == 0:
            size = struct.pack("HHHH", 24, columns, 0, 0)
            fcntl.ioctl(0, termios.TIOCSWINSZ, size)
            os.chdir(test.folder)
            os.execvpe(command[0], command, {**os.environ, **environment})

    def resize(self, columns):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def type(self, text):
        os.write(self.ours, text.encode())

    def wait(self, what):
        """Until `what`, a regular expression, comes behind what was waited for before."""
        until = time.monotonic() + PATIENCE_S
        while not (found := re.search(what, self.shown[self.seen:])):
            ready, _, _ = select.select([self.ours], [], [], until - time.monotonic())
            if not ready:
                raise AssertionError(f"{what!r} is not in {self.shown[self.seen:][-2000:]!r}")
            self.shown += self.decoder.decode(os.read(self.ours, 65536))
        self.seen += found.end()
        return found

    def until_the_end(self):
        """The exit code of what ran."""
        with contextlib.suppress(OSError):  # how Linux says that the other side has gone
            while some := os.read(self.ours, 65536):
                self.shown += self.decoder.decode(some)
        _, status = os.waitpid(self.process, 0)
        self.process = 0
        return os.waitstatus_to_exitcode(status)

    def status_lines(self):
        """What was drawn between one erasure and the next."""
        return [line for line in self.shown.split(ERASE)[1:-1] if line]

    def close(self):
        if self.process:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        os.close(self.ours)


class Widths(CliTest):
    """Status lines are never wider than the terminal, and use what it has."""

    def noise(self, name, topic="/noise", chunks=160):
        """Random bytes: compressing them takes seconds."""
        rng = random.Random(1)
        bag = BagFile(self.path(name))
        conn = bag.connection(topic, "std_msgs/String")
        for chunk in range(chunks):
            bag.add_chunk([(conn, START_NS + chunk * 5 + i, u32(99_996) + rng.randbytes(99_996))
                           for i in range(5)])
        bag.close()

    def check_lines(self, terminal, columns):
        lines = terminal.status_lines()
        self.assertGreater(len(lines), 1, terminal.shown)
        for line in lines:
            self.assertLess(width_of(line), columns, line)
        return lines

    def test_progress_shows_the_time_that_is_left(self):
        self.noise("noise.bag")
        for columns in WIDTHS:
            terminal = Terminal(self, columns, program(), "convert", "-f", "noise.bag", "out.bag",
                                "--compression", "bz2", "--threads", "1")
            bar = {60: "{11,28}", 80: "{18,30}", 120: "{30}"}[columns]
            terminal.wait(rf"\r\x1b\[K\[[#.]{bar}\] +\d+ %  \d+ messages?"
                          + (r", [\d.]+ [KMG]?i?B/s" if columns > 60 else ".*")
                          + r", \d+s left")
            terminal.wait(r"\[#[#.]+\] +\d\d %")
            terminal.type("\x03")
            self.assertEqual(terminal.until_the_end(), 2)
            self.check_lines(terminal, columns)

    def test_a_recording_fits_and_follows_the_size(self):
        for columns in WIDTHS:
            terminal = Terminal(self, columns, program(), "record", "-a", "--from",
                                "demo://?seconds=1000", "-o", f"{columns}.mcap")
            terminal.wait("recording .*recording .*recording ")
            lines = self.check_lines(terminal, columns)
            self.assertEqual("buffered" in lines[-1], columns == 120, lines[-1])
            self.assertRegex(lines[-1], r"\Arecording \S+s  \d+ messages?.*  \d+/s")
            terminal.resize(30)
            terminal.wait(r"\r\x1b\[Krecording \S+s\r")
            terminal.shown = terminal.shown[-1:]
            terminal.seen = 0
            terminal.wait(r"(\r\x1b\[Krec.*){3}")
            self.check_lines(terminal, 30)
            terminal.resize(120)
            terminal.wait("buffered")
            terminal.type("q")
            self.assertEqual(terminal.until_the_end(), 0)

    def test_playing_fits(self):
        self.kitbag("convert", "demo://?seconds=60", "a.mcap")
        for columns in WIDTHS:
            terminal = Terminal(self, columns, program(), "play", "a.mcap", "--to",
                                f"zmq+ipc://{self.path('to')}?bind=1&pattern=pubsub")
            terminal.wait(r"\[[#.]{10,30}\] playing .* of .*\[[#.]{10,30}\] playing ")
            terminal.type("q")
            self.assertEqual(terminal.until_the_end(), 0)
            lines = self.check_lines(terminal, columns)
            if columns > 60:
                self.assertRegex(lines[-1], "[0-9] messages?")

    def test_repairing_fits(self):
        self.noise("noise.bag")
        os.truncate(self.path("noise.bag"), 79_000_000)
        for columns in WIDTHS:
            terminal = Terminal(self, columns, program(), "repair", "noise.bag", "-f", "-o",
                                "out.bag", "--compression", "bz2", "--threads", "1")
            terminal.wait(r"\d+ messages?.*\d+ messages?")
            terminal.type("\x03")
            self.assertEqual(terminal.until_the_end(), 2)
            self.check_lines(terminal, columns)

    def test_many_bags_fit(self):
        for i in range(40):
            self.noise(f"n{i}.bag", chunks=2)
        for columns in WIDTHS:
            out = f"out{columns}"
            bags = [f"n{i}.bag" for i in range(40)]
            terminal = Terminal(self, columns, program(), "convert", *bags, "--output-dir", out,
                                "-j", "2", "--compression", "bz2")
            terminal.wait(r"\[[#.]{30}\] \d+ of 40 bags, \d+s left")
            terminal.type("\x03")
            self.assertEqual(terminal.until_the_end(), 2)
            for line in terminal.status_lines():
                drawn = line.partition("\r\n")[0] if "bags" in line else ""
                self.assertLess(width_of(drawn), columns)

    def test_a_table_counts_columns_and_not_characters(self):
        bag = BagFile(self.path("wide.bag"))
        for topic in ("/odom", "/画像", "/카메라/앞"):
            conn = bag.connection(topic, "std_msgs/Empty")
            bag.add_chunk([(conn, START_NS, b"")])
        bag.close()
        for command in (["info", "wide.bag"], ["list", "wide.bag", "topics"]):
            rows = [line for line in self.kitbag(*command).splitlines() if "std_msgs/Empty" in line]
            places = {width_of(line.partition("std_msgs/Empty")[0]) for line in rows}
            self.assertEqual((len(rows), len(places)), (3, 1), rows)

    def test_help_fits(self):
        for columns in WIDTHS:
            for words in (["--help"], ["convert", "--help-all"], ["record", "--help"],
                          ["help", "sql"]):
                terminal = Terminal(self, columns, program(), *words)
                self.assertEqual(terminal.until_the_end(), 0)
                lines = terminal.shown.replace("\r\n", "\n").splitlines()
                for line in lines:
                    # A query stays in one piece.
                    is_query = re.fullmatch(r""" +('[^']*'|"[^"]*")( \\)?""", line)
                    self.assertLessEqual(0 if is_query else len(line), columns, line)
                if columns > 100:
                    self.assertEqual("\n".join(lines) + "\n", self.kitbag(*words))
                # The same words, whatever the width.
                text = " ".join(terminal.shown.replace("\\\r\n", "").split())
                self.assertEqual(text, " ".join(self.kitbag(*words).split()))


class Jobs(CliTest):
    """Ctrl-Z, `fg` and `bg`, in a shell."""

    SHELLS = {"dash": ["dash", "-i"], "bash": ["bash", "--norc", "--noprofile", "-i"]}

    def shell(self, name):
        need(shutil.which(name), name)
        terminal = Terminal(self, 120, *self.SHELLS[name], PS1=PROMPT, ENV="", TERM="dumb",
                            HISTFILE="/dev/null", KITBAG=program())
        terminal.wait(PROMPT)
        return terminal

    def start(self, terminal, name="a.mcap", *more):
        terminal.type(f"$KITBAG record -a --from 'demo://?seconds=1000' -o {name} "
                      + " ".join(more) + "\n")
        terminal.wait("recording ")

    def suspend(self, terminal):
        terminal.type("\x1a")
        terminal.wait("Stopped")
        terminal.wait(PROMPT)

    def test_keys_work_after_ctrl_z_and_fg(self):
        for name in self.SHELLS:
            terminal = self.shell(name)
            self.start(terminal, f"{name}.mcap")
            self.suspend(terminal)
            terminal.type("stty -a\n")
            modes = terminal.wait(rf"(?s)speed .*{PROMPT}").group()
            self.assertNotRegex(modes, r"-(icanon|echo)\b", name)  # the shell has them back
            terminal.type("fg\n")
            terminal.wait("recording ")
            terminal.type(" ")
            terminal.wait("paused ")
            self.suspend(terminal)  # once more
            terminal.type("fg\n")
            terminal.wait("paused ")
            terminal.type(" ")
            terminal.wait("recording ")
            terminal.type("q")
            terminal.wait(rf"{name}.mcap: [\d,]+ messages?")
            terminal.wait(PROMPT)
            terminal.type("echo $?\n")
            terminal.wait(r"\b0\r\n")

    def test_in_the_background_it_leaves_the_terminal_alone(self):
        for name in self.SHELLS:
            terminal = self.shell(name)
            self.start(terminal, f"{name}.mcap", "--duration", "3s")
            self.suspend(terminal)
            before = len(terminal.shown)
            terminal.type("bg; stty -a; echo TYP''ED\n")
            terminal.wait("TYPED")
            terminal.wait(rf"{name}.mcap: [\d,]+ messages?")  # it was not stopped by its own calls
            since = terminal.shown[before:]
            self.assertNotIn(ERASE, since)
            self.assertNotRegex(since, r"-(icanon|echo)\b")
            terminal.type("\n")

    def test_keys_work_where_a_job_comes_from_the_background(self):
        terminal = self.shell("bash")
        terminal.type("$KITBAG record -a --from 'demo://?seconds=1000' -o a.mcap &\n")
        terminal.wait(PROMPT)
        terminal.type("fg\n")
        terminal.wait("recording ")
        terminal.type("q")
        terminal.wait(r"a.mcap: [\d,]+ messages?")
        terminal.wait(PROMPT)

    def test_without_keys_ctrl_z_is_what_it_always_is(self):
        make_bag(self.path("x.bag"), start_ns=START_NS)
        terminal = self.shell("bash")
        terminal.type("$KITBAG cat x.bag --format raw | (sleep 1000)\n")
        time_limit = time.monotonic() + PATIENCE_S
        while not self.runs("sleep", terminal.process) and time.monotonic() < time_limit:
            pass
        self.suspend(terminal)
        terminal.type("jobs\n")
        terminal.wait("Stopped")
        terminal.type("kill %1; kill -CONT %1\n")
        terminal.wait(PROMPT)

    @staticmethod
    def runs(name, shell):
        """Whether something of this name is a descendant's command, in the session of `shell`."""
        for each in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                fields = each.read_text().rpartition(")")
                if f"({name}" in fields[0] and fields[2].split()[3] == str(shell):
                    return True
        return False


class Interrupts(CliTest):
    """Ctrl-C is answered at once, also by what is busy with a chunk that takes seconds."""

    BEGUN_S = 0.25  # of CPU time, as all here: a busy machine may take longer
    CHUNK_BYTES = 25_000_000

    def setUp(self):
        super().setUp()
        rng = random.Random(1)
        data = rng.randbytes(self.CHUNK_BYTES // 10)
        for name, compression in (("large.bag", "bz2"), ("plain.bag", "none")):
            bag = BagFile(self.path(name), compression)
            conn = bag.connection("/noise", "std_msgs/String")
            bag.add_chunk([(conn, START_NS + i, u32(len(data)) + data) for i in range(10)])
            bag.close()
        # After the interrupt, at most 0.6 s or a fifth of the whole work may follow.
        self.limit_s = max(0.6, self.whole_s("check", "large.bag") / 5)

    def whole_s(self, *arguments):
        """The CPU time of the program, uninterrupted."""
        process = subprocess.Popen([program(), *arguments], cwd=self.folder,
                                   stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_utime + usage.ru_stime

    def cpu_s(self, process):
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def check(self, *arguments, codes=(2,)):
        """Interrupts the program at its work. The end must cost it little, and leave no file."""
        before = self.files()
        process = subprocess.Popen([program(), *arguments], cwd=self.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        with process:
            try:
                while process.poll() is None and (begin := self.cpu_s(process)) < self.BEGUN_S:
                    time.sleep(0.005)
                self.assertIsNone(process.returncode,
                                  ("it ended before it was interrupted", arguments))
                process.send_signal(signal.SIGINT)
                deadline = time.monotonic() + PATIENCE_S
                while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
                    self.assertLess(time.monotonic(), deadline, ("it did not end", arguments))
                    time.sleep(0.005)
                process.returncode = os.waitstatus_to_exitcode(ended[1])
                taken = ended[2].ru_utime + ended[2].ru_stime - begin
            finally:
                process.kill()
            told = process.stderr.read().decode()
        self.assertIn(process.returncode, codes, (arguments, told))
        self.assertLess(taken, self.limit_s, arguments)
        self.assertEqual(self.files(), before, arguments)

    def test_while_a_large_chunk_is_read(self):
        Path(self.path("sockets")).mkdir()
        for arguments in (["cat", "large.bag", "--format", "raw"], ["check", "large.bag"],
                          ["echo", "large.bag"], ["nth", "large.bag", "/noise", "3"],
                          ["diff", "large.bag", "plain.bag"], ["du", "large.bag"],
                          ["sql", "SELECT count(data) FROM noise", "large.bag"],
                          ["convert", "large.bag", "out.mcap"], ["repair", "large.bag", "out.bag"],
                          ["decompress", "large.bag"], ["cat", "large.bag", "large.bag"],
                          ["play", "large.bag", "--to",
                           f"zmq+ipc://{self.path('sockets/to')}?bind=1&pattern=pubsub"]):
            with self.subTest(arguments[0]):
                self.check(*arguments, codes=(0, 2) if arguments[0] in ("play", "echo") else (2,))

    def test_while_a_large_chunk_is_written(self):
        bz2 = ["--compression", "bz2", "--chunk-size", "25MB"]
        Path(self.path("two.bag")).write_bytes(Path(self.path("plain.bag")).read_bytes())
        Path(self.path("out")).mkdir()
        for arguments in (["convert", "plain.bag", "out.bag", *bz2],
                          ["convert", "plain.bag", "out.bag", *bz2, "--threads", "1"],
                          ["compress", "plain.bag", *bz2], ["repair", "plain.bag", "out.bag", *bz2],
                          ["convert", "plain.bag", "two.bag", "--output-dir", "out", "-j", "2",
                           *bz2]):
            with self.subTest(arguments[0]):
                self.check(*arguments)


if __name__ == "__main__":
    main()
