import { expect, test } from "vitest";

import { quietStretches, skipsOf } from "./quiet";

/** Parts of five seconds. */
const counts = (start: number, ...each: number[]) => ({ start, part: 5, counts: each });

test("where no topic has a message for long", () => {
  const all = [counts(0, 9, 0, 0, 0, 2, 0, 1, 0, 0, 0)];
  expect(quietStretches(all, 48)).toEqual([
    { start: 5, end: 20 },
    { start: 35, end: 48 },
  ]);
});

test("what one bag has is not quiet in another one, and nothing is between them", () => {
  const first = counts(0, 1, 0, 0, 0, 0, 1);
  const second = counts(10, 1, 1);
  const third = counts(100, 1);
  expect(quietStretches([first, second, third], 105)).toEqual([{ start: 30, end: 100 }]);
});

test("a bag that says nothing, and one without messages at its start", () => {
  expect(quietStretches([], 5)).toEqual([]);
  expect(quietStretches([counts(0, 0, 0, 0, 7)], 20)).toEqual([{ start: 0, end: 15 }]);
});

test("both ends of a stretch are played", () => {
  expect(skipsOf([{ start: 5, end: 20 }])).toEqual([{ start: 5.5, end: 19.5 }]);
});
