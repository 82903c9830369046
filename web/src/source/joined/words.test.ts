import { expect, test } from "vitest";

import { aboutText, gapsBetween, placed, spansOf } from "./words";

test("times as people say them", () => {
  expect([0.25, 12.34, 89, 90, 3600, 86_400, 200_000, 1e9].map(aboutText)).toEqual([
    ...["0.25 s", "12 s", "89 s", "2 minutes", "60 minutes", "24 hours", "2 days", "32 years"],
  ]);
});

test("where each bag stands among the others", () => {
  const span = (title: string, start: number, end: number) => ({ title, start, end });
  const spans = [span("c", 8, 9), span("a", 0, 10), span("b", 200_000, 200_005)];
  expect(placed(spans).map(({ span: { title }, place }) => `${title} ${place}`)).toEqual([
    "a begins first",
    "c begins within a, 1 s are in both",
    "b begins 2 days after the end of a",
  ]);
  expect(gapsBetween(spans)).toEqual([{ start: 10, end: 200_000 }]);
  expect(gapsBetween([])).toEqual([]);
});

test("of a bag alone there is nothing to say", () => {
  expect(spansOf({ origin: 5n })).toEqual([]);
});
