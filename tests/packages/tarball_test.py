#!/usr/bin/env python3
"""The tarball of the sources, as `./dev tarball` makes it."""

import os
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from peers import ROOT, main, need, run  # noqa: E402

GIT = ("git", "-c", "safe.directory=*")


def make():
    return ROOT / run(ROOT / "dev", "tarball", cwd=ROOT, env=ENVIRONMENT).strip()


# For git in ./dev, too, where the tree is another user's.
ENVIRONMENT = {**os.environ, "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory",
               "GIT_CONFIG_VALUE_0": "*"}


class TarballTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need((ROOT / ".git").exists(), "the sources are not in git", "git")
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        made = make()
        cls.first = made.read_bytes()
        with tarfile.open(made) as archive:
            cls.members = archive.getmembers()
            archive.extractall(cls.folder)
        cls.sources = cls.folder / made.name.removesuffix(".tar.gz")

    def test_it_is_the_same_each_time(self):
        self.assertEqual(make().read_bytes(), self.first)
        commit = int(run(*GIT, "log", "-1", "--format=%ct", cwd=ROOT))
        self.assertEqual({member.mtime for member in self.members}, {commit})

    def test_it_has_what_git_has(self):
        names = run(*GIT, "ls-tree", "-r", "--name-only", "-z", "HEAD", cwd=ROOT).split("\0")
        folder = self.sources.name
        self.assertEqual({member.name for member in self.members if not member.isdir()},
                         {f"{folder}/{name}" for name in names if name})

    def test_it_can_be_built(self):
        """Configured here; each file that ninja knows of is there, or made by the build."""
        run("cmake", "--preset", "package", cwd=self.sources)
        build = self.sources / "build/package"
        inputs = run("ninja", "-C", build, "--quiet", "-t", "inputs", "all").splitlines()
        made = run("ninja", "-C", build, "--quiet", "-t", "targets", "all").splitlines()
        made = {line.rsplit(": ", 1)[0] for line in made}
        self.assertGreater(len(inputs), 100)
        self.assertEqual([name for name in inputs
                          if name not in made and not (build / name).exists()], [])


if __name__ == "__main__":
    main()
