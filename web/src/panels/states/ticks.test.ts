import { expect, test } from "vitest";

import { ticks } from "./ticks";

test("ticks", () => {
  const times = (start: number, end: number, width: number) =>
    ticks({ start, end }, width).map((each) => each.time);
  expect(times(0, 20, 500)).toEqual([5, 10, 15]);
  expect(times(0, 86400, 400)).toEqual([21600, 43200, 64800]);
  expect(ticks({ start: 1, end: 1.5 }, 400)[0]).toEqual({ time: 1.1, digits: 1 });
  expect(times(0, 20, 10)).toEqual([]);
});
