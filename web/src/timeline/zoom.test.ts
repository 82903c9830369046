import { expect, test } from "vitest";

import { isWhole, labelStep, panned, pinched, wholeOf, zoomed } from "./zoom";

const whole = wholeOf(100);

test("the instant under the pointer stays where it is", () => {
  const view = zoomed(whole, 0.5, 20, 100);
  expect(view).toEqual({ start: 10, end: 60 });
  expect((20 - view.start) / (view.end - view.start)).toBeCloseTo(0.2);
});

test("nothing before the start or after the end is shown", () => {
  expect(zoomed(whole, 3, 50, 100)).toEqual(whole);
  expect(panned({ start: 10, end: 30 }, -50, 100)).toEqual({ start: 0, end: 20 });
  expect(panned({ start: 10, end: 30 }, 500, 100)).toEqual({ start: 80, end: 100 });
  const least = zoomed(whole, 1e-9, 50, 100);
  expect(least.end - least.start).toBeCloseTo(0.05);
});

test("what is under two fingers follows them", () => {
  const view = pinched({ start: 0, end: 50 }, [0.4, 0.6], [0.2, 0.6], 100);
  expect(view.end - view.start).toBeCloseTo(25);
  expect(view.start + 0.2 * 25).toBeCloseTo(20);
  expect(view.start + 0.6 * 25).toBeCloseTo(30);
});

test("fingers that meet do not divide by nothing", () => {
  const view = pinched({ start: 0, end: 50 }, [0.5, 0.5], [0.5, 0.5], 100);
  expect(view).toEqual({ start: 0, end: 50 });
});

test("a bag of one instant has a view, too", () => {
  expect(wholeOf(0).end).toBeGreaterThan(0);
  expect(isWhole(wholeOf(0), 0)).toBe(true);
  expect(isWhole({ start: 0, end: 50 }, 100)).toBe(false);
});

test("labels are where people expect them", () => {
  expect(labelStep(20, 10)).toBe(2);
  expect(labelStep(600, 10)).toBe(60);
  expect(labelStep(0.3, 8)).toBeCloseTo(0.05);
  expect(labelStep(10 * 86400, 5)).toBe(2 * 86400);
});
