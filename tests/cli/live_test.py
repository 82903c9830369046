#!/usr/bin/env python3
"""record, play, pipe and control, by the simulated robot and sockets of this machine."""

import fcntl
import json
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import termios
import time
from pathlib import Path

from cli import CliTest, main
from peers import need, program

PATIENCE_S = 60
DEMO = "demo://?seconds=0.5&seed=7"


class LiveTest(CliTest):
    def start(self, *arguments, **more):
        """A process that ends with its test."""
        options = {"cwd": self.folder, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                   "text": True, **more}
        process = subprocess.Popen([program(), *map(str, arguments)], **options)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def at_terminal(slave):
        """In the foreground of a terminal of its own."""
        return {"stdin": slave, "stderr": slave, "start_new_session": True,
                "preexec_fn": lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)}

    @staticmethod
    def end(process):
        process.kill()
        process.communicate()

    def until(self, seen, *processes):
        deadline = time.monotonic() + PATIENCE_S
        while not (found := seen()):
            for process in processes:
                self.assertIsNone(process.poll(), "it ended too early")
            self.assertLess(time.monotonic(), deadline, "what was awaited never came")
            time.sleep(0.01)
        return found

    def exists(self, name):
        return lambda: Path(self.path(name)).exists()

    def finish(self, process, code=0):
        out, err = process.communicate(timeout=PATIENCE_S)
        self.assertEqual(process.returncode, code, err)
        return out, err

    def address(self):
        return f"zmq+ipc://{self.path('socket')}"

    def count(self, bag):
        return self.info(bag)["messages"]


