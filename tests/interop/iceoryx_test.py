#!/usr/bin/env python3
"""iceoryx:// with RouDi: programs that know nothing of kitbag, queues and memory that are full, and
a RouDi that is not there, or ends while messages are on their way."""

import os
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from broker_case import PATIENCE_S, BrokerCase  # noqa: E402
from brokers import until  # noqa: E402
from peers import kitbag, main, need, program, run  # noqa: E402
from roudi import Roudi  # noqa: E402

PEER = Path(os.environ.get("KITBAG_BUILD", Path(program()).parent)) / "tests" / "iceoryx_peer"
LARGEST = 1200000  # roudi.py


def payload(number, size):
    """As iceoryx_peer fills it."""
    return (number.to_bytes(8, "little") + bytes((number + i * 7) % 256 for i in range(8, size))
            )[:size]


def fnv(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 % (1 << 64)
    return value


class IceoryxTest(BrokerCase):
    kind = Roudi

    def setUp(self):
        need(PEER.exists(), "iceoryx_peer is not built")
        super().setUp()

    def roudi(self, *options, **more):
        roudi = Roudi(self.folder, *options, **more)
        self.addCleanup(roudi.end)
        return roudi

    def peer(self, *words):
        process = subprocess.Popen([PEER, *map(str, words)], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def end():
            process.kill()
            process.communicate()
        self.addCleanup(end)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def lines(self, peer):
        output, errors = peer.communicate(timeout=PATIENCE_S)
        self.assertEqual(peer.returncode, 0, output + errors)
        return output.splitlines()

    def make_bag_of(self, size, messages):
        """With the topic and the name of its size."""
        bag = f"{size}.mcap"
        recorder = self.record(bag, "iceoryx://?full=wait")
        self.lines(self.peer("send", "text", "of", size, messages, size, "wait"))
        self.await_messages(recorder, messages)
        self.stop(recorder)

    def play(self, bag, *options, uri="iceoryx://"):
        return self.start("play", self.folder / bag, "--rate", "1000", "--wait-for-subscribers",
                          "--to", uri, *options)


class Exchange(IceoryxTest):
    def test_what_is_played_is_recorded_as_it_was(self):
        self.roudi()
        kitbag("convert", "demo://?seconds=1&seed=7", self.folder / "sent.mcap")
        for place in ("", "robot1", "robot1/front"):
            uri = f"iceoryx://{place}"
            got = f"got{len(place)}.mcap"
            recorder = self.record(got, f"{uri}?once=1&full=wait&times=sent")
            self.finish(self.play("sent.mcap", uri=uri))
            self.assertNotIn("warning", self.finish(recorder))
            self.equal("sent.mcap", got)
            self.assertEqual(self.recording(got)[1], 0)

    def test_programs_that_know_nothing_of_kitbag_are_recorded_and_played_to(self):
        self.roudi()
        recorder = self.record("got.mcap", "iceoryx://?full=wait")
        small = self.peer("send", "Radar", "Left", "Object", 20000, 100, "wait")
        large = self.peer("send", "Camera", "Front", "Image", 30, 1000000, "wait")
        points = self.peer("send_points", "Map", "Here", "Point", 100)
        for peer in (small, large, points):
            self.lines(peer)
        self.await_messages(recorder, 20130)
        self.stop(recorder)
        self.assertEqual(self.recording("got.mcap"), (20130, 0))
        self.assertEqual(self.counts("got.mcap"), {
            "/Camera/Front/Image": 30, "/Map/Here/Point": 100, "/Radar/Left/Object": 20000})
        # What is played reaches the same names, with the same payloads.
        heard = [self.peer("hear", "Radar", "Left", "Object", 20000, "wait"),
                 self.peer("hear", "Camera", "Front", "Image", 30, "wait"),
                 self.peer("hear_points", "Map", "Here", "Point", 100)]
        player = self.play("got.mcap")
        small, large, points = map(self.lines, heard)
        self.finish(player)
        self.assertEqual(small, [f"100 {fnv(payload(i, 100)):x}" for i in range(20000)])
        self.assertEqual(len(set(large)), 30)
        self.assertEqual(large[7], f"1000000 {fnv(payload(7, 1000000)):x}")
        self.assertEqual(points[5], "5 2.5")

    def test_the_user_names_what_strangers_send(self):
        self.roudi()
        definition = self.folder / "Point.msg"
        definition.write_text("uint64 number\nfloat64 x\nfloat64 y\n")
        recorder = self.record("got.mcap", "iceoryx://Map/Here?encoding=ros1&type=demo/Point&"
                               f"definition={definition}&language=ros1msg")
        self.lines(self.peer("send_points", "Map", "Here", "Point", 10))
        self.await_messages(recorder, 10)
        self.stop(recorder)
        rows = self.rows("got.mcap", "/Point")
        self.assertEqual(rows[9]["data"], {"number": 9, "x": 4.5, "y": -1})

    def test_topics_echo_and_publish(self):
        self.roudi()
        self.assertIn("no topics", subprocess.run([program(), "topics", "iceoryx://"], check=True,
                                                  capture_output=True, text=True).stderr)
        self.peer("send", "Radar", "Left", "Object", 2, 8, "later")
        publisher = self.start("publish", "iceoryx://", "/chatter", "std_msgs/String", "hello",
                               "--latch", "-k")

        def topics():
            return kitbag("topics", "iceoryx://")
        until(lambda: "/chatter" in topics() and "/Radar/Left/Object" in topics(), "the topics")
        self.assertIn("std_msgs/msg/String", topics())
        self.assertNotIn("/kitbag", topics())
        # It comes late and gets what is latched.
        self.assertIn("hello", run(program(), "echo", "iceoryx://", "/chatter", "-n", "1"))
        publisher.send_signal(signal.SIGINT)
        publisher.communicate(timeout=PATIENCE_S)


class Losses(IceoryxTest):
    def test_what_a_slow_recorder_misses_is_counted(self):
        self.roudi("--monitoring-mode", "off")  # else it removes who is stopped
        recorder = self.record("got.mcap", "iceoryx://")
        sender = self.peer("send", "Radar", "Left", "Object", 2000, 100, "later")
        self.await_messages(recorder, 1)
        os.kill(recorder.pid, signal.SIGSTOP)
        sender.stdin.write("go on\n")
        self.lines(sender)
        os.kill(recorder.pid, signal.SIGCONT)
        self.await_all(recorder, 2000)
        self.stop(recorder)
        messages, lost = self.recording("got.mcap")
        self.assertEqual(messages + lost, 2000)
        self.assertGreater(lost, 1000)  # a queue has 256
        self.assertGreater(messages, 200)

    def test_a_message_without_a_chunk_is_left_out_and_told(self):
        roudi = self.roudi(pools=((1000, 100), (LARGEST + 1000, 20)))
        self.make_bag_of(10, 1)
        self.make_bag_of(LARGEST + 1, 2)
        roudi.end()
        kitbag("merge", self.folder / "10.mcap", self.folder / f"{LARGEST + 1}.mcap", "-o",
               self.folder / "sent.mcap")
        self.roudi()
        recorder = self.record("got.mcap", "iceoryx://?full=wait&once=1")
        player = self.play("sent.mcap")
        errors = self.finish(player)
        self.finish(recorder)
        self.assertIn("larger than RouDi's largest chunk", errors)
        self.assertIn("[[segment.mempool]]", errors)
        self.assertIn("2 messages were left out", errors)
        self.assertEqual(self.counts("got.mcap"), {"/text/of/10": 1})

    def test_a_sender_waits_for_memory(self):
        self.roudi()
        self.make_bag_of(100000, 30)  # there are 20 chunks
        holder = self.peer("hold", "text", "of", "100000", 30, "drop")
        player = self.play("100000.mcap")
        self.assertIn("are in use; waiting", player.stderr.readline())
        holder.stdin.write("go on\n")
        holder.stdin.flush()
        self.assertEqual(len(self.lines(holder)), 30)
        self.finish(player)

    def test_a_sender_that_waits_for_a_subscriber_can_be_stopped(self):
        self.roudi()
        self.make_bag_of(10, 600)
        self.peer("hold", "text", "of", "10", 600, "wait")
        player = self.play("10.mcap", "--control", self.folder / "player")
        until(lambda: (self.folder / "player").exists(), "the player")
        with self.assertRaises(subprocess.TimeoutExpired):
            player.wait(2)
        player.send_signal(signal.SIGINT)
        self.assertIn("stopped while waiting for subscribers", self.finish(player, code=2))


class Daemon(IceoryxTest):
    def fails(self, *arguments):
        done = subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True,
                              timeout=PATIENCE_S)
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def test_a_roudi_that_is_not_there_is_told(self):
        self.roudi().end()
        kitbag("convert", "demo://?seconds=0.1", self.folder / "sent.mcap")
        for arguments in (("topics", "iceoryx://"),
                          ("record", "-a", "--from", "iceoryx://", "-o", self.folder / "no.mcap"),
                          ("play", self.folder / "sent.mcap", "--to", "iceoryx://")):
            self.assertIn("RouDi, the daemon of iceoryx, does not run; start iox-roudi",
                          self.fails(*arguments))
        self.assertFalse((self.folder / "no.mcap").exists())

    def test_a_roudi_that_is_killed_ends_what_depends_on_it(self):
        roudi = self.roudi()
        recorder = self.record("got.mcap", "iceoryx://?full=wait")
        self.lines(self.peer("send", "Radar", "Left", "Object", 500, 100, "wait"))
        self.await_messages(recorder, 500)
        publisher = self.start("publish", "iceoryx://", "/chatter", "std_msgs/String", "hello",
                               "-r", "100")
        self.await_messages(recorder, 501)
        roudi.kill()
        for process in (recorder, publisher):
            errors = self.finish(process, code=2)
            self.assertIn("has ended; a process cannot join another one: start iox-roudi", errors)
        self.assertEqual(self.counts("got.mcap")["/Radar/Left/Object"], 500)
        # Another one takes the place of what was left behind.
        roudi.start()
        recorder = self.record("again.mcap", "iceoryx://?full=wait")
        self.lines(self.peer("send", "Radar", "Left", "Object", 5, 100, "wait"))
        self.await_messages(recorder, 5)
        self.stop(recorder)

    def test_a_roudi_that_ends_stops_its_processes(self):
        roudi = self.roudi()
        recorder = self.record("got.mcap", "iceoryx://?full=wait")
        self.lines(self.peer("send", "Radar", "Left", "Object", 50, 100, "wait"))
        self.await_messages(recorder, 50)
        roudi.terminate()
        recorder.communicate(timeout=PATIENCE_S)
        self.assertIn(recorder.returncode, (0, 2))
        self.assertEqual(self.counts("got.mcap"), {"/Radar/Left/Object": 50})

    def test_a_roudi_that_is_silent_keeps_nobody(self):
        roudi = self.roudi()
        kitbag("convert", "demo://?seconds=0.1", self.folder / "sent.mcap")
        roudi.process.send_signal(signal.SIGSTOP)
        self.addCleanup(roudi.kill)
        recorder = self.record("no.mcap", "iceoryx://")
        player = self.start("play", self.folder / "sent.mcap", "--to", "iceoryx://")
        recorder.send_signal(signal.SIGINT)
        self.finish(recorder)
        self.assertIn("RouDi does not answer; restart iox-roudi", self.finish(player, code=2))

    def test_a_process_that_was_removed_is_told(self):
        self.roudi()
        recorder = self.record("got.mcap", "iceoryx://")
        os.kill(recorder.pid, signal.SIGSTOP)
        until(lambda: "not responding" in (self.folder / "roudi.log").read_text(), "the removal")
        os.kill(recorder.pid, signal.SIGCONT)
        self.assertIn("has removed this process", self.finish(recorder, code=2))


if __name__ == "__main__":
    main()
