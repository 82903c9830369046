#!/usr/bin/env python3
"""Parts of bags with videos: each begins with a frame that can be decoded, as ffmpeg judges. Cuts,
views and slices of the server, bags around moments, and what is played."""

import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))

import peers  # noqa: E402
from h264_bag import (COMPRESSED, FRAMES, GOP, START, TIMES, TOPICS, VIDEO,  # noqa: E402
                      compressed, film, hashes, messages, video, write_film)
from mcap_file import McapFile  # noqa: E402
from peers import need, program  # noqa: E402
from server import Server  # noqa: E402


def run(*arguments):
    return subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True,
                          check=False)


def seconds(time_ns):
    return f"{time_ns // 10**9}.{time_ns % 10**9:09}"


class VideoCuts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need(shutil.which("ffmpeg"), "ffmpeg is not installed")
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.frames = film()
        cls.hashes = hashes(cls.frames)
        cls.bag = write_film(cls.folder / "film.mcap", cls.frames)

    def cut(self, *arguments, bag=None, said=""):
        """The path and the closing line."""
        out = self.folder / f"{self.id().rsplit('.', 1)[1]}.mcap"
        done = run("cut", bag or self.bag, *arguments, "-o", out, "--force")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(said, done.stderr)
        if not said:
            self.assertEqual(done.stderr, "")
        return out, done.stdout

    def check(self, path, first, last, topics=TOPICS):
        """All topics have the frames `first` to `last`, with their times, and all are decoded."""
        for topic in topics:
            found = messages(path, topic)
            self.assertEqual([when for when, _ in found], TIMES[first:last + 1], topic)
            self.assertEqual([data for _, data in found], self.frames[first:last + 1])
        self.assertEqual(hashes([data for _, data in found]), self.hashes[first:last + 1])

    def test_cuts_at_random_times(self):
        chance = random.Random(11)
        for form in ("mcap", "bag", "db3"):
            bag = self.folder / f"film.{form}"
            if not bag.exists():
                self.assertEqual(run("convert", self.bag, bag).returncode, 0)
            for first in (chance.randrange(FRAMES - 20), GOP + 1):
                begin = TIMES[first] - chance.choice([0, 1, 20_000_000])
                last = min(first + 15, FRAMES - 1)
                out, line = self.cut("--start", seconds(begin), "--end", seconds(TIMES[last] + 1),
                                     bag=bag)
                key = first - first % GOP
                self.check(out, key, last)
                added = (first - key) * len(TOPICS)
                said = f"; {added} frames of videos from before the start\n" if added else " s\n"
                self.assertTrue(line.endswith(said), line)
                # Other topics have what was asked for.
                ticks = json.loads(run("info", out, "--json").stdout)["channels"]
                self.assertIn(last - first + 1, [each["messages"] for each in ticks
                                                 if each["topic"] == "/tick"])

    def test_without_them(self):
        begin = TIMES[40]
        out, line = self.cut("--start", seconds(begin), "--no-key-frames")
        self.assertEqual([when for when, _ in messages(out, "/video")], TIMES[40:])
        self.assertNotIn("frames of videos", line)
        for options, first in (([], 30), (["--order", "file"], 30),
                               (["--by", "publish_time"], 30)):
            out, _ = self.cut("--start", seconds(begin), "--topics", "/packet", *options)
            self.check(out, first, FRAMES - 1, ["/packet"])
        # Times that are relative, and a count, mean the messages of the range.
        out, line = self.cut("--start", "+1.5s", "--topics", "/video", "--count", 3)
        first = next(i for i in range(FRAMES) if TIMES[i] >= TIMES[0] + 1_500_000_000)
        self.check(out, 30, first + 2, ["/video"])
        done = json.loads(run("cut", self.bag, "-o", out, "--force", "--start", "+1.5s", "--topics",
                              "/video", "--json").stdout)
        self.assertEqual(done["frames_before_start"], first - 30)
        self.assertEqual(done["messages"], FRAMES - 30)

    def test_files_of_a_split_recording_are_one(self):
        parts = self.folder / "parts"
        parts.mkdir()
        self.assertEqual(run("split", self.bag, parts / "p.mcap", "--split-messages", 222)
                         .returncode, 0)
        names = sorted(parts.iterdir())
        self.assertEqual(len(names), 4)
        out = self.folder / "joined.mcap"
        done = run("merge", *names, "-o", out, "--start", seconds(TIMES[50]), "--end",
                   seconds(TIMES[60]))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.check(out, 30, 59)

    def test_a_pipe_says_that_it_cannot(self):
        done = subprocess.run([program(), "cut", "-", "-o", self.folder / "piped.mcap", "--start",
                               seconds(TIMES[40])], input=self.bag.read_bytes(),
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertIn("the first frames of /video cannot be decoded: those before the start cannot "
                      "be read from a pipe", done.stderr.decode())

    def test_bags_around_moments(self):
        to = self.folder / "cuts"
        find = ["find", self.bag, "--where", "topic == '/tick' && data == 77", "--cut", "0.2s",
                "--to", to]
        done = run(*find)
        self.assertEqual(done.returncode, 0, done.stderr)
        first = next(i for i in range(FRAMES) if TIMES[i] >= TIMES[77] - 200_000_000)
        last = max(i for i in range(FRAMES) if TIMES[i] <= TIMES[77] + 200_000_000)
        self.check(next(to.iterdir()), 60, last)
        self.assertIn(f"; {(first - 60) * len(TOPICS)} frames of videos from before it",
                      done.stdout)
        self.assertIn("was there", run(*find).stdout)
        self.assertIn("is not this cut", run(*find, "--no-key-frames").stderr)
        done = run(*find, "--no-key-frames", "--force")
        self.assertEqual(len(messages(next(to.iterdir()), "/video")), last - first + 1)

    def test_what_a_server_gives(self):
        begin, end = seconds(TIMES[70]), seconds(TIMES[80])
        with Server(self.folder) as server:
            got = self.folder / "got.mcap"
            for target, first in (
                    (f"/view/film.mcap?start={begin}&end={end}", 60),
                    (f"/view/film.mcap?start={begin}&end={end}&key_frames=0", 70),
                    (f"/view/film.mcap?start={seconds(TIMES[60])}&end={end}", 60),
                    (f"/bags/film.mcap/player?start_time={begin}&end_time={end}&format=mcap", 60),
                    (f"/bags/film.mcap/player?start_time={begin}&end_time={end}&format=bag", 60),
                    (f"/bags/film.mcap/player?start_time={begin}&end_time={end}&format=mcap"
                     "&key_frames=0", 70)):
                with self.subTest(target=target):
                    reply = server.ask(target)
                    self.assertEqual(reply.status, 200, reply.body)
                    got.write_bytes(reply.body)
                    for topic in TOPICS:
                        self.assertEqual([when for when, _ in messages(got, topic)],
                                         TIMES[first:80])
            # The frames are behind the state, once each.
            reply = server.ask(f"/bags/film.mcap/player?start_time={begin}&end_time={end}"
                               "&topics=/video&state=all&key_frames=1")
            times = [each["timestamp"] for each in reply.json()["messages"]]
            self.assertEqual(len(times), 20)
            # The state needs them too, whatever follows: a key frame, or nothing.
            last = seconds(TIMES[-1] + 10**10), seconds(TIMES[-1] + 2 * 10**10)
            for (begin_, end_), state, more, wanted in (
                    ((seconds(TIMES[60]), seconds(TIMES[61])), "all", 1, range(30, 61)),
                    ((seconds(TIMES[60]), seconds(TIMES[61])), "none", 1, range(60, 61)),
                    ((seconds(TIMES[60]), seconds(TIMES[61])), "all", 0, range(59, 61)),
                    (last, "all", 1, range(120, 150)), (last, "all", 0, range(149, 150))):
                with self.subTest(begin=begin_, state=state, key_frames=more):
                    reply = server.ask(f"/bags/film.mcap/player?start_time={begin_}&end_time={end_}"
                                       f"&state={state}&format=mcap&key_frames={more}")
                    got.write_bytes(reply.body)
                    for topic in TOPICS:
                        self.assertEqual([when for when, _ in messages(got, topic)],
                                         [TIMES[i] for i in wanted])
            for topic in TOPICS:
                reply = server.ask(f"/bags/film.mcap/thumbnail?topic={topic}&time={begin}"
                                   "&format=png")
                self.assertEqual(reply.status, 200, reply.body)
                self.assertAlmostEqual(float(reply.headers["Kitbag-Time"]), TIMES[70] / 1e9, 5)

    def test_what_is_exported(self):
        out = self.folder / "exported"
        out.mkdir()
        for form, name in (("mp4", "{}.mp4"), ("images", "{}")):
            done = run("export", self.bag, "--topics", *TOPICS, "--end", seconds(TIMES[35]),
                       "--format", form, "-o", out / form)
            self.assertEqual(done.returncode, 0, done.stderr)
            for topic in TOPICS:
                path = out / form / name.format(topic.strip("/"))
                self.assertTrue(path.exists(), sorted((out / form).iterdir()))
                if form == "images":
                    self.assertEqual(len(list(path.glob("*.png"))), 35)
                    continue
                shown = subprocess.run(
                    ["ffmpeg", "-v", "error", "-i", path, "-fps_mode", "passthrough", "-f",
                     "framemd5", "-"], capture_output=True, text=True, check=True).stdout
                found = [line.split(",")[-1].strip() for line in shown.splitlines()
                         if not line.startswith("#")]
                self.assertEqual(found, self.hashes[:35])

    def played(self, *options):
        """What is received of a part that is played."""
        socket = self.folder / "socket"
        uri = f"zmq+ipc://{socket}?bind=1&once=1&times=sent"
        got = self.folder / "played.mcap"
        socket.unlink(missing_ok=True)
        with subprocess.Popen([program(), "record", "-a", "--from", uri, "-o", got, "--force"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as recorder:
            limit = time.monotonic() + 60
            while not socket.exists():
                self.assertLess(time.monotonic(), limit)
                time.sleep(0.01)
            done = run("play", self.bag, "--start", seconds(TIMES[100]), "--end",
                       seconds(TIMES[110]), "--to", f"zmq+ipc://{socket}", "--rate", 2, *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            _, err = recorder.communicate(timeout=60)
            self.assertEqual(recorder.returncode, 0, err)
        return {topic: [data for _, data in messages(got, topic)] for topic in TOPICS}

    def test_played_from_an_offset(self):
        for options, first in (([], 90), (["--no-key-frames"], 100)):
            for found in self.played(*options).values():
                self.assertEqual(found, self.frames[first:110])

    def hostile(self, frames, schema=VIDEO, payload=video):
        file = McapFile(self.folder / "hostile.mcap")
        channel = file.channel("/video", "ros1", *schema)
        for i, frame in enumerate(frames):
            file.message(channel, START + i * 1_000_000, payload(frame, START))
        file.close()
        return self.folder / "hostile.mcap"

    def test_videos_without_a_key_frame_in_reach(self):
        change = b"\0\0\0\1\x41\x9a\x01"
        for frames, said in (
                (self.frames[1:25], "it has no key frame before"),
                ([self.frames[0]] + [change] * 1100, "more than 1000 messages or 256.0 MiB back"),
                ([b"", b"\0\0", b"no video", change], "it has no key frame before")):
            bag = self.hostile(frames)
            at = seconds(START + (len(frames) - 2) * 1_000_000)
            out, line = self.cut("--start", at, bag=bag,
                                 said="the first frames of /video cannot be decoded: ")
            self.assertEqual(len(messages(out, "/video")), 2)
            self.assertNotIn("frames of videos", line)
            self.cut("--start", at, bag=bag, said=said)
        # Pictures, and what is broken, are no videos.
        for form in (b"jpeg", b"png", b""):
            bag = self.hostile([b"x"] * 9, COMPRESSED,
                               lambda data, when, form=form: compressed(data, when, form))
            out, _ = self.cut("--start", seconds(START + 5_000_000), bag=bag)
            self.assertEqual(len(messages(out, "/video")), 4)
        bag = self.hostile([b"x"] * 9, COMPRESSED, lambda *_: b"\xff\xff")
        self.cut("--start", seconds(START + 5_000_000), bag=bag)
        bag = self.hostile([b"x"] * 9, VIDEO, lambda *_: b"\xff\xff")
        self.cut("--start", seconds(START + 5_000_000), bag=bag, said="it has no key frame before")


if __name__ == "__main__":
    peers.main()
