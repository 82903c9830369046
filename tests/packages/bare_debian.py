#!/usr/bin/env python3
"""Installs the packages of build/packages on a bare Debian 12, and uses them there.

`./dev test-packages` runs it as root in a name space for mounts. Debian comes from where the
machine's own packages come from, by the same options of apt; the bare system and what is downloaded
are kept in build/bare-debian for the next time.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from peers import ROOT, main, run  # noqa: E402

SUITE = "bookworm"
PACKAGES = sorted((ROOT / "build/packages").glob("*.deb"))
KEPT = ROOT / "build/bare-debian"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
# What the test itself needs there.
TOOLS = ("bash-completion", "curl", "g++", "man-db", "pkg-config")
USER = "person"
HOME = f"/home/{USER}"
# systemd's own measure, from 0 to 100: everything up to 20 is "OK" or better.
MOST_EXPOSED = 20


def sources():
    """The lines of apt's sources that are Debian 12's own."""
    lines = run("apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(COMPONENT)",
                "Created-By: Packages").splitlines()
    chosen = {tuple(line.split()) for line in lines}
    return sorted((site, release, component) for site, release, component in chosen
                  if re.fullmatch(SUITE + "(-updates|-security)?", release))


class Debian:
    """A bare system in a folder, which is thrown away. `at_end` takes what undoes each mount."""

    def __init__(self, folder, at_end):
        self.root = Path(folder) / "root"
        self.at_end = at_end
        self.sources = sources()
        assert self.sources, "apt knows no source of Debian's packages: apt-get update"
        KEPT.mkdir(parents=True, exist_ok=True)
        archive = KEPT / f"{SUITE}.tar.zst"
        if archive.exists():
            self.root.mkdir()
            run("tar", "-C", self.root, "-xf", archive)
        else:
            self.bootstrap(archive)
        self.mount("-t", "proc", "proc", "proc")
        self.mount("-t", "tmpfs", "shm", "dev/shm")
        (KEPT / "archives/partial").mkdir(parents=True, exist_ok=True)
        self.mount("--bind", KEPT / "archives", "var/cache/apt/archives")

    def bootstrap(self, archive):
        site = next(site for site, release, _ in self.sources if release == SUITE)
        run("debootstrap", "--variant=minbase", "--include=ca-certificates", SUITE, self.root,
            site)
        part = archive.with_suffix(".part")
        run("tar", "-C", self.root, "--zstd", "-cf", part, ".")
        part.rename(archive)

    def mount(self, *arguments):
        *options, place = arguments
        (self.root / place).mkdir(parents=True, exist_ok=True)
        run("mount", *options, self.root / place)
        self.at_end(run, "umount", self.root / place)

    def run(self, *command, user="root", code=0):
        """A command there; `user` has nothing of the environment here."""
        environment = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8",
                       "DEBIAN_FRONTEND=noninteractive", f"HOME={HOME}"]
        inside = ["sh", "-c", 'cd "$HOME" 2>/dev/null || cd /; exec "$@"', "sh"]
        return run("chroot", f"--userspec={user}:{user}", self.root, *environment, *inside,
                   *command, code=code)

    def apt(self, *arguments):
        return self.run("apt-get", "-q", "-y", "--no-install-recommends", *arguments)

    def prepare(self):
        """As the machine reaches Debian's archive, so does the system inside."""
        etc = self.root / "etc"
        (etc / "apt/sources.list").write_text("".join(
            f"deb [signed-by={KEYS}] {site} {release} {component}\n"
            for site, release, component in self.sources))
        options = run("apt-config", "dump", "--format", "%f \"%v\";\n", "Acquire")
        (etc / "apt/apt.conf.d/99machine").write_text(options)
        shutil.copy("/etc/resolv.conf", etc / "resolv.conf")
        self.apt("update")

    def files(self):
        """All that is there, without what apt and the commands of this test leave."""
        left_out = re.compile(r"^(proc|dev|packages|home|tmp|var/(cache/apt|lib/apt|log)|run)(/|$)")
        found = set()
        for folder, folders, names in os.walk(self.root):
            inside = os.path.relpath(folder, self.root)
            folders[:] = [n for n in folders
                          if not left_out.match(os.path.normpath(f"{inside}/{n}"))]
            found |= {os.path.normpath(f"{inside}/{name}") for name in (*folders, *names)}
        return found


