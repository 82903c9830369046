"""The Python package of this build, for the tests: `from python_package import kitbag`, and what
tests of it share."""

import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from examples import BUILD
from peers import kitbag as program
from peers import need

FOLDER = BUILD / "python"
sys.path.insert(0, str(FOLDER))

is_built = any((FOLDER / "kitbag").glob("_kitbag*.so"))
kitbag = importlib.import_module("kitbag") if is_built else None


def need_package(*modules):
    """Also modules of Debian that a test uses: "numpy"."""
    need(kitbag, "the Python module is not built (pybind11-dev, python3-dev)")
    for name in modules:
        need(importlib.util.find_spec(name), f"python3-{name} is not installed")


def python(*arguments, **more):
    """A Python that finds the package, as a running process."""
    return subprocess.Popen([sys.executable, "-B", *map(str, arguments)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "PYTHONPATH": str(FOLDER)}, **more)


def mypy(folder, *arguments):
    """What it says of these files, which import the package. Its cache is in the folder. It loads
    nothing of ours: under AddressSanitizer, which Python has by LD_PRELOAD, it goes without."""
    environment = {**os.environ, "MYPYPATH": str(FOLDER)}
    for name in ("LD_PRELOAD", "PYTHONMALLOC"):
        environment.pop(name, None)
    done = subprocess.run(["mypy", "--cache-dir", folder / "cache", *arguments], env=environment,
                          cwd=folder, capture_output=True, text=True)
    return done.stdout + done.stderr


def make_demo(path, seconds, *options):
    """Makes a bag of the simulated robot and returns its path."""
    program("convert", f"demo://?seconds={seconds}&seed=7", path, *options)
    return path


class PackageTest(unittest.TestCase):
    """Has a folder, for all tests of a class."""

    modules = ("numpy",)

    @classmethod
    def setUpClass(cls):
        need_package(*cls.modules)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)

    def in_child(self, work):
        """What `work` returns there, as text."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                text = str(work())
            except Exception as error:
                text = f"{type(error).__name__}: {error}"
            os.write(writing, text.encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as file:
            text = file.read()
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        return text

    def assert_ctrl_c_ends(self, calls):
        """Calls of the package print "ready" and go on until there is a KeyboardInterrupt."""
        child = python("-c", f"import kitbag\n{calls}", cwd=self.folder)
        self.addCleanup(child.kill)
        self.assertEqual(child.stdout.readline(), "ready\n")
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=60)
        self.assertIn("KeyboardInterrupt", said)


class FolderTest(PackageTest):
    """Has an empty folder for each test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=type(self).folder)
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
