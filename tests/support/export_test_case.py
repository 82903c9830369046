"""What tests of exports share: bags of messages, and `kitbag export` of them."""

import shutil
import subprocess

from peers import program
from python_package import FolderTest, kitbag

START = 1_700_000_000_123_456_789


class ExportTest(FolderTest):
    """Writes into `self.out`."""

    modules = ("numpy",)

    def export(self, bag, format_, *options, code=0):
        self.out = self.folder / format_
        shutil.rmtree(self.out, ignore_errors=True)
        done = subprocess.run([program(), "export", bag, "-o", self.out, "--format", format_,
                               *map(str, options)], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def bag(self, type_, *messages, name="x.bag", topic="/x"):
        """Messages that are a nanosecond apart."""
        path = self.folder / name
        with kitbag.create(path, replace=True) as writer:
            for i, message in enumerate(messages):
                writer.write(topic, message, START + i, type=type_)
        return path
