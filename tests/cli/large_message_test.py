#!/usr/bin/env python3
"""Messages of 2 GiB and more: they are carried, or explicitly refused; never left out."""

import json
import os
import subprocess

from cli import CliTest, main  # first: it tells where the folder of support is

import large_bags

LARGE = (2 << 30) + 4096
SMALL = 4 << 20


def without_summary(path, size):
    large_bags.write_mcap(path, size, has_summary=False)


WRITERS = {
    "unchunked.mcap": large_bags.write_mcap,
    "no_summary.mcap": without_summary,
    "chunked.mcap": large_bags.write_chunked_mcap,
    "chunked.bag": large_bags.write_bag,
}


class LargeMessageTest(CliTest):
    def sizes(self, done):
        return [(usage["messages"], usage["size_bytes"]) for usage in json.loads(done.stdout)]

    def test_more_than_2_gib_is_carried(self):
        # Each takes 2 GiB of memory, and seconds.
        names = WRITERS if os.environ.get("KITBAG_SOAK") == "1" else ["no_summary.mcap"]
        for name in names:
            with self.subTest(name):
                WRITERS[name](self.path(name), LARGE)
                done = self.run_program("du", "--json", name, "--read-threads", "1", timeout=600)
                self.assertEqual(self.sizes(done), [(3, LARGE + 8)], done.stderr)
                self.assertNotIn("lost", done.stderr)
                self.assertEqual(done.returncode, 0)

    def test_more_than_allowed_is_told_by_every_reader(self):
        for name, write in WRITERS.items():
            write(self.path(name), SMALL)
            # What is in a chunk with it goes with it.
            others = 0 if name.startswith("chunked") else 2
            for verb in (["du", "--json"], ["cat", "--format", "digest"], ["convert"]):
                with self.subTest(name=name, verb=verb[0]):
                    out = ["out.mcap"] if verb == ["convert"] else []
                    done = self.run_program(*verb, name, *out, "--max-memory", "1MiB")
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertRegex(done.stderr, r"\d+ bytes.* the memory limit of 1048576 ")
                    self.assertRegex(done.stderr, "--max-memory")
                    if out:
                        self.assertEqual(self.info("out.mcap")["messages"], others)
                        (self.folder / "out.mcap").unlink()
            done = self.run_program("repair", name, "saved.mcap", "--format", "mcap",
                                    "--max-memory", "1MiB")
            self.assertIn(done.returncode, (1,) if others else (2,), (name, done.stderr))
            self.assertRegex(done.stdout, "exceeds the memory limit of 1048576 ")
            self.kitbag("convert", "unchunked.mcap", "whole.mcap", "--max-memory", "8MiB")
            self.assertEqual(self.info("whole.mcap")["messages"], 3)
            (self.folder / "whole.mcap").unlink()
            (self.folder / "saved.mcap").unlink(missing_ok=True)

    def test_a_pipe_goes_on_behind_it(self):
        large_bags.write_mcap(self.path("piped.mcap"), SMALL)
        with open(self.path("piped.mcap"), "rb") as bag:
            with subprocess.Popen(["cat"], stdin=bag, stdout=subprocess.PIPE) as cat:
                done = self.run_program("du", "--json", "-", "--max-memory", "1MiB",
                                        stdin=cat.stdout)
        self.assertEqual(self.sizes(done), [(2, 8)], done.stderr)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "exceeds the memory limit of 1048576 ")


if __name__ == "__main__":
    main()
