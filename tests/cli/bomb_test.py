#!/usr/bin/env python3
"""Bombs of tests/support/bombs.py: reading them takes little memory, and errors name the
option that reads what is refused."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from cli import CliTest, main  # first: it tells where the folder of support is

import bombs
from peers import program

MOST_MIB = 256
# Nothing is refused in these: what they declare is not there, so they end before it.
LENGTHS = {name for name in bombs.BOMBS if "_length" in name}
WHOLE_FILES = {name for name in bombs.BOMBS if name.startswith("whole")}


class BombTest(CliTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.bombs = Path(folder.name)
        for name, write in bombs.BOMBS.items():
            write(cls.bombs / name)

    def measure(self, *arguments):
        """The finished process, and the most memory that it had, in MiB."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            child = subprocess.Popen([program(), *map(str, arguments)], stdout=out, stderr=errors,
                                     cwd=self.folder)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = status >> 8
            texts = []
            for stream in (out, errors):
                stream.seek(0)
                texts.append(stream.read().decode())
        done = subprocess.CompletedProcess(arguments, child.returncode, *texts)
        return done, usage.ru_maxrss / 1024

    def test_info_and_reading_take_little_memory(self):
        for name in bombs.BOMBS:
            for verb in (["info"], ["du"], ["cat", "--format", "digest"]):
                with self.subTest(bomb=name, verb=verb[0]):
                    done, mebibytes = self.measure(*verb, self.bombs / name)
                    self.assertLess(mebibytes, MOST_MIB, done.stderr)
                    self.assertIn(done.returncode, (0, 1, 2), done.stderr)

    def test_what_is_refused_is_told_with_the_way_to_read_it(self):
        for name in set(bombs.BOMBS) - LENGTHS:
            with self.subTest(name):
                done, _ = self.measure("du", "--json", self.bombs / name)
                self.assertEqual(done.returncode, 2 if name in WHOLE_FILES else 1, done.stderr)
                says_wrong = "says_little" in name or "says_nothing" in name
                if not says_wrong:
                    self.assertRegex(done.stderr, r"increase --max-memory to read it")

    def test_a_larger_limit_reads_it(self):
        """Smaller ones of the same kind, beyond the default."""
        unpacked = 80 << 20
        for name, write in {"a.mcap": bombs.mcap_bomb("zstd", unpacked=unpacked),
                            "b.bag": bombs.bag_bomb("bz2", unpacked=unpacked)}.items():
            write(self.path(name))
            self.assertEqual(self.run_program("du", name).returncode, 1)
            done = self.run_program("du", "--json", name, "--max-memory", "100MiB")
            self.assertEqual(done.returncode, 0, done.stderr)
            usage = json.loads(done.stdout)
            self.assertEqual([each["messages"] for each in usage], [2])


if __name__ == "__main__":
    main()
