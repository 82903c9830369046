#!/usr/bin/env python3
"""kitbag.convert(), record() and play(): what they do is what the program does, and what is raised
meanwhile ends them."""

import contextlib
import io
import sys
import threading
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from peers import kitbag as program  # noqa: E402
from peers import main  # noqa: E402
from python_package import FolderTest, kitbag, make_demo  # noqa: E402


class Flow(FolderTest):
    def setUp(self):
        super().setUp()
        self.bag = make_demo(self.folder / "demo.bag", 2)

    def test_convert(self):
        ours, theirs = self.folder / "ours.mcap", self.folder / "theirs.mcap"
        seen = []
        done = kitbag.convert(self.bag, ours, ["/odom", "/tf*"], start="+1s", encoding="cdr",
                              compression="zstd", progress=lambda *s: seen.append(s))
        program("convert", self.bag, theirs, "--topics", "/odom", "/tf*", "--start", "+1s",
                "--encoding", "cdr")
        program("diff", ours, theirs)
        self.assertEqual(done["messages"], len(kitbag.open(ours)))
        self.assertEqual(seen[-1], (done["messages"], len(kitbag.open(self.bag))))
        with self.assertRaises(kitbag.Error):
            kitbag.convert(self.bag, ours)  # exists
        with kitbag.open(self.bag) as bag:
            kitbag.convert(bag, ours, replace=True)
        program("diff", self.bag, ours)

    def test_progress_is_a_line(self):
        def shown(is_notebook):
            said = io.StringIO()  # as of a log, or a notebook: no terminal
            modules = {"ipykernel": sys} if is_notebook else {}
            with mock.patch.dict(sys.modules, modules), contextlib.redirect_stderr(said):
                kitbag.convert(self.bag, self.folder / "x.mcap", replace=True, progress=True)
                kitbag.record("demo://", self.folder / "y.mcap", ["/imu"], limit=2, replace=True,
                              progress=True)
            return said.getvalue()

        total = f"{len(kitbag.open(self.bag)):,}"
        last = f"{total} of {total} messages\n"
        self.assertTrue(shown(False).startswith(last))
        self.assertNotIn("\r", shown(False))
        self.assertIn("\r" + last, shown(True))
        self.assertTrue(shown(True).endswith(" messages\n"))

    def test_two_recordings_of_one_directory(self):
        today = self.folder / "today"
        for seed in (1, 2):
            kitbag.record(f"demo://?seconds=0.2&seed={seed}", today, ["/imu"], join=True)
        with kitbag.open(today) as bag:
            self.assertEqual(len(bag), 40)
        self.assertEqual(len(list(today.glob("today_*_0.mcap"))), 2)
        with self.assertRaises(kitbag.Error):
            kitbag.record("demo://", self.folder / "x.mcap", join=True)

    def test_an_exception_of_the_progress_ends_a_conversion(self):
        target = self.folder / "never.mcap"

        def stop(*_):
            raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            kitbag.convert("demo://?seconds=1000000", target, progress=stop)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["demo.bag"])

    def test_ctrl_c_ends_a_conversion(self):
        self.assert_ctrl_c_ends("kitbag.convert('demo://?seconds=1000000', 'x.mcap', "
                                "progress=lambda *_: print('ready', flush=True))")
        self.assertEqual([p.name for p in self.folder.iterdir()], ["demo.bag"])

    def test_ctrl_c_completes_a_recording(self):
        self.assert_ctrl_c_ends("kitbag.record('demo://', 'x.mcap', "
                                "progress=lambda s: s['messages'] and print('ready', flush=True))")
        self.assertGreater(len(kitbag.open(self.folder / "x.mcap", strict=True)), 0)

    def test_what_is_played_is_recorded(self):
        address = f"zmq+ipc://{self.folder}/socket"
        recorded = self.folder / "recorded.mcap"
        states = []
        listens = threading.Event()
        recorder = threading.Thread(target=lambda: states.append(
            kitbag.record(f"{address}?bind=1&once=1", recorded,
                          progress=lambda _: listens.set())))
        recorder.start()
        self.assertTrue(listens.wait(60))
        played = kitbag.play(self.bag, address, ["/odom", "/imu"], rate=20)
        recorder.join(60)
        self.assertEqual(played["messages"], 300)
        self.assertEqual(states[0]["messages"], 300)
        self.assertEqual(states[0]["files"], [str(recorded)])
        program("diff", "--ignore-time", self.bag, recorded, "--topics", "/odom", "/imu")

    def test_a_recording_ends_when_it_is_told_to(self):
        target = self.folder / "x.mcap"
        state = kitbag.record("demo://", target, ["/imu"], progress=lambda s: s["messages"] < 1)
        self.assertEqual(state["messages"], len(kitbag.open(target)))
        state = kitbag.record("demo://", self.folder / "y.mcap", ["/imu"], limit=2)
        self.assertEqual(state["messages"], 2)


if __name__ == "__main__":
    main()
