#!/usr/bin/env python3
"""The summary of the benchmarks says what results.json says, and its chart what its table says."""

import json
import sys
import unittest
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests/support")]

import groups  # noqa: E402
import peers  # noqa: E402
import results  # noqa: E402
import summary  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


def row(work="rosbag write", metric="throughput", value=10.0, peer=None, ratio=None, **more):
    return {"work": work, "metric": metric, "unit": "MB/s", "value": value, "peer": peer,
            "peer_value": value / ratio if ratio else None, "ratio": ratio, "target": None,
            "met": None, **more}


class Results(unittest.TestCase):
    def test_the_files_are_made_from_the_json(self):
        result = json.loads(results.RESULTS.read_text())
        rows = list(summary.choose(result["rows"], results.chosen()))
        self.assertEqual(results.CHART.read_text(), summary.chart(rows))
        self.assertEqual(results.TABLE.read_text(),
                         summary.table(result["machine"], rows, results.CHART.name))

    def test_a_summary_has_about_forty_rows_that_are_measured(self):
        chosen = results.chosen()
        self.assertEqual(len(chosen), len(set(chosen)))
        self.assertLess(len(chosen), 45)
        for group in groups.GROUPS.values():
            for work in group.work():
                if work.summary:
                    self.assertIn(work.summary, work.metrics, work.name)


class Rows(unittest.TestCase):
    def test_less_time_is_better(self):
        self.assertEqual(summary.advantage(row(ratio=4.0)), 4)
        self.assertEqual(summary.advantage(row(metric="wall time", ratio=0.25)), 4)
        self.assertIsNone(summary.advantage(row()))

    def test_of_several_peers_the_best_is_shown(self):
        rows = [row(peer="slow", ratio=10.0), row(peer="fast", ratio=2.0), row(work="other")]
        key = ("rosbag write", "throughput")
        self.assertEqual([each["peer"] for each in summary.choose(rows, [key])], ["fast"])
        self.assertEqual(list(summary.choose(rows, [("absent", "throughput")])), [])

    def test_the_chart_has_a_bar_for_each_peer_and_escapes_names(self):
        rows = [row(work="a < b", peer="x & y", ratio=8.0), row(work="no peer"),
                row(work="behind", peer="z", ratio=0.2, limit=True)]
        tree = ElementTree.fromstring(summary.chart(rows))
        bars = [group.find(f"{SVG}rect").attrib for group in tree.iter(f"{SVG}g")]
        self.assertEqual(len(bars), 2)
        ahead, behind = bars
        one = float(ahead["x"])
        self.assertAlmostEqual(float(behind["x"]) + float(behind["width"]), one, places=0)
        self.assertNotEqual(ahead["fill"], behind["fill"])
        titles = [title.text for title in tree.iter(f"{SVG}title")]
        self.assertEqual(titles[0], "a < b: throughput, x & y")

    def test_a_missed_target_is_explained(self):
        missed = row(target="value >= 20", met=False, why="it is slow")
        text = summary.table({"cores": 2}, [missed], "results.svg")
        self.assertIn("(missed)", text)
        self.assertIn("it is slow", text)


if __name__ == "__main__":
    peers.main()
