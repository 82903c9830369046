"""What the tests of the program share: a folder with small bags, and running kitbag in it."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from make_bag import BagFile, make_bag, u32  # noqa: E402
from peers import main, program  # noqa: E402

__all__ = ["BagFile", "CliTest", "START_NS", "SELECTIONS", "VERBS", "WRITING_VERBS", "main", "u32"]

START_NS = 1_700_000_000 * 10**9  # 2023-11-14T22:13:20Z
WRITING_VERBS = ("convert", "filter", "cut", "merge", "split", "compress", "decompress", "sort",
                 "encrypt", "decrypt")
VERBS = ("record", "play", "pipe", "topics", "publish", "serve", "control", "upload", "view",
         "find", "catalog", "ls", "cp", "batch", "info", "cat", "head", "tail", "export",
         "import", "plot", "echo", "nth", "sql", "list", "types", "du", "stats", "get", "add",
         "diff", "check", "repair", "reindex", "recover", "rosbag", "bag", "mcap", "rostopic",
         "topic", *WRITING_VERBS)

# Options that select, and how many of run.bag's 300 messages they leave: three topics in turn,
# one message every 10 ms, the last at +2.99 s.
SELECTIONS = {
    "--topics": [(["--topics", "/tick"], 100), (["--topics", "/c*", "/tick"], 300),
                 (["--topics", "/tick", "--topics", "/count"], 200), (["--topics=/co[a-u]nt"], 100),
                 (["--topics", "[/]coun[t]"], 100)],
    "--regex": [(["--regex", "/c.*"], 200), (["--regex", "/c", "/t(i|a)ck"], None),
                (["--regex", "/t(i|a)ck", "/co[^x]nt"], 200)],
    "--exclude": [(["--exclude", "/c*"], 100), (["--exclude", "/chatter", "/c*"], 100)],
    "--exclude-regex": [(["--exclude-regex", "/t.*"], 200),
                        (["--exclude-regex", "/t.*", "/cou.*"], 100)],
    "--services": [(["--services", "/add"], None),
                   (["--services", "*", "--topics", "/tick"], None)],
    "--exclude-services": [(["--exclude-services", "/add"], None)],
    "--actions": [(["--actions", "/dock"], None)],
    "--exclude-actions": [(["--exclude-actions", "/dock,/arm"], None)],
    "--types": [(["--types", "std_msgs/Int32"], 100), (["--types", "std_msgs/[ES]*"], 200)],
    "--start": [(["--start", "+1s"], 200), (["--start", "-500ms"], 51),
                (["--start=-500ms"], 51), (["--start", "1700000001.5"], 150),
                (["--start", "2023-11-14T22:13:21Z"], 200), (["--start", "-1h"], 300)],
    "--end": [(["--end", "+1s"], 100), (["--end", "-1s"], 199), (["--end", "-0s"], 299),
              (["--start", "+1s", "--end", "+1010ms"], 1)],
    "--duration": [(["--duration", "500ms"], 50), (["--start", "+1s", "--duration", "1s"], 100),
                   (["--end", "-1s", "--duration", "1s"], 100)],
    "--latched": [(["--latched", "--start", "+1s"], 200)],
    "--count": [(["--count", "7"], 7), (["--count", "0"], 0), (["--count", "1000"], 300)],
    "--order": [(["--order", "time"], 300), (["--order", "reverse_time", "--count", "5"], 5),
                (["--order", "file"], 300)],
    "--by": [(["--by", "log_time", "--start", "+1s"], 200), (["--by", "publish_time"], 300)],
    "--strict": [(["--strict"], 300)],
}


class CliTest(unittest.TestCase):
    """A folder of its own for each test, with run.bag in it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.bag = self.path("run.bag")
        make_bag(self.bag, start_ns=START_NS)

    def path(self, name):
        return str(self.folder / name)

    def files(self):
        return sorted(file.name for file in self.folder.iterdir())

    def run_program(self, *arguments, **more):
        """The finished process; its streams are text unless `text=False`."""
        options = {"capture_output": True, "text": True, "cwd": self.folder, "timeout": 120, **more}
        if "stdout" in options:
            options.update(capture_output=False, stderr=subprocess.PIPE)
        return subprocess.run([program(), *map(str, arguments)], check=False, **options)

    def kitbag(self, *arguments, code=0, **more):
        """Standard output of a run that ends with `code` and says nothing on standard error."""
        done = self.run_program(*arguments, **more)
        self.assertEqual((done.returncode, done.stderr[:1000]), (code, done.stderr[:0]), arguments)
        return done.stdout

    def fails(self, *arguments, saying, code=2, **more):
        """A run that ends with one line on standard error in which `saying` is found."""
        done = self.run_program(*arguments, **more)
        self.assertEqual(done.returncode, code, (arguments, done.stderr))
        self.assertRegex(done.stderr, r"\Akitbag: [^\n]+\n\Z", arguments)
        self.assertRegex(done.stderr, saying)
        return done

    def info(self, bag):
        return json.loads(self.kitbag("info", "--json", bag))

    def messages(self, *arguments):
        return [json.loads(line) for line in self.kitbag("cat", *arguments).splitlines()]

    def digest(self, *arguments):
        return self.kitbag("cat", "--format", "digest", *arguments)

    def cut_off(self, name, size=None):
        """A copy of run.bag that ends too early."""
        whole = Path(self.bag).read_bytes()
        Path(self.path(name)).write_bytes(whole[:size or len(whole) * 6 // 10])
        return self.path(name)