class OnBareDebian(unittest.TestCase):
    """In the order of their names: the last one removes the packages."""

    @classmethod
    def setUpClass(cls):
        assert PACKAGES, "there are no packages: ./dev package"
        folder = tempfile.TemporaryDirectory(dir=KEPT.parent)
        cls.addClassCleanup(folder.cleanup)
        cls.debian = Debian(folder.name, cls.addClassCleanup)
        cls.debian.prepare()
        cls.debian.apt("install", *TOOLS)
        cls.debian.run("useradd", "--create-home", USER)
        (cls.debian.root / "packages").mkdir()
        for package in PACKAGES:
            shutil.copy(package, cls.debian.root / "packages")
        cls.names = [package.name.split("_")[0] for package in PACKAGES]
        cls.debian.apt("install", *(f"/packages/{package.name}" for package in PACKAGES))
        cls.as_person("kitbag", "convert", "demo://?seconds=4&seed=7", "drive.bag")

    @classmethod
    def as_person(cls, *command, **more):
        return cls.debian.run(*command, user=USER, **more)

    def serving(self, *options):
        """A server: its address, until the test ends."""
        server = subprocess.Popen(
            ["chroot", f"--userspec={USER}:{USER}", self.debian.root, "env", "-i",
             f"HOME={HOME}", "/usr/bin/kitbag", "serve", HOME, "--port", "0", *options],
            stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait, 30)
        self.addCleanup(server.terminate)
        return server.stdout.readline().removesuffix("/bags/\n")

    def test_the_program(self):
        version = run("dpkg-deb", "--field", PACKAGES[0], "Version").split("-")[0].strip()
        self.assertEqual(self.as_person("kitbag", "--version"), f"kitbag {version}\n")
        info = json.loads(self.as_person("kitbag", "info", "--json", "drive.bag"))
        self.assertEqual(len(info["channels"]), 12)
        self.as_person("kitbag", "convert", "drive.bag", "drive.mcap", "--encoding", "cdr")

    def test_every_library_is_found(self):
        looked_at = 0
        for package in self.names:
            for file in self.debian.run("dpkg", "-L", package).split():
                path = self.debian.root / file.lstrip("/")
                if not path.is_file() or path.is_symlink():
                    continue
                if path.read_bytes()[:4] == b"\x7fELF":
                    self.assertNotIn("not found", self.debian.run("ldd", file), file)
                    looked_at += 1
        self.assertEqual(looked_at, 11, "program, library, extension, seven plugins, Python")

    def test_python(self):
        told = self.as_person("python3", "-c", "import kitbag\n"
                              "with kitbag.open('drive.bag') as bag:\n"
                              "    print(len(bag['/imu']), bag['/imu'][-1].data.orientation.w)")
        self.assertRegex(told, r"^400 -?[0-9.]+\n$")

    def test_a_program_in_c_and_one_in_cxx(self):
        examples = "/usr/share/doc/libkitbag-dev/examples"
        build = "{} -o {} $(pkg-config --cflags --libs kitbag) -lm"
        self.as_person("sh", "-c", build.format(f"cc -std=c11 {examples}/c/read.c", "read"))
        self.assertIn("/imu", self.as_person("./read", "drive.bag"))
        self.as_person("sh", "-c", build.format(
            f"c++ -std=c++20 {examples}/record-images/main.cpp", "images"))
        self.as_person("./images", "images.mcap", "4", "buffered")
        self.assertIn("sensor_msgs/Image", self.as_person("kitbag", "info", "images.mcap"))

    def test_the_server_and_its_page(self):
        address = self.serving("--record", "demo://")
        self.assertIn("<title>", self.as_person("curl", "-sSf", f"{address}/"))
        names = [bag["filename"] for bag in
                 json.loads(self.as_person("curl", "-sSf", f"{address}/bags/"))]
        self.assertIn("drive.bag", names)
        recorder = json.loads(self.as_person("curl", "-sSf", f"{address}/api/recorder"))
        self.assertEqual(recorder["state"], "recording")

    def test_manual_pages(self):
        pages = [Path(page).name for page in
                 self.as_person("man", "-w", "kitbag", "kitbag-convert").splitlines()]
        self.assertEqual(pages, ["kitbag.1.gz", "kitbag-convert.1.gz"])
        self.assertIn("kitbag convert", self.as_person("man", "-P", "cat", "kitbag-convert"))

    def test_completion_of_a_topic(self):
        script = ("source /usr/share/bash-completion/bash_completion; _completion_loader kitbag;"
                  "COMP_WORDS=(kitbag cat drive.bag --topics /bat) COMP_CWORD=4;"
                  "COMP_LINE=${COMP_WORDS[*]} COMP_POINT=${#COMP_LINE}; _kitbag;"
                  "printf '%s\\n' \"${COMPREPLY[@]}\"")
        self.assertEqual(self.as_person("bash", "-c", script), "/battery\n")

    def test_sqlite_loads_the_extension(self):
        folder = self.debian.run("pkg-config", "--variable=libdir", "kitbag").strip()
        told = self.as_person("python3", "-c", f"""if True:
            import sqlite3
            db = sqlite3.connect(":memory:")
            db.enable_load_extension(True)
            db.load_extension("{folder}/kitbag/kitbag")
            db.execute("SELECT kitbag_open('drive.bag')")
            print(db.execute("SELECT count(*) FROM imu").fetchone()[0])""")
        self.assertEqual(told, "400\n")

    def test_plugins(self):
        """Each is loaded: ROS 2 has nobody to talk to, ROS 1 no master."""
        self.as_person("kitbag", "record", "--from", "ros2://", "--duration", "1s", "-o", "2.mcap")
        missing = self.debian.root / HOME.lstrip("/") / "1.log"
        self.as_person("sh", "-c", "ROS_MASTER_URI=http://localhost:9 timeout 20 kitbag record "
                       "--from ros1:// --duration 1s -o 1.mcap 2>1.log", code=None)
        self.assertIn("master", missing.read_text())
        self.assertNotIn("plugin", missing.read_text())

    def test_units(self):
        self.assertIn("kitbag:", (self.debian.root / "etc/passwd").read_text())
        for unit in ("kitbag-serve.service", "kitbag-record@.service"):
            path = f"/lib/systemd/system/{unit}"
            self.debian.run("systemd-analyze", "verify", "--man=no", path)
            self.debian.run("systemd-analyze", "security", "--offline=true", "--no-pager",
                            f"--threshold={MOST_EXPOSED}", path)

    def test_what_the_units_call(self):
        """Without systemd, as the user of the units, where they work: SIGTERM completes the bag."""
        place = "/var/lib/kitbag/demo"
        self.debian.run("install", "-d", "-o", "kitbag", "-g", "kitbag", place)
        command = ["chroot", "--userspec=kitbag:kitbag", self.debian.root, "env", "-i", "sh", "-c",
                   f"cd {place} && exec /usr/bin/kitbag record --from demo://"]
        recorder = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        folder = self.debian.root / place.lstrip("/")
        deadline = time.monotonic() + 20
        while not any(f.stat().st_size > 1 << 16 for f in folder.iterdir()):
            self.assertLess(time.monotonic(), deadline, "nothing is recorded")
            time.sleep(0.05)
        recorder.terminate()
        self.assertEqual(recorder.wait(20), 0)
        names = [file.name for file in folder.iterdir()]
        self.assertEqual(len(names), 1)
        self.assertTrue(names[0].endswith(".mcap"), names)
        self.debian.run("kitbag", "check", f"{place}/{names[0]}")

    def test_z_nothing_stays(self):
        """But recordings; when these are gone, too, nothing at all."""
        state = self.debian.root / "var/lib/kitbag"
        (state / "other").mkdir(parents=True)
        (state / "other/kept.bag").write_bytes(b"")
        self.debian.run("systemctl", "enable", "kitbag-serve", "kitbag-record@demo")
        self.debian.apt("purge", *self.names)
        self.assertTrue((state / "other/kept.bag").exists())
        self.assertIn("kitbag:", (self.debian.root / "etc/passwd").read_text())
        shutil.rmtree(state)
        again = ("kitbag", "kitbag-server", "libkitbag0")
        self.debian.apt("install", *(f"/packages/{package.name}" for package in PACKAGES
                                     if package.name.split("_")[0] in again))
        self.debian.apt("purge", *again)
        self.assertEqual(sorted(f for f in self.debian.files() if "kitbag" in f), [])
        for file in ("passwd", "group", "shadow", "gshadow"):
            self.assertNotIn("kitbag", (self.debian.root / "etc" / file).read_text(), file)


if __name__ == "__main__":
    main()
