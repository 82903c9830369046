#!/usr/bin/env python3
"""Standard streams that are closed, full, or that nobody reads any more."""

import fcntl
import json
import os
import signal
import subprocess
import time
from pathlib import Path

from cli import CliTest, main
from peers import preloaded, program

PATIENCE_S = 60
F_SETPIPE_SZ = 1031
DEMO = "demo://?seconds=2&seed=7"


class ClosedTest(CliTest):
    """The shell closes them: 0 is `<&-`, 1 is `>&-`, 2 is `2>&-`."""

    def closed(self, which, *arguments, **more):
        closing = " ".join(f"{number}>&-" for number in which)
        command = f'exec "$@" {closing}'
        return subprocess.run(["sh", "-c", command, "sh", program(), *map(str, arguments)],
                              cwd=self.folder, capture_output=True, text=True, check=False,
                              timeout=PATIENCE_S, **more)

    def test_no_message_ends_up_in_a_bag(self):
        cut = self.cut_off("cut.bag")
        want = self.digest_of_damaged(cut)
        for which in ((2,), (0, 2), (1, 2), (0, 1, 2)):
            for target in ("out.bag", "out.mcap", "out.db3", "out_dir/"):
                with self.subTest(closed=which, target=target):
                    done = self.closed(which, "convert", cut, target)
                    self.assertLess(done.returncode, 2)
                    self.assertEqual(self.digest(target), want)
                    self.run_program("check", target)
                    subprocess.run(["rm", "-r", self.path(target)], check=True)

    def digest_of_damaged(self, bag):
        return self.run_program("cat", "--format", "digest", bag).stdout

    def test_an_error_that_nobody_can_see_is_an_exit_code(self):
        for which in ((2,), (0, 2), (1, 2), (0, 1, 2)):
            for arguments in (["info", "nothing.bag"], ["convert", "nothing.bag", "out.bag"], [],
                              ["nonsense"], ["info", "--nonsense"]):
                self.assertEqual(self.closed(which, *arguments).returncode, 2, arguments)

    def test_data_for_a_closed_output_is_an_error(self):
        self.kitbag("convert", self.bag, "run.mcap")
        for arguments in (["cat", self.bag], ["info", self.bag], ["--help"], ["du", self.bag],
                          ["diff", self.bag, self.bag], ["check", self.bag],
                          ["convert", "run.mcap", "-"]):
            done = self.closed((1,), *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertRegex(done.stderr, r"(standard output|-): .*ad file descriptor", arguments)

    def test_a_closed_output_is_no_error_of_what_is_written(self):
        done = self.closed((1,), "convert", self.bag, "out.mcap")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.digest("out.mcap"), self.digest(self.bag))

    def test_a_closed_input_is_an_error(self):
        done = self.closed((0,), "cat", "-")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Akitbag: -: .*ad file descriptor\n\Z")


