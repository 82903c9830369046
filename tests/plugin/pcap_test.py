#!/usr/bin/env python3
"""A plugin outside of the tree: built against what is installed, loaded by the program."""

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from peers import kitbag, program  # noqa: E402
from examples import BUILD, build_plugin  # noqa: E402

START_S = 1_700_000_000
PACKETS = [(0, 250_000, b"first"), (2, 0, b""), (1, 5, b"third" * 100)]


def capture(order="<", magic=0xa1b2c3d4):
    content = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, 1)
    for seconds, fraction, data in PACKETS:
        content += struct.pack(order + "IIII", START_S + seconds, fraction, len(data), len(data))
        content += data
    return content


class PluginTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.plugin = build_plugin("pcap", cls.folder)

    def write(self, name, content):
        (self.folder / name).write_bytes(content)
        return self.folder / name

    def messages(self, bag, *options, code=0):
        lines = kitbag("cat", bag, "--plugin", self.plugin, *options, code=code).splitlines()
        return [(m["log_time_ns"] - START_S * 10**9, m["size"]) for m in map(json.loads, lines)]

    def fails(self, *arguments, env=None):
        done = subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True,
                              env=env)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"\A[^\n]+\n\Z")
        return done.stderr

    def test_a_capture_is_a_bag(self):
        for name, content in (("little", capture("<")), ("big", capture(">")),
                              ("fine", capture("<", 0xa1b23c4d))):
            bag = self.write(f"{name}.pcap", content)
            info = json.loads(kitbag("info", bag, "--json", "--plugin", self.plugin))
            self.assertEqual((info["format"], info["messages"]), ("pcap", 3))
            self.assertEqual(info["channels"][0]["encoding"], "ethernet")
            scale = 1 if name == "fine" else 1000
            times = [250_000 * scale, 10**9 + 5 * scale, 2 * 10**9]
            self.assertEqual(self.messages(bag), list(zip(times, [5, 500, 0])))

    def test_every_query_works_on_it(self):
        bag = self.write("a.pcap", capture())
        self.assertEqual([size for _, size in self.messages(bag, "--order", "file")], [5, 0, 500])
        self.assertEqual([size for _, size in self.messages(bag, "--order", "reverse_time",
                                                            "--count", "2")], [0, 500])
        self.assertEqual(self.messages(bag, "--start", "+1s", "--end", "-0s"),
                         [])  # nothing from 1.25 s to just before 2 s
        self.assertEqual(self.messages(bag, "--exclude", "/packets"), [])

    def test_it_converts_to_other_formats(self):
        bag = self.write("a.pcap", capture())
        kitbag("convert", "-f", bag, self.folder / "a.bag", "--plugin", self.plugin)
        kitbag("diff", bag, self.folder / "a.bag", "--plugin", self.plugin)

    def test_a_cut_capture(self):
        bag = self.write("cut.pcap", capture()[:-10])
        self.assertEqual(len(self.messages(bag, code=1)), 2)
        self.assertIn("ends within this packet",
                      kitbag("check", bag, "--plugin", self.plugin, code=1))

    def test_the_path_is_loaded_at_every_start(self):
        bag = self.write("a.pcap", capture())
        self.assertIn("unrecognized format", self.fails("info", bag))
        environment = {**os.environ, "KITBAG_PLUGIN_PATH": f"/nowhere:{self.plugin.parent}"}
        self.assertIn("pcap 2.4", kitbag("info", bag, env=environment))

    def test_another_stamp_is_refused_with_one_line(self):
        content = self.plugin.read_bytes()
        self.assertEqual(content.count(b"kitbag 0."), 1)
        stale = self.write("stale.so", content.replace(b"kitbag 0.", b"kitbag 9."))
        bag = self.write("a.pcap", capture())
        self.assertRegex(self.fails("info", bag, "--plugin", stale),
                         r"stale\.so: the plugin was built for \(kitbag 9\..*rebuild it")
        environment = {**os.environ, "KITBAG_PLUGIN_PATH": str(self.folder)}
        done = subprocess.run([program(), "--version"], capture_output=True, text=True,
                              env=environment)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"\Akitbag: warning: [^\n]*stale\.so[^\n]*\n\Z")

    def test_what_is_no_plugin_is_refused(self):
        bag = self.write("a.pcap", capture())
        self.assertIn("the plugin does not exist",
                      self.fails("info", bag, "--plugin", "nowhere.so"))
        text = self.write("text.txt", b"no library")
        self.assertIn("cannot be loaded", self.fails("info", bag, "--plugin", text))
        library = next(BUILD.glob("libkitbag.so"))
        self.assertIn("does not export kitbag_plugin", self.fails("info", bag, "--plugin", library))


if __name__ == "__main__":
    peers.main()