class RecordTest(LiveTest):
    def test_the_demo_ends_by_itself(self):
        told = self.kitbag("record", "-a", "--from", DEMO, "-o", "a.mcap")
        self.assertRegex(told, r"\Aa\.mcap: [\d,]+ messages, 12 topics, .* payload, [\d.]+m?s\n\Z")
        self.kitbag("diff", "a.mcap", DEMO)
        self.assertEqual(json.loads(self.kitbag("get", "a.mcap", "metadata",
                                                "kitbag_recording"))["dropped"], "0")

    def test_which_topics(self):
        def topics(*arguments):
            done = self.run_program("record", *arguments, "--from", DEMO, "-o", "t.mcap")
            self.assertEqual(done.returncode, 0, done.stderr)
            found = {t["topic"] for t in self.info("t.mcap")["channels"]}
            Path(self.path("t.mcap")).unlink()
            return found
        self.assertEqual(topics("/odom", "/camera/*"), {"/odom", "/camera/image"})
        self.assertEqual(topics("--regex", "/(imu|scan)"), {"/imu", "/scan"})
        self.assertEqual(topics("--types", "nav_msgs/*", "--exclude", "/map"), {"/odom", "/path"})
        everything = topics("-a")
        self.assertEqual(len(everything), 12)
        self.assertEqual(topics(), everything)
        self.assertEqual(topics("--exclude", "/map"), everything - {"/map"})
        self.fails("record", "-a", "/odom", "--from", DEMO,
                   saying="use either -a or a selection of topics")

    def test_that_all_topics_are_recorded_is_said_where_nobody_asked_for_it(self):
        for arguments, said in (
                ([], "kitbag: recording all topics; to record only some, name them\n"),
                (["--exclude", "/map"], "kitbag: recording all topics except the excluded ones\n"),
                (["-a"], ""), (["/odom"], "")):
            done = self.run_program("record", *arguments, "--from", DEMO, "-o", "t.mcap", "--force")
            self.assertEqual((done.returncode, done.stderr), (0, said))

    def test_several_systems_at_once(self):
        self.kitbag("convert", DEMO, "played.bag", "--topics", "/odom", "/imu", "--rename",
                    "/odom:=/other/odom", "/imu:=/other/imu")
        recorder = self.start("record", "--from", DEMO, "--from", f"{self.address()}?bind=1&once=1",
                              "/odom", "/map", "/other/odom", "-o", "a.mcap")
        self.until(self.exists("socket"), recorder)
        self.kitbag("play", "played.bag", "--to", self.address())
        self.finish(recorder)
        counts = {c["topic"]: c["messages"] for c in self.info("a.mcap")["channels"]}
        self.assertEqual(counts, {"/odom": 25, "/map": 1, "/other/odom": 25})
        # Without parameters, one of which may be a secret.
        self.assertEqual(json.loads(self.kitbag("get", "a.mcap", "metadata",
                                                "kitbag_recording"))["from"],
                         f"demo:// {self.address()}")
        # The same topics of two robots.
        self.kitbag("record", "/odom", "--from", DEMO, "--from", "demo://?seconds=0.5&seed=8", "-o",
                    "b.mcap")
        self.assertEqual(self.count("b.mcap"), 50)
        self.fails("record", "-a", "--from", DEMO, "--from", "nowhere://", saying="nowhere")

    def test_formats(self):
        self.kitbag("record", "/odom", "--from", DEMO, "-o", "a.bag", "--compression", "lz4")
        self.assertIn("lz4", self.info("a.bag")["compression"])
        self.kitbag("record", "/odom", "--from", DEMO, "-o", "b", "--format", "sqlite3")
        self.assertIn("b.db3", self.files())
        self.kitbag("record", "/odom", "--from", DEMO, "-o", "c", "--split-messages", "10")
        self.assertTrue(Path(self.path("c/metadata.yaml")).exists())
        self.kitbag("diff", "a.bag", "c")
        self.kitbag("record", "/odom", "--from", DEMO, "-o", "d.mcap", "--encoding", "cdr")
        self.assertEqual(self.info("d.mcap")["channels"][0]["encoding"], "cdr")

    def test_without_a_name_the_time_is_it(self):
        self.kitbag("record", "/odom", "--from", DEMO)
        self.kitbag("record", "/odom", "--from", DEMO)
        names = [name for name in self.files() if name.endswith(".mcap")]
        self.assertEqual(len(names), 2)
        for name in names:
            self.assertRegex(name, r"\A\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d(_1)?\.mcap\Z")

    def test_a_file_is_active_until_it_is_whole(self):
        recorder = self.start("record", "-a", "--from", "demo://?seconds=1000", "-o", "a.bag")
        self.until(self.exists("a.bag.active"), recorder)
        self.assertNotIn("a.bag", self.files())
        self.fails("record", "-a", "--from", DEMO, "-o", "a.bag", saying="incomplete recording")
        recorder.send_signal(signal.SIGINT)
        self.finish(recorder)
        self.assertEqual(self.files(), ["a.bag", "run.bag"])
        self.kitbag("check", "a.bag")
        self.fails("record", "-a", "--from", DEMO, "-o", "a.bag", saying="already exists")

    def test_signals_end_it_cleanly_and_soon(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            name = f"{number.name}.mcap"
            recorder = self.start("record", "-a", "--from", "demo://?seconds=1000", "-o", name)
            self.until(self.exists(name + ".active"), recorder)
            before = time.monotonic()
            recorder.send_signal(number)
            self.finish(recorder)
            self.assertLess(time.monotonic() - before, 10)
            self.kitbag("check", name)

    def test_kill_leaves_all_but_the_last_moment(self):
        recorder = self.start("record", "-a", "--from", "demo://?seconds=1000&imu=1000", "--json",
                              "-o", "k.mcap")
        def next_status():
            return json.loads(recorder.stdout.readline())
        before = self.until(lambda: (now := next_status())["messages"] > 100 and now, recorder)
        next_status()  # a second later, which is ten chunks
        recorder.send_signal(signal.SIGKILL)
        recorder.wait()
        self.run_program("repair", "k.mcap.active", "k.mcap")
        self.assertGreaterEqual(self.count("k.mcap"), before["messages"])

    def test_limits(self):
        told = self.kitbag("record", "-a", "--from", "demo://", "-o", "a.mcap", "--duration",
                           "500ms")
        self.assertGreaterEqual(float(re.search(r" ([\d.]+)s\n", told)[1]), 0.5)
        self.kitbag("record", "/odom", "/imu", "--from", "demo://", "-o", "b.mcap", "--limit", "7")
        self.assertEqual(self.count("b.mcap"), 14)
        told = self.run_program("record", "-a", "--from", "demo://", "-o", "c.mcap",
                                "--min-free-space", "1000TB")
        self.assertEqual(told.returncode, 2)
        self.assertIn("--min-free-space asks for 909.5 TiB", told.stderr)
        self.kitbag("check", "c.mcap")

    def small_disk(self):
        need(os.geteuid() == 0, "only root can mount a small disk", "mount")
        disk = Path(self.path("disk"))
        disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk], check=True)
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        return disk

    def test_a_full_disk_leaves_what_was_stored(self):
        disk = self.small_disk()
        self.fails("record", "-a", "--from", "demo://?image=200&seconds=1000", "-o",
                   disk / "a.mcap",
                   saying=r"no space left on device; what was recorded until then is in "
                          r"\S+/a\.mcap\.active: kitbag repair \S+/a\.mcap\.active "
                          r"\S+/a\.mcap saves it")
        self.run_program("repair", disk / "a.mcap.active", "saved.mcap")
        self.assertGreater(self.info("saved.mcap")["size_bytes"], 2_000_000)

    def test_the_disk_is_not_filled_where_room_is_to_be_left(self):
        disk = self.small_disk()
        told = self.run_program("record", "-a", "--from", "demo://?image=100&seconds=1000", "-o",
                                disk / "a.mcap", "--min-free-space", "1500kB")
        self.assertEqual(told.returncode, 2)
        self.assertRegex(told.stderr, r"a\.mcap: the recording ended, and its files are complete: "
                                      r".* free, and --min-free-space asks for 1\.4 MiB; no older "
                                      r"file")
        self.kitbag("check", disk / "a.mcap")
        self.assertGreater(shutil.disk_usage(disk).free, 0)

    def test_room_alone_deletes_the_oldest_files_of_this_name(self):
        disk = self.small_disk()
        (disk / "b_0.mcap").write_bytes(bytes(1000))
        self.kitbag("record", "-a", "--from", "demo://?image=10&seconds=5", "-o",
                    disk / "a.mcap", "--split-size", "300kB", "--min-free-space", "1500kB")
        names = sorted(file.name for file in disk.iterdir())
        self.assertIn("b_0.mcap", names)
        self.assertNotIn("a_0.mcap", names)
        self.assertGreater(len(names), 2)

    def test_only_the_newest_files_are_kept(self):
        self.kitbag("record", "/odom", "--from", DEMO, "-o", "a.mcap", "--split-messages", "5",
                    "--max-files", "3")
        names = [name for name in self.files() if name.startswith("a_")]
        self.assertEqual(names, ["a_2.mcap", "a_3.mcap", "a_4.mcap"])
        size = max((self.folder / name).stat().st_size for name in names)
        self.kitbag("record", "/odom", "--from", DEMO, "-o", "b.mcap", "--split-messages", "5",
                    "--max-total-size", f"{size * 5 // 2}B")
        self.assertEqual([n for n in self.files() if n.startswith("b_")], ["b_3.mcap", "b_4.mcap"])
        self.kitbag("record", "/odom", "--from", DEMO, "-o", "c.mcap", "--split-messages", "5",
                    "--max-age", "1h", "--no-repeat-latched", "--split-duration", "1h",
                    "--split-size", "1GB")
        self.assertEqual(len([n for n in self.files() if n.startswith("c_")]), 5)
        self.fails("record", "-a", "--from", DEMO, "-o", "d.mcap", "--max-files", "3",
                   saying="require several files")

    def test_only_the_newest_files_of_a_directory_are_kept(self):
        self.kitbag("record", "/odom", "/map", "--from", DEMO, "-o", "run", "--split-messages", "5",
                    "--max-files", "2")
        self.assertEqual(len(list((self.folder / "run").glob("*.mcap"))), 2)
        self.assertIn("sound", self.kitbag("check", "run"))
        info = self.info("run")
        counts = {c["topic"]: c["messages"] for c in info["channels"] if c["messages"]}
        self.assertEqual(counts["/map"], 1)
        self.assertEqual(len(self.kitbag("cat", "run").splitlines()), info["messages"])
        self.assertIn("kitbag_recording", self.kitbag("list", "run", "metadata"))

    def test_messages_on_the_way(self):
        self.kitbag("record", "/imu", "--from", DEMO, "-o", "a.mcap", "--throttle", "/i*=10")
        self.assertEqual(self.count("a.mcap"), 5)
        self.kitbag("record", "/odom", "--from", DEMO, "-o", "b.mcap", "--where",
                    "header.seq >= 20", "--buffer", "1MB", "--on-full", "block")
        self.assertEqual(self.count("b.mcap"), 5)
        self.fails("record", "/imu", "--from", DEMO, "--throttle", "/imu=0", saying="TOPIC=HZ")

    def test_a_snapshot_by_signal_and_socket(self):
        recorder = self.start("record", "-a", "--from", "demo://?seconds=1000", "-o", "s.mcap",
                              "--snapshot", "10s", "--control", "ctl", "--json")
        self.until(lambda: json.loads(recorder.stdout.readline())["messages"] > 100, recorder)
        recorder.send_signal(signal.SIGUSR1)
        self.until(self.exists("s_0.mcap"), recorder)
        self.assertEqual(self.kitbag("control", "ctl", "snapshot"), "ok\n")
        self.until(self.exists("s_1.mcap"), recorder)
        self.assertEqual(self.kitbag("control", "ctl", "stop"), "ok\n")
        self.finish(recorder)
        self.assertGreater(self.count("s_0.mcap"), 100)
        self.kitbag("check", "s_0.mcap", "s_1.mcap")

    def test_free_space_that_nobody_knows_is_null(self):
        folder = self.folder / "in"
        folder.mkdir()
        recorder = self.start("record", "-a", "--from", "demo://?seconds=1000", "-o", "in/s.mcap",
                              "--snapshot", "10s", "--control", "ctl")
        self.until(self.exists("ctl"), recorder)
        def free():
            return json.loads(self.kitbag("control", "ctl", "status"))["free_bytes"]
        self.until(lambda: 0 < (free() or 0) < 1 << 60, recorder)
        folder.rmdir()
        self.until(lambda: free() is None, recorder)
        self.kitbag("control", "ctl", "stop")
        self.finish(recorder)

    def test_control(self):
        recorder = self.start("record", "-a", "--from", "demo://?seconds=1000", "-o", "a.mcap",
                              "--control", "ctl", "--start-paused")
        self.until(self.exists("ctl"), recorder)
        def status():
            return json.loads(self.kitbag("control", "ctl", "status"))
        self.assertEqual(os.stat(self.path("ctl")).st_mode & 0o777, 0o600)
        self.until(lambda: status()["paused"], recorder)
        self.kitbag("control", "ctl", "resume")
        self.until(lambda: status()["messages"] > 10, recorder)
        self.kitbag("control", "ctl", "pause")
        self.until(lambda: status()["paused"], recorder)
        self.assertEqual(self.kitbag("control", "ctl", "is-paused"), "true\n")
        self.assertEqual(self.kitbag("control", "ctl", "toggle-paused"), "ok\n")
        self.assertEqual(self.kitbag("control", "ctl", "is-paused"), "false\n")
        for words in (["jump"], ["stop", "now"]):
            self.fails("control", "ctl", *words,
                       saying="available commands: pause, resume, toggle-paused, is-paused, "
                              "snapshot, split, stop-recording, record")
        self.fails("control", "ctl", "split", saying="writes a single file")
        self.kitbag("control", "ctl", "stop")
        self.finish(recorder)
        self.assertFalse(Path(self.path("ctl")).exists())
        self.fails("control", "ctl", "status",
                   saying="no recorder or player is listening on this socket")
        Path(self.path("file")).write_text("mine")
        self.fails("record", "-a", "--from", DEMO, "--control", "file", saying="is not a socket")

    def test_a_recording_is_stopped_and_another_one_begun(self):
        recorder = self.start("record", "-a", "--from", "demo://?seconds=1000", "-o", "a.mcap",
                              "--control", "ctl")
        self.until(self.exists("ctl"), recorder)

        def control(*words):
            return self.kitbag("control", "ctl", *words)

        def status():
            return json.loads(control("status"))
        self.until(lambda: status()["messages"] > 10, recorder)
        self.fails("control", "ctl", "record", "b.mcap", saying="stop it first")
        self.assertEqual(control("stop-recording"), "ok\n")
        self.kitbag("check", "a.mcap")  # it is complete
        self.assertEqual(control("is-recording"), "false\n")
        self.assertFalse(status()["recording"])
        self.fails("control", "ctl", "stop-recording", saying="nothing is being recorded")
        self.fails("control", "ctl", "split", saying="has been stopped")
        self.fails("control", "ctl", "record", "a.mcap", saying="exists")
        self.fails("control", "ctl", "record", saying="exists")
        self.assertEqual(control("is-recording"), "false\n")
        before = status()["messages"]
        self.assertEqual(control("record", "b.mcap"), "ok\n")
        self.assertEqual(control("is-recording"), "true\n")
        self.until(lambda: status()["messages"] > before + 10, recorder)
        self.assertEqual([os.path.basename(f) for f in status()["files"]], ["a.mcap", "b.mcap"])
        control("stop")
        out, _ = self.finish(recorder)
        self.assertIn("a.mcap to b.mcap: ", out)
        self.kitbag("check", "b.mcap")
        self.assertEqual(self.count("a.mcap"), before)
        channels = {c["topic"]: c for c in self.info("b.mcap")["channels"] if c["messages"]}
        self.assertEqual(channels["/map"]["metadata"]["kitbag_repeated"], "1")

    def test_a_file_is_split_by_the_socket_and_repaired_after_a_crash(self):
        options = ("-a", "--from", "demo://?seconds=1000", "--max-total-size", "1GB",
                   "--control", "ctl")
        recorder = self.start("record", *options)

        def status():
            return json.loads(self.kitbag("control", "ctl", "status"))
        self.until(self.exists("ctl"), recorder)
        self.until(lambda: status()["messages"] > 10, recorder)
        self.kitbag("control", "ctl", "split")
        self.until(lambda: len(status()["files"]) == 2, recorder)
        first, second = status()["files"]
        self.kitbag("check", first)
        self.until(lambda: Path(self.path(f"{second}.active")).stat().st_size > 0, recorder)
        recorder.kill()
        recorder.wait()
        recorder = self.start("record", *options)
        self.until(self.exists(second), recorder)
        self.kitbag("check", first, second)
        self.kitbag("control", "ctl", "stop")
        self.finish(recorder)

    def test_a_client_that_never_reads_holds_up_neither_others_nor_the_end(self):
        for stop in ("control", "signal"):
            recorder = self.start("record", "-a", "--from", "demo://?seconds=1000", "-o",
                                  f"{stop}.mcap", "--control", "ctl")
            self.until(self.exists("ctl"), recorder)
            silent = socket.socket(socket.AF_UNIX)
            self.addCleanup(silent.close)
            silent.connect(self.path("ctl"))
            silent.settimeout(1)
            try:
                for _ in range(100_000):
                    silent.send(b"status\n" * 100)
            except TimeoutError:
                pass  # neither side takes any more
            if stop == "control":
                self.assertEqual(self.kitbag("control", "ctl", "stop"), "ok\n")
            else:
                recorder.send_signal(signal.SIGINT)
            self.finish(recorder)
            self.kitbag("check", f"{stop}.mcap")

    def test_a_terminal_shows_how_it_goes_and_takes_keys(self):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        recorder = self.start("record", "-a", "--from", "demo://?seconds=1000", "-o", "a.mcap",
                              **self.at_terminal(slave))
        os.close(slave)
        seen = b""
        def shows(what):
            def look():
                nonlocal seen
                seen += os.read(master, 4096)
                return what in seen
            return look
        self.until(shows(b"recording "), recorder)
        os.write(master, b" ")
        self.until(shows(b"paused "), recorder)
        os.write(master, b"q")
        out, _ = recorder.communicate(timeout=PATIENCE_S)
        self.assertEqual(recorder.returncode, 0)
        self.assertIn("a.mcap: ", out)

    def test_a_system_that_is_none(self):
        self.fails("record", "-a", "--from", "nowhere://",
                   saying='unknown transport scheme "nowhere"')
        self.fails("record", "-a", "--from", "demo://?wheels=3", saying="wheels")
        without = {k: v for k, v in os.environ.items() if k != "ROS_MASTER_URI"}
        self.fails("record", "-a", saying="ros2://", env={**without, "ROS_DOMAIN_ID": "x"})
        self.fails("play", self.bag, saying="ros1://", env={**without, "ROS_MASTER_URI": "x"})