class AbandonedTest(CliTest):
    """Pipes whose reader has gone, or does not read."""

    def start(self, *arguments, **more):
        options = {"cwd": self.folder, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        process = subprocess.Popen([program(), *map(str, arguments)], **options)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        process.kill()
        process.communicate()

    @staticmethod
    def dead_pipe():
        """Its writing end; nobody has the other."""
        reader, writer = os.pipe()
        os.close(reader)
        return writer

    @staticmethod
    def full_pipe():
        """Both ends; there is no room in it."""
        reader, writer = os.pipe()
        fcntl.fcntl(writer, F_SETPIPE_SZ, 4096)
        os.write(writer, bytes(4096))
        return reader, writer

    def until(self, seen, process):
        deadline = time.monotonic() + PATIENCE_S
        while not seen():
            self.assertIsNone(process.poll(), "it ended too early")
            self.assertLess(time.monotonic(), deadline, "what was awaited never came")
            time.sleep(0.01)

    def has_recorded(self, name):
        """The bag is whole, and holds something."""
        self.assertEqual([file for file in self.files() if file.endswith(".active")], [])
        self.kitbag("check", name)
        self.assertGreater(self.info(name)["messages"], 0)

    def test_a_recorder_outlives_who_reads_its_status(self):
        recorder = self.start("record", "-a", "--from", DEMO, "--json", "-o", "a.mcap")
        json.loads(recorder.stdout.readline())
        recorder.stdout.close()
        self.assertEqual(recorder.stderr.read(), b"")
        self.assertEqual(recorder.wait(PATIENCE_S), 0)
        self.has_recorded("a.mcap")

    def test_a_recorder_outlives_both_outputs(self):
        dead = self.dead_pipe()
        for arguments in ([], ["--json"]):
            recorder = self.start("record", "-a", "--from", DEMO, "-o", "b.mcap", *arguments,
                                  stdout=dead, stderr=dead)
            self.assertEqual(recorder.wait(PATIENCE_S), 0)
            self.has_recorded("b.mcap")
            os.unlink(self.path("b.mcap"))
        os.close(dead)

    def test_a_recorder_does_not_wait_for_who_reads_its_status(self):
        reader, writer = self.full_pipe()
        recorder = self.start("record", "-a", "--from", "demo://", "--json", "-o", "c.mcap",
                              stdout=writer)
        active = Path(self.path("c.mcap.active"))
        self.until(lambda: active.exists() and active.stat().st_size > 100_000, recorder)
        recorder.send_signal(signal.SIGINT)
        self.assertEqual(recorder.wait(PATIENCE_S), 0)
        self.has_recorded("c.mcap")
        os.close(reader)
        os.close(writer)

    def test_what_was_asked_to_stop_and_did_is_not_interrupted(self):
        """However long it takes to say so."""
        shim = preloaded("held_writes", self.folder)
        lock = open(self.path("lock"), "w", encoding="utf-8")
        self.addCleanup(lock.close)
        env = {**os.environ, "LD_PRELOAD": str(shim), "KITBAG_HOLD_LOCK": lock.name,
               "KITBAG_HOLD_UNDER": self.path("said")}
        self.kitbag("convert", "demo://?seconds=1&seed=7", "d.mcap")
        address = f"zmq+ipc://{self.path('socket')}"
        self.start("record", "-a", "--from", f"{address}?bind=1", "-o", "heard.mcap",
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for arguments in (["record", "-a", "--from", "demo://", "-o", "c.mcap"],
                          ["play", "d.mcap", "--to", address, "--loop", "--wait-for-subscribers"]):
            fcntl.flock(lock, fcntl.LOCK_EX)
            with open(self.path("said"), "w", encoding="utf-8") as said:
                process = self.start(*arguments, "--control", "ctl", stdout=said, env=env)
            self.until(Path(self.path("ctl")).exists, process)
            self.until(lambda: json.loads(self.kitbag("control", "ctl", "status"))["messages"],
                       process)
            process.send_signal(signal.SIGINT)
            time.sleep(1)  # five times what it has until it is left
            self.assertIsNone(process.poll(), arguments)
            fcntl.flock(lock, fcntl.LOCK_UN)
            self.assertEqual(process.stderr.read(), b"", arguments)
            self.assertEqual(process.wait(PATIENCE_S), 0, arguments)
            self.assertIn(" messages", Path(self.path("said")).read_text(), arguments)

    def test_a_player_outlives_both_outputs(self):
        self.kitbag("convert", "demo://?seconds=1&seed=7", "d.mcap")
        dead = self.dead_pipe()
        address = f"zmq+ipc://{self.path('socket')}"
        recorder = self.start("record", "-a", "--from", f"{address}?bind=1&once=1", "-o", "e.mcap")
        self.until(lambda: "socket" in self.files(), recorder)
        player = self.start("play", "d.mcap", "--to", address, stdout=dead, stderr=dead)
        self.assertEqual(player.wait(PATIENCE_S), 0)
        self.assertEqual(recorder.wait(PATIENCE_S), 0)
        self.kitbag("diff", "--ignore-time", "d.mcap", "e.mcap", stdout=subprocess.DEVNULL)
        os.close(dead)

    def test_what_is_written_outlives_both_outputs(self):
        """A warning, and the line of totals: neither is a reason to abandon the target."""
        cut = self.cut_off("cut.bag")
        dead = self.dead_pipe()
        for arguments in (["convert", cut, "out.bag"], ["repair", cut, "saved.bag"],
                          ["convert", cut, "out.mcap", "--topics", "/count"]):
            done = subprocess.run([program(), *arguments], cwd=self.folder, stdout=dead,
                                  stderr=dead, check=False, timeout=PATIENCE_S)
            self.assertIn(done.returncode, (0, 1), arguments)
            self.assertGreater(self.info(arguments[2])["messages"], 0)
        os.close(dead)
        self.assertEqual(self.files(), ["cut.bag", "out.bag", "out.mcap", "run.bag", "saved.bag"])

    def test_a_reader_of_a_bag_that_has_gone_ends_it_quietly(self):
        self.kitbag("merge", *[self.bag] * 40, "big.mcap")
        process = self.start("convert", "big.mcap", "-")
        process.stdout.read(10)
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        self.assertEqual(process.wait(PATIENCE_S), -signal.SIGPIPE)

    def test_two_signals_at_once_are_one_request(self):
        """As timeout(1) sends them: to its child, and to the child's group."""
        for pair in ((signal.SIGTERM, signal.SIGINT), (signal.SIGINT, signal.SIGHUP)):
            recorder = self.start("record", "-a", "--from", "demo://", "-o", "f.mcap")
            active = Path(self.path("f.mcap.active"))
            self.until(lambda: active.exists() and active.stat().st_size > 100_000, recorder)
            for number in pair:
                recorder.send_signal(number)
            out, err = recorder.communicate(timeout=PATIENCE_S)
            self.assertEqual((recorder.returncode, err), (0, b""))
            self.assertRegex(out, rb"\Af\.mcap: [\d,]+ messages")
            self.has_recorded("f.mcap")
            os.unlink(self.path("f.mcap"))



if __name__ == "__main__":
    main()
