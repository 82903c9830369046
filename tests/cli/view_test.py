#!/usr/bin/env python3
"""kitbag view: the page of one bag or of several, in a browser or by its URL."""

import os
import signal
import subprocess
import time
import urllib.request

from cli import CliTest, main
from peers import program


class View(CliTest):
    def start(self, *arguments, path=""):
        process = subprocess.Popen(
            [program(), "view", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env={**os.environ, "PATH": path})
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process, process.stdout.readline().strip()

    def test_prints_the_page_of_a_bag(self):
        self.kitbag("convert", "demo://?seconds=1&seed=3", self.path("a b.bag"))
        process, url = self.start(self.path("a b.bag"), "--no-browser")
        self.assertRegex(url, r"^http://127\.0\.0\.1:\d+/\?bag=a%20b\.bag$")
        with urllib.request.urlopen(url) as reply:
            self.assertIn(b"<title>kitbag", reply.read())
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(10), 0)
        self.assertEqual(process.stderr.read(), "")

    def test_several_bags_are_a_list(self):
        for name in "a.bag", "b.bag":
            self.kitbag("convert", "demo://?seconds=1&seed=3", self.path(name))
        _, url = self.start(self.path("a.bag"), self.path("b.bag"), "--no-browser")
        self.assertRegex(url, r"^http://127\.0\.0\.1:\d+/$")

    def test_opens_a_browser(self):
        self.kitbag("convert", "demo://?seconds=1&seed=3", self.path("a.bag"))
        opener = self.path("xdg-open")
        with open(opener, "w") as script:
            script.write(f'#!/bin/sh\necho "$1" > "{self.path("part")}"\n'
                         f'/bin/mv "{self.path("part")}" "{self.path("opened")}"\n')
        os.chmod(opener, 0o755)
        _, url = self.start(self.path("a.bag"), path=os.path.dirname(opener))
        deadline = time.monotonic() + 10
        while not os.path.exists(self.path("opened")) and time.monotonic() < deadline:
            time.sleep(0.01)
        with open(self.path("opened")) as opened:
            self.assertEqual(opened.read().strip(), url)

    def test_says_if_there_is_no_browser(self):
        self.kitbag("convert", "demo://?seconds=1&seed=3", self.path("a.bag"))
        process, url = self.start(self.path("a.bag"), path=self.path("nothing"))
        self.assertIn("open the URL in a browser", process.stderr.readline())
        with urllib.request.urlopen(url) as reply:
            self.assertEqual(reply.status, 200)

    def test_the_noise_of_the_opener_is_one_sentence(self):
        self.kitbag("convert", "demo://?seconds=1&seed=3", self.path("a.bag"))
        opener = self.path("xdg-open")
        with open(opener, "w") as script:
            script.write("#!/bin/sh\necho firefox: not found >&2\nexit 3\n")
        os.chmod(opener, 0o755)
        process, _ = self.start(self.path("a.bag"), path=os.path.dirname(opener))
        self.assertEqual(process.stderr.readline(),
                         "kitbag: xdg-open found no browser; open the URL in one\n")

    def test_a_bag_that_is_not_there(self):
        self.fails("view", self.path("none.bag"), "--no-browser", saying="none.bag")


if __name__ == "__main__":
    main()
