#!/usr/bin/env python3
"""README.md and pages of docs: every command behind a $ runs, and prints what it is said to print.

A line that is only ... stands for any lines, and ... within a line for any text in that line.
Nothing else differs but the time that a command took, by the patterns TAKEN and LATE; and the order
of the lines where a command is in the background, as two programs then write at their own pace."""

import itertools
import os
import re
import shlex
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

from cli import main
from peers import ROOT, program

PORT = "7913"
DRIVE = "demo://?seconds=10&seed=7"
# Pages whose examples read drive.bag of the README, with the words of commands that do not run
# everywhere: other programs, what only a part of all machines has.
PAGES = {
    "find.md": [],
    "text.md": [],
    "expressions.md": [],
    "plot.md": [],
    "import.md": [],
    "sql.md": ["sqlite3", "--engine duckdb", "--catalog"],
}
TABS = re.compile(r"\t+")
# What differs from one run to the next: how long it took, and whether a player was late.
TAKEN = re.compile(r", \d+\.\d\d s(?=$|; the original is )|(?<= payload), (\d+m )?[\d.]+s$")
LATE = re.compile(r"; [\d,]+ late by more than [^\n]*")


def blocks(text):
    """The indented paragraphs of `text`, without their indent. An empty line ends one if a command
    follows, or text; not within output."""
    block = []
    for line in [*text.splitlines(), "end"]:
        is_code = line.startswith("    ")
        if block and (line and not is_code or line.startswith("    $ ") and not block[-1]):
            yield [each for each in block if each]
            block = []
        if is_code or block:
            block.append(line[4:])


def pages_blocks(text):
    """The same, also of those in lists, which are indented further."""
    for block in blocks(text):
        indent = min(len(line) - len(line.lstrip()) for line in block) if block else 0
        yield [line[indent:] for line in block]


def goes_on(command):
    """A line is to follow: behind a backslash, or within quotes."""
    if command.endswith("\\"):
        return True
    try:
        shlex.split(command)
    except ValueError:
        return True
    return False


def commands_and_output(block):
    """The lines of a block that are typed, with those that continue them; and the others."""
    commands, output = [], []
    for line in block:
        if commands and goes_on(commands[-1]):
            commands[-1] += "\n" + line
        elif line.startswith("$ "):
            commands.append(line.removeprefix("$ "))
        else:
            output.append(line)
    return commands, output


def comparable(line):
    return TAKEN.sub(", TAKEN", LATE.sub("", TABS.sub("  ", line.rstrip())))


def pattern(output):
    """An expression for `output`, in which ... stands for anything."""
    lines = [re.escape(comparable(line)).replace(re.escape("..."), "[^\n]*") for line in output]
    return "\n".join("(?s:.*)" if line == "[^\n]*" else line for line in lines)


def patterns(commands, output):
    """An expression for each order in which the lines of `output` may come."""
    together = any(command.endswith(" &") for command in commands)
    orders = itertools.permutations(output) if together else [output]
    return [pattern(lines) for lines in orders]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


class TranscriptsTest(unittest.TestCase):
    def setUp(self):
        self.port = free_port()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def run_script(self, script):
        path = f"{Path(program()).resolve().parent}:{os.environ['PATH']}"
        return subprocess.run(
            ["bash", "-c", script], check=False, cwd=self.folder, text=True, timeout=120,
            env={**os.environ, "PATH": path}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def try_all(self, all_blocks, excused=()):
        """Runs what is typed in each block, in order. Returns how many there were."""
        tried = 0
        for block in all_blocks:
            commands, output = commands_and_output(block)
            script = "\n".join([*commands, "wait"]).replace(PORT, self.port)
            if not commands or any(word in script for word in excused):
                continue
            done = self.run_script(script)
            printed = "\n".join(comparable(line) for line in done.stdout.splitlines() if line)
            with self.subTest(commands=commands):
                expected = "|".join(patterns(commands, output))
                self.assertRegex(printed, rf"\A(?:{expected})\Z")
            tried += 1
        return tried

    def test_the_tour(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        tour = text.partition("\n## A tour\n")[2].partition("\n## ")[0]
        self.assertGreater(self.try_all(blocks(tour)), 25)

    def test_pages(self):
        self.run_script(f"kitbag convert '{DRIVE}' drive.bag")
        for page, excused in PAGES.items():
            text = (ROOT / "docs" / page).read_text(encoding="utf-8")
            self.assertGreater(self.try_all(pages_blocks(text), excused), 1, page)

    def test_a_line_that_differs_is_seen(self):
        self.assertNotRegex("a 1 b\nc", rf"\A{pattern(['a 2 b', 'c'])}\Z")
        self.assertNotRegex("a\nb\nc", rf"\A{pattern(['a...', 'c'])}\Z")
        self.assertRegex("a\nb\nc", rf"\A{pattern(['a', '...', 'c'])}\Z")
        self.assertEqual(patterns(["x"], ["a", "b"]), ["a\nb"])
        self.assertEqual(patterns(["x &", "y"], ["a", "b"]), ["a\nb", "b\na"])
        fast, slow, other = map(comparable, ("2 messages, 0.05 s", "2 messages, 1.20 s",
                                             "3 messages, 0.05 s"))
        self.assertEqual(fast, slow)
        self.assertNotEqual(fast, other)


if __name__ == "__main__":
    main()