class PlayTest(LiveTest):
    def setUp(self):
        super().setUp()
        self.kitbag("record", "-a", "--from", DEMO, "-o", "a.mcap")

    def play(self, *arguments, to="?times=sent"):
        """What a recorder gets of a playing to it."""
        recorder = self.start("record", "-a", "--from", f"{self.address()}{to}&bind=1&once=1", "-o",
                              "got.mcap")
        self.until(self.exists("socket"), recorder)
        told = self.kitbag("play", *arguments, "--to", self.address())
        self.finish(recorder)
        Path(self.path("got.mcap")).replace(self.path("taken.mcap"))
        Path(self.path("socket")).unlink(missing_ok=True)
        return told

    def test_what_is_played_is_what_is_recorded(self):
        told = self.play("a.mcap")
        self.assertRegex(told, r"\A[\d,]+ messages, 12 topics, .* payload, 0\.\d+s"
                               r"(; \d+ late by more than 1 ms, at most by .*)?\n\Z")
        self.kitbag("diff", "a.mcap", "taken.mcap")

    def test_it_takes_as_long_as_it_did(self):
        self.play("a.mcap", to="?times=received")
        self.kitbag("diff", "a.mcap", "taken.mcap", "--ignore-time")
        took = self.info("taken.mcap")["duration_ns"]
        self.assertGreater(took, 0.45e9)

    def test_ten_plays_give_the_same(self):
        digests = set()
        for _ in range(10):
            self.play("a.mcap", "--rate", "20")
            digests.add(self.digest("taken.mcap", "--order", "file"))
        self.assertEqual(len(digests), 1)

    def test_which_messages(self):
        self.play("a.mcap", "--topics", "/odom", "/map", "--start", "+200ms", "--duration", "100ms",
                  "--rename", "/odom:=/old/odom", "--rate", "100")
        topics = {t["topic"]: t["messages"] for t in self.info("taken.mcap")["channels"]}
        self.assertEqual(topics, {"/old/odom": 5, "/map": 1})  # the map is from before
        self.play("a.mcap", "--topics", "/odom", "--where", "header.seq < 3", "--remap",
                  "/odom:=/o", "--encoding", "json", "--rate", "100", "--end", "-100ms", "--by",
                  "publish_time", "--read-ahead", "1MB")
        self.assertEqual(self.info("taken.mcap")["channels"][0]["encoding"], "json")
        self.assertEqual(self.count("taken.mcap"), 3)
        self.fails("play", "a.mcap", "--to", self.address(), "--topics", "/nowhere",
                   saying="no topic matches")
        self.fails("play", "a.mcap", "--to", self.address(), "--rate", "0", saying="invalid rate")

    def test_several_bags_play_as_one(self):
        self.kitbag("record", "/odom", "--from", DEMO, "-o", "o.mcap", "--split-messages", "10")
        self.play("o_1.mcap", "o_0.mcap", "o_2.mcap", "--rate", "100")
        self.kitbag("diff", "taken.mcap", "a.mcap", "--topics", "/odom")

    def test_it_stays_at_the_end(self):
        player = self.start("play", "a.mcap", "--immediate", "--keep-alive", "--control", "ctl",
                            "--to", f"{self.address()}?bind=1&pattern=pubsub")
        self.until(self.exists("ctl"), player)

        def status():
            return json.loads(self.kitbag("control", "ctl", "status"))
        whole = self.info("a.mcap")["messages"]
        self.until(lambda: status()["paused"] and status()["messages"] == whole, player)
        self.kitbag("control", "ctl", "resume")
        self.until(lambda: status()["paused"], player)
        self.kitbag("control", "ctl", "stop")
        out, _ = self.finish(player)
        self.assertIn(f"{whole:,} messages", out)

    def test_control(self):
        player = self.start("play", "a.mcap", "--to", f"{self.address()}?bind=1", "--control",
                            "ctl", "--start-paused", "--loop", "--skip-empty", "10s", "--delay",
                            "10ms", "--wait-for-subscribers")
        recorder = self.start("record", "-a", "--from", self.address(), "-o", "got.mcap",
                              "--control", "rec")
        self.until(self.exists("ctl"), player)
        def control(*words):
            return self.kitbag("control", "ctl", *words)
        def status():
            return json.loads(control("status"))
        self.until(lambda: status()["paused"], player)
        self.assertEqual(control("next"), "ok\n")
        self.until(lambda: status()["messages"] == 1, player)
        self.assertEqual(control("play-next"), "ok\n")
        control("burst", "9")
        self.until(lambda: status()["messages"] == 11, player)
        self.assertEqual(control("is-paused"), "true\n")
        control("rate", "50")
        self.assertEqual(status()["rate"], 50)
        self.assertEqual(control("get-rate"), "50\n")
        start = self.info("a.mcap")["start_ns"]
        control("play", "+100ms", "+200ms")
        self.until(lambda: status()["paused"], player)
        self.assertEqual(status()["position_ns"] - start, 200_000_000)
        control("play-for", "50ms")
        self.until(lambda: status()["paused"], player)
        self.assertEqual(status()["position_ns"] - start, 250_000_000)
        control("seek", "+400ms")
        self.until(lambda: status()["position_ns"] % 10**9 == 400_000_000, player)
        control("resume")
        self.until(lambda: status()["rounds"] > 3, player)
        control("toggle-paused")
        self.assertEqual(control("is-paused"), "true\n")
        for words, saying in ((["rate", "0"], "invalid rate"), (["seek", "x"], "x"),
                              (["burst", "0"], "invalid number"),
                              (["play", "+2s", "+1s"], "ends before it begins"),
                              (["play-for", "x"], "x"),
                              (["fly"], "available commands: pause")):
            self.fails("control", "ctl", *words, saying=saying)
        control("stop")
        self.finish(player)
        self.kitbag("control", "rec", "stop")
        self.finish(recorder)
        self.assertGreater(self.count("got.mcap"), 11)

    def begin_of(self, *arguments):
        """Where playing begins, for commands too."""
        player = self.start("play", *arguments, "--start-paused", "--control", "ctl", "--to",
                            f"{self.address()}?bind=1&pattern=pubsub", "--immediate")
        self.until(self.exists("ctl"), player)
        self.kitbag("control", "ctl", "seek", "+0s")
        begin = json.loads(self.kitbag("control", "ctl", "status"))["position_ns"]
        self.kitbag("control", "ctl", "stop")
        self.finish(player)
        return begin

    def test_an_empty_bag_among_others_has_no_begin(self):
        self.kitbag("convert", "a.mcap", "empty.mcap", "--count", "0")
        self.assertEqual(self.begin_of("empty.mcap", "a.mcap"), self.info("a.mcap")["start_ns"])

    def test_playing_by_publish_times_begins_at_the_first_of_them(self):
        Path(self.path("x.csv")).write_text("log_time_ns,publish_time_ns,topic,data\n"
                                            "900000000000,3000000000,/a,3\n"
                                            "901000000000,1000000000,/a,1\n")
        self.kitbag("import", "x.csv", "-o", "x.mcap", "--type", "std_msgs/Int8")
        self.assertEqual(self.begin_of("x.mcap", "--by", "publish_time"), 1_000_000_000)

    def test_a_clock_gives_recorders_its_time(self):
        recorder = self.start("record", "/odom", "--from", f"{self.address()}?bind=1&once=1", "-o",
                              "got.mcap", "--use-sim-time")
        self.until(self.exists("socket"), recorder)
        self.kitbag("play", "a.mcap", "--to", self.address(), "--clock", "100", "--rate", "2")
        self.finish(recorder)
        got, played = self.info("got.mcap"), self.info("a.mcap")
        self.assertLessEqual(abs(got["end_ns"] - played["end_ns"]), 0.1e9)
        self.assertGreaterEqual(got["start_ns"], played["start_ns"])
        self.assertGreater(min(c["messages"] for c in got["channels"]), 10)
        self.fails("play", "a.mcap", "--to", self.address(), "--clock", "0", saying="invalid rate")

    def test_a_clock_ticks_as_it_does_with_ros_if_not_told_otherwise(self):
        recorder = self.start("record", "-a", "--from", f"{self.address()}?bind=1&once=1", "-o",
                              "got.mcap")
        self.until(self.exists("socket"), recorder)
        self.kitbag("play", "a.mcap", "--to", self.address(), "--clock")
        self.finish(recorder)
        ticks = {c["topic"]: c["messages"] for c in self.info("got.mcap")["channels"]}["/clock"]
        self.assertLessEqual(abs(ticks - 40 * 0.5), 4)

    def test_what_only_other_systems_have_is_refused(self):
        self.fails("play", "a.mcap", "--to", self.address(), "--node-name", "x", saying="node")
        self.fails("record", "-a", "--from", DEMO, "--qos-overrides", "x.yaml", saying="qos")
        self.fails("record", "-a", "--from", DEMO, "--include-hidden-topics", saying="hidden")
        self.fails("record", "--from", DEMO, "--static-topics", "x.yaml", saying="x.yaml")
        Path(self.path("x.yaml")).write_text("topics: []\n")
        self.fails("record", "--from", DEMO, "--static-topics", "x.yaml",
                   saying='the list "static_topics_and_types_list" is missing')
        Path(self.path("x.yaml")).write_text("static_topics_and_types_list:\n- [/imu, x/Imu]\n")
        self.kitbag("record", "--from", DEMO, "--static-topics", "x.yaml", "-o", "imu.mcap")
        self.assertEqual({c["topic"] for c in self.info("imu.mcap")["channels"]}, {"/imu"})

    def test_it_pauses_behind_a_topic(self):
        player = self.start("play", "a.mcap", "--to", f"{self.address()}?bind=1&pattern=pubsub",
                            "--control", "ctl", "--until-topic", "/scan")
        self.until(self.exists("ctl"), player)
        self.until(lambda: json.loads(self.kitbag("control", "ctl", "status"))["paused"], player)
        player.send_signal(signal.SIGINT)
        self.finish(player)

    def test_a_terminal_shows_how_it_goes_and_takes_keys(self):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        player = self.start("play", "a.mcap", "--to", f"{self.address()}?bind=1&pattern=pubsub",
                            "--step", **self.at_terminal(slave))
        os.close(slave)
        seen = b""
        def shows(what):
            def look():
                nonlocal seen
                seen += os.read(master, 4096)
                return re.search(what, seen)
            return look
        self.until(shows(rb"paused 0s of 0\.\d+s  x1  0 messages"), player)
        os.write(master, b"s")
        self.until(shows(rb"x1  1 message"), player)
        os.write(master, b"\x1b[A")
        self.until(shows(rb"x1\.1  "), player)
        os.write(master, b"\x1b[B")
        os.write(master, b"\x1b[C")
        self.until(shows(rb"\[#{10,30}\] "), player)
        os.write(master, b"\x1b[D")
        os.write(master, b"q")
        out, _ = player.communicate(timeout=PATIENCE_S)
        self.assertEqual(player.returncode, 0)


