#!/usr/bin/env python3
"""README.md: every command behind a $ runs, and prints what it is said to print."""

import os
import re
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path

from cli import main
from peers import ROOT, program

PORT = "7913"
TABS = re.compile(r"\t+")
# What differs from one run to the next: how long it took, and whether a player was late.
TAKEN = re.compile(r", (\d+h )?(\d+m )?[\d.]+ ?s$")
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


def commands_and_output(block):
    """The lines of a block that are typed, with those that continue them; and the others."""
    commands, output, is_continued = [], [], False
    for line in block:
        if line.startswith("$ ") or is_continued:
            commands.append(line.removeprefix("$ "))
            is_continued = line.endswith("\\")
        else:
            output.append(line)
    return commands, output


def comparable(line):
    return TAKEN.sub(", TAKEN", LATE.sub("", TABS.sub("  ", line.rstrip())))


def pattern(output):
    """An expression for `output`, in which ... stands for anything."""
    lines = "\n".join(comparable(line) for line in output)
    return re.escape(lines).replace(re.escape("..."), "(?s:.*)")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


class ReadmeTest(unittest.TestCase):
    def test_the_tour(self):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        tour = text.partition("\n## A tour\n")[2].partition("\n## ")[0]
        tried = 0
        port = free_port()
        path = f"{Path(program()).resolve().parent}:{os.environ['PATH']}"
        with tempfile.TemporaryDirectory() as folder:
            for block in blocks(tour):
                commands, output = commands_and_output(block)
                if not commands:
                    continue
                script = "\n".join([*commands, "wait"]).replace(PORT, port)
                done = subprocess.run(
                    ["bash", "-c", script], check=False, cwd=folder, text=True, timeout=120,
                    env={**os.environ, "PATH": path},
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                printed = "\n".join(comparable(line) for line in done.stdout.splitlines() if line)
                with self.subTest(commands=commands):
                    self.assertRegex(printed, rf"\A{pattern(output)}\Z")
                tried += 1
        self.assertGreater(tried, 15)


if __name__ == "__main__":
    main()
