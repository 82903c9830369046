#!/usr/bin/env python3
"""Limits of a slice: 413 if they are known beforehand, else no answer that looks whole."""

import http.client
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

import peers  # noqa: E402
from bag_folder import InFolder  # noqa: E402
from peers import kitbag  # noqa: E402
from server import Server  # noqa: E402


class Limits(InFolder):
    @classmethod
    def fill(cls):
        kitbag("convert", "demo://?seconds=6&seed=3", cls.folder / "a.bag", "--encoding", "ros1",
               "--chunk-size", "100kB")

    def target(self, more=""):
        known = self.metadata("a.bag")
        return (f"/bags/a.bag/player?start_time={known['start_time']}"
                f"&end_time={known['end_time']}{more}")

    def test_a_slice_that_is_too_large_by_the_index(self):
        with Server(self.folder, "--max-slice-size", "100kB") as server:
            reply = server.ask(self.target())
            self.assertEqual((reply.status, list(reply.json())), (413, ["error"]))
            self.assertEqual(reply.headers["Cache-Control"], "no-store")

    def test_one_that_turns_out_to_be_too_large_is_broken_off(self):
        with Server(self.folder, "--max-slice-size", "1MB") as server:
            for form in "json", "ndjson", "csv", "mcap":
                target = self.target(f"&topics=/camera/image&format={form}")
                with self.subTest(form), self.assertRaises(http.client.IncompleteRead):
                    server.ask(target)
            self.assertEqual(server.ask(self.target("&topics=/battery")).status, 200)

    def test_so_is_one_that_takes_too_long(self):
        with Server(self.folder, "--max-work", "1ms") as server:
            with self.assertRaises(http.client.IncompleteRead):
                server.ask(self.target())


if __name__ == "__main__":
    peers.main()