class PipeTest(LiveTest):
    def test_a_bridge_loses_nothing(self):
        one, two = (f"zmq+ipc://{self.path(name)}" for name in ("one", "two"))
        recorder = self.start("record", "-a", "--from", f"{two}?bind=1&once=1&times=sent", "-o",
                              "got.mcap")
        self.until(self.exists("two"), recorder)
        bridge = self.start("pipe", f"{one}?bind=1&once=1&times=sent", two, "--exclude", "/imu",
                            "--throttle", "/nothing=1",
                            "--buffer", "1MB", "--on-full", "block")
        self.until(self.exists("one"), bridge)
        self.kitbag("pipe", DEMO, one)
        out, err = self.finish(bridge)
        self.assertRegex(out, r"\A[\d,]+ messages, 11 topics, ")
        self.finish(recorder)
        self.kitbag("diff", "got.mcap", DEMO, "--exclude", "/imu")

    def test_on_the_way(self):
        address = self.address()
        recorder = self.start("record", "-a", "--from", f"{address}?bind=1&once=1", "-o",
                              "got.mcap")
        self.until(self.exists("socket"), recorder)
        self.kitbag("pipe", DEMO, address, "--topics", "/odom", "--encoding", "json", "--throttle",
                    "/odom=10", "--where", "header.seq > 0")
        self.finish(recorder)
        self.assertEqual(self.count("got.mcap"), 4)
        self.assertEqual(self.info("got.mcap")["channels"][0]["encoding"], "json")
        self.fails("pipe", DEMO, "demo://", saying="messages can only be recorded")



class WithoutPluginsTest(CliTest):
    """A kitbag that was built where the packages for its plugins were not there."""

    PACKAGES = {"ros1": "libroscpp-dev", "ros2": "cyclonedds-dev"}

    def test_the_error_names_the_plugin_its_places_and_the_package(self):
        folder = self.folder / "bin"
        folder.mkdir()
        for file in (Path(program()), *Path(program()).parent.glob("libkitbag.so*")):
            shutil.copy(file, folder / file.name, follow_symlinks=True)
        for scheme, package in self.PACKAGES.items():
            for arguments in (("record", "-a", "--from", f"{scheme}://"),
                              ("play", self.bag, "--to", f"{scheme}://"),
                              ("pipe", DEMO, f"{scheme}://")):
                done = subprocess.run([folder / "kitbag", *arguments], cwd=self.folder, text=True,
                                      capture_output=True, timeout=PATIENCE_S)
                self.assertEqual(done.returncode, 2, arguments)
                for word in (f"transport_{scheme}.so", str(folder / "plugins"), package,
                             f"install the package kitbag-{scheme}, or", "rebuild kitbag"):
                    self.assertIn(word, done.stderr)


if __name__ == "__main__":
    main()
