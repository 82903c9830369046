import { expect, test } from "vitest";

import { equalScales, extentOf, tickText, ticksOf, timeTicksOf, zoomed } from "./scale";

test("what contains all values", () => {
  expect(extentOf([[0, null, 100], [50]])).toEqual({ min: -6, max: 106 });
  expect(extentOf([[5]])).toEqual({ min: 4.5, max: 5.5 });
  expect(extentOf([[0]])).toEqual({ min: -1, max: 1 });
  expect(extentOf([[null], []])).toEqual({ min: 0, max: 1 });
});

test("ticks are numbers that people count by", () => {
  expect(ticksOf({ min: -0.3, max: 1 }, 5)).toEqual([0, 0.5, 1]);
  expect(ticksOf({ min: 1, max: 1 }, 5)).toEqual([]);
  expect(ticksOf({ min: 0, max: Infinity }, 5)).toEqual([]);
  expect(timeTicksOf({ min: 10, max: 100 }, 4)).toEqual([30, 60, 90]);
  expect(timeTicksOf({ min: 0, max: 10 * 86400 }, 4)).toHaveLength(4);
  const ticks = ticksOf({ min: 0.1, max: 0.11 }, 4);
  expect(ticks.map((each) => tickText(each, ticks))).toEqual(["0.100", "0.105", "0.110"]);
  expect(tickText(2e9, [1e9, 2e9])).toBe("2e+9");
});

test("a zoom keeps its place", () => {
  expect(zoomed({ min: 0, max: 10 }, 0.5, 2)).toEqual({ min: 1, max: 6 });
});

test("a circle is round", () => {
  const [x, y] = equalScales({ min: 0, max: 10 }, { min: 0, max: 10 }, 200, 100);
  expect(x).toEqual({ min: -5, max: 15 });
  expect(y).toEqual({ min: 0, max: 10 });
});
