#!/usr/bin/env python3
"""What stays of remote files: in memory as much as may, on the disk for other runs and processes,
and nothing that is wrong or secret."""

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from peers import kitbag, need, program  # noqa: E402
from range_server import RangeServer  # noqa: E402
from server import Server  # noqa: E402

SECRET = "AKIASECRET"
LOOK = 1  # each run asks once which version the file has


class RemoteCache(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        plugin = Path(program()).resolve().parent / "plugins/files_remote.so"
        need(plugin.exists(), "libcurl4-openssl-dev is not installed")
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.bags = cls.folder / "bags"
        cls.bags.mkdir()
        kitbag("convert", "demo://?seconds=6&seed=7", cls.bags / "drive.mcap")
        cls.size = (cls.bags / "drive.mcap").stat().st_size
        cls.server = RangeServer(cls.bags)
        cls.addClassCleanup(cls.server.end)
        cls.url = f"{cls.server.url}/drive.mcap"
        cls.wanted = kitbag("cat", cls.bags / "drive.mcap", "--format", "digest")

    def setUp(self):
        self.cache = self.folder / self._testMethodName
        self.server.reset()

    def read(self, *options, url=None, said=""):
        """The number of requests of a run that reads everything."""
        before = len(self.server.requests)
        done = subprocess.run([program(), "cat", url or self.url, "--format", "digest",
                               *map(str, options)], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, self.wanted), done.stderr)
        self.assertEqual(bool(done.stderr), bool(said), done.stderr)
        self.assertIn(said, done.stderr)
        return len(self.server.requests) - before

    def blocks(self):
        return sorted((self.cache / "blocks").iterdir())

    def held(self):
        return sum(each.stat().st_size for each in self.blocks())

    def test_another_run_asks_for_nothing_again(self):
        self.assertGreater(self.read("--cache-dir", self.cache), LOOK + 1)
        self.assertEqual(self.read("--cache-dir", self.cache), LOOK)
        before = len(self.server.requests)
        kitbag("info", self.url, "--cache-dir", self.cache)
        self.assertEqual(len(self.server.requests) - before, LOOK)
        self.assertGreaterEqual(self.held(), self.size)
        self.assertEqual(stat.S_IMODE((self.cache / "blocks").stat().st_mode), 0o700)
        self.assertEqual({stat.S_IMODE(each.stat().st_mode) for each in self.blocks()}, {0o600})
        self.assertGreater(self.read(), LOOK + 1)  # without the cache

    def test_the_usual_folder(self):
        os.environ["XDG_CACHE_HOME"] = str(self.cache)
        self.addCleanup(os.environ.pop, "XDG_CACHE_HOME")
        self.read("--cache-disk", "1GiB")
        self.assertEqual(self.read("--cache-disk", "1GiB"), LOOK)
        self.assertTrue((self.cache / "kitbag/blocks").is_dir())

    def test_what_was_damaged_is_asked_for_again(self):
        self.read("--cache-dir", self.cache)

        def flipped(at):
            def change(file):
                content = bytearray(file.read_bytes())
                content[at] ^= 1
                file.write_bytes(content)
            return change

        for damage in (flipped(0), flipped(9), flipped(13), flipped(20), flipped(1000), flipped(-1),
                       lambda file: os.truncate(file, 100), lambda file: os.truncate(file, 0),
                       lambda file: file.write_bytes(file.read_bytes() + b"x"),
                       lambda file: file.write_bytes(self.blocks()[0].read_bytes()),
                       lambda file: (file.unlink(), file.symlink_to("/etc/passwd"))):
            for file in self.blocks()[1:]:
                damage(file)
            self.assertGreater(self.read("--cache-dir", self.cache), LOOK)
            self.assertEqual(self.read("--cache-dir", self.cache), LOOK)
        self.assertFalse(any(each.is_symlink() for each in self.blocks()))

    def test_another_version_is_another_file(self):
        name = "changing.mcap"
        url = f"{self.server.url}/{name}"
        for seed in 1, 2:
            kitbag("convert", f"demo://?seconds=5&seed={seed}", self.bags / name, "--force")
            here = kitbag("cat", self.bags / name, "--format", "digest")
            there = kitbag("cat", url, "--format", "digest", "--cache-dir", self.cache)
            self.assertEqual(there, here)

    def test_it_is_bounded(self):
        most = 2 << 20
        for _ in range(2):
            self.read("--cache-dir", self.cache, "--cache-disk", "2MiB")
            self.assertLessEqual(self.held(), most)
            self.assertGreater(self.held(), most // 2)
        (self.cache / "blocks/README").write_text("not ours")
        self.read("--cache-dir", self.cache, "--cache-disk", "600KiB")
        self.assertTrue((self.cache / "blocks/README").exists())

    def test_several_at_once(self):
        for most in "1GiB", "3MiB":
            command = [program(), "cat", self.url, "--format", "digest", "--cache-dir", self.cache,
                       "--cache-disk", most]
            running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True) for _ in range(4)]
            for each in running:
                self.assertEqual((*each.communicate(), each.returncode), (self.wanted, "", 0))
        self.assertEqual([each for each in self.blocks() if each.suffix == ".part"], [])

    def test_addresses_that_differ_in_their_signature_only(self):
        def signed(signature, part=1):
            return f"{self.url}?X-Amz-Signature={signature}&part={part}"

        self.read("--cache-dir", self.cache, url=signed(SECRET))
        self.assertEqual(self.read("--cache-dir", self.cache, url=signed("other")), LOOK)
        self.assertGreater(self.read("--cache-dir", self.cache, url=signed("other", 2)), LOOK)
        with_password = self.url.replace("//", f"//user:{SECRET}@")
        self.read("--cache-dir", self.cache, url=with_password)
        for each in self.blocks():
            self.assertNotIn(SECRET, each.name)
            self.assertNotIn(SECRET.encode(), each.read_bytes())

    def test_a_folder_that_cannot_be_used(self):
        self.read("--cache-dir", "/dev/null/x", said="cannot be kept")
        self.cache.mkdir()
        need(os.geteuid() == 0, "only root mounts")
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", self.cache], check=True)
        self.addCleanup(subprocess.run, ["umount", self.cache], check=True)
        done = subprocess.run([program(), "cat", self.url, "--format", "digest", "--cache-dir",
                               self.cache], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, self.wanted))
        self.assertEqual(done.stderr.count("no space left"), 1, done.stderr)
        self.assertEqual([each for each in self.blocks() if each.suffix == ".part"], [])

    def test_the_memory_is_bounded(self):
        kitbag("convert", "demo://?seconds=25&seed=7", self.bags / "long.mcap")
        # By a small process: the memory of the one that forks counts, too.
        peak = ("import resource, subprocess, sys\n"
                "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
                "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
        little, much = (int(peers.run(sys.executable, "-c", peak, program(), "cat",
                                      f"{self.server.url}/long.mcap", "--format", "digest",
                                      "--cache-memory", size)) << 10 for size in ("3MiB", "1GiB"))
        self.assertLess(little, much - (12 << 20))
        for size in "1", "1MiB", "2MiB":
            self.read("--cache-memory", size)

    def test_a_server_keeps_blocks_too(self):
        for _ in range(2):
            before = len(self.server.requests)
            with Server(self.url, "--cache-dir", str(self.cache), "--cache-disk", "1GiB") as server:
                self.assertEqual(server.ask("/bags/drive.mcap/download").body,
                                 (self.bags / "drive.mcap").read_bytes())
            requests = len(self.server.requests) - before
        self.assertLess(requests, 6)  # it looks again every five seconds


if __name__ == "__main__":
    peers.main()
