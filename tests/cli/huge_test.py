#!/usr/bin/env python3
"""Bags of a terabyte, most of it holes: a million chunks are opened and asked, not read."""

import json

from cli import CliTest, main  # first: it tells where the folder of support is

import huge_bag
from peers import need


class HugeTest(CliTest):
    def setUp(self):
        super().setUp()
        self.bags = []
        for extension, write in huge_bag.WRITERS.items():
            self.bags.append(self.path("huge" + extension))
            try:
                write(self.bags[-1])
            except OSError as error:
                need(False, f"no file of a terabyte here: {error}", "terabyte")

    def expected(self, chunks):
        return [(time, f"{chunk}.{i}") for chunk in chunks
                for i, time in enumerate(huge_bag.times_of(chunk))]

    def test_what_is_asked_for_is_found(self):
        middle = huge_bag.BODIES[0]
        for bag in self.bags:
            info = self.info(bag)
            self.assertEqual((info["messages"], info["chunks"], info["compression"]),
                             (huge_bag.CHUNKS * huge_bag.MESSAGES, huge_bag.CHUNKS, "none"))
            self.assertGreater(info["size_bytes"], 10**12)
            start = huge_bag.times_of(middle)[0] / 1e9
            one_second = self.messages(bag, "--start", f"{start:.9f}", "--duration", "1s")
            self.assertEqual([(each["log_time_ns"], each["data"]["data"]) for each in one_second],
                             self.expected(range(middle, middle + 10)))
            for n in (0, 3, 157):
                place = middle * huge_bag.MESSAGES + n
                line = json.loads(self.kitbag("nth", bag, "/a", str(place)))
                self.assertEqual(line["data"]["data"], f"{middle + n // 8}.{n % 8}")
            from_end = (huge_bag.CHUNKS - middle) * huge_bag.MESSAGES
            line = json.loads(self.kitbag("nth", bag, "/a", str(-from_end)))
            self.assertEqual(line["data"]["data"], f"{middle}.0")


if __name__ == "__main__":
    main()
