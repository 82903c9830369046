#!/usr/bin/env python3
"""The packages in build/packages, as `./dev package` made them: without installing them."""

import re
import shutil
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from peers import ROOT, main, need, run  # noqa: E402

BUILD = ROOT / "build/package"
PACKAGES = {path.name.split("_")[0]: path for path in (ROOT / "build/packages").glob("*.deb")}
NAMES = {"kitbag", "kitbag-hdf5", "kitbag-iceoryx", "kitbag-mqtt", "kitbag-nats",
         "kitbag-postgres", "kitbag-remote", "kitbag-ros1", "kitbag-ros2", "kitbag-server",
         "kitbag-video", "kitbag-zmq", "libkitbag-dev", "libkitbag0", "python3-kitbag"}


def field(package, name):
    return run("dpkg-deb", "--field", PACKAGES[package], name).strip()


def entries(package):
    """(mode, owner, time, name) of each file and folder."""
    for line in run("dpkg-deb", "--contents", PACKAGES[package], env={"TZ": "UTC"}).splitlines():
        mode, owner, _, day, hour, name = line.split(maxsplit=5)
        yield mode, owner, f"{day} {hour}", name.split(" -> ")[0].removeprefix(".").rstrip("/")


def files(package):
    return [name for mode, _, _, name in entries(package) if not mode.startswith("d")]


class DebsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        need(PACKAGES, "there are no packages: ./dev package")

    def test_the_packages_are_these(self):
        self.assertEqual(PACKAGES.keys(), NAMES)

    def test_lintian_finds_nothing(self):
        need(shutil.which("lintian"), "lintian is not installed: ./dev setup package")
        run("lintian", "--allow-root", "--fail-on", "error,warning", *PACKAGES.values())

    def test_each_file_is_in_one_package_and_none_is_left_out(self):
        own = Counter(name for package in PACKAGES for name in files(package)
                      if "/share/doc/" not in name)
        self.assertEqual([name for name, count in own.items() if count > 1], [])
        with tempfile.TemporaryDirectory() as folder:
            run("cmake", "--install", BUILD, env={"DESTDIR": folder, "PATH": "/usr/bin:/bin"})
            installed = {"/" + path.relative_to(folder).as_posix()
                         for path in Path(folder).rglob("*") if not path.is_dir()}
        self.assertEqual({name for name in installed if "/share/doc/" not in name}, own.keys())

    def test_what_belongs_together_has_one_version(self):
        version = field("kitbag", "Version")
        for package, needs in (("kitbag", "libkitbag0"), ("libkitbag-dev", "libkitbag0"),
                               ("python3-kitbag", "libkitbag0"), ("kitbag-ros1", "libkitbag0"),
                               ("kitbag-ros2", "libkitbag0"), ("kitbag-video", "libkitbag0"),
                               ("kitbag-remote", "libkitbag0"), ("kitbag-hdf5", "libkitbag0"),
                               ("kitbag-postgres", "libkitbag0"), ("kitbag-zmq", "libkitbag0"),
                               ("kitbag-mqtt", "libkitbag0"), ("kitbag-nats", "libkitbag0"),
                               ("kitbag-iceoryx", "libkitbag0"),
                               ("kitbag-server", "kitbag")):
            self.assertIn(f"{needs} (= {version})", field(package, "Depends"), package)

    def test_only_plugins_need_what_brings_much(self):
        for package, needs in (("kitbag-ros1", "libroscpp"), ("kitbag-ros2", "libddsc"),
                               ("kitbag-video", "libavcodec"), ("kitbag-remote", "libcurl"),
                               ("kitbag-hdf5", "libhdf5"), ("kitbag-postgres", "libpq5"),
                               ("kitbag-mqtt", "libmosquitto1"), ("kitbag-nats", "libnats"),
                               ("kitbag-iceoryx", "libiceoryx-posh2"), ("kitbag-zmq", "libzmq5")):
            for other in PACKAGES:
                depends = field(other, "Depends")
                (self.assertIn if other == package else self.assertNotIn)(needs, depends, other)

    def test_libraries_lie_where_debian_has_them(self):
        folder = "/usr/lib/" + run("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip()
        self.assertIn(f"{folder}/libkitbag.so.0", files("libkitbag0"))
        self.assertIn(f"{folder}/libkitbag.so", files("libkitbag-dev"))
        self.assertIn(f"{folder}/kitbag/transport_ros2.so", files("kitbag-ros2"))

    def test_the_same_commit_makes_the_same_files(self):
        """Each has root's name, and the time of the commit."""
        for package in PACKAGES:
            found = list(entries(package))
            self.assertEqual({owner for _, owner, _, _ in found}, {"root/root"}, package)
            self.assertEqual(len({time for _, _, time, _ in found}), 1, package)

    def test_the_changelog_is_that_of_the_sources(self):
        with tempfile.TemporaryDirectory() as folder:
            run("dpkg-deb", "--extract", PACKAGES["kitbag"], folder)
            told = run("zcat", f"{folder}/usr/share/doc/kitbag/changelog.Debian.gz")
        self.assertTrue(told.startswith(f"kitbag ({field('kitbag', 'Version')}) "), told[:80])
        newest = (ROOT / "CHANGELOG.md").read_text().split("\n## ")[1]
        self.assertEqual(told.count("\n  * "), len(re.findall(r"^\* ", newest, re.MULTILINE)))


if __name__ == "__main__":
    main()
