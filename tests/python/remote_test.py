#!/usr/bin/env python3
"""Bags on a web server, opened by their address."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from peers import need, program  # noqa: E402
from python_package import FolderTest, kitbag, make_demo  # noqa: E402
from range_server import RangeServer  # noqa: E402


class Remote(FolderTest):
    modules = ()

    def test_a_url_is_opened(self):
        plugin = Path(program()).resolve().parent / "plugins/files_remote.so"
        need(plugin.exists(), "libcurl4-openssl-dev is not installed")
        make_demo(self.folder / "drive.mcap", 10)
        server = RangeServer(self.folder)
        self.addCleanup(server.end)
        with kitbag.open(f"{server.url}/drive.mcap") as bag:
            self.assertEqual(sum(1 for _ in bag.read(topics=["/odom"])), 500)
            self.assertEqual(len(bag["/battery"]), 10)


if __name__ == "__main__":
    peers.main()
