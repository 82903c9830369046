import { expect, test } from "vitest";

import { columnsOf, countIn, mostOf, partsFor, ratesOf, usualPeriod } from "./heat";

const steady = { start: 0, part: 1, counts: new Array<number>(20).fill(10) };

test("columns share out what the parts have", () => {
  const counts = { start: 0, part: 2, counts: [4, 0, 8] };
  expect([...columnsOf([counts], { start: 0, end: 6 }, 3)]).toEqual([4, 0, 8]);
  expect([...columnsOf([counts], { start: 0, end: 6 }, 6)]).toEqual([2, 2, 0, 0, 4, 4]);
  expect([...columnsOf([counts], { start: 1, end: 5 }, 2)]).toEqual([2, 4]);
  expect([...columnsOf([counts], { start: -2, end: 8 }, 5)]).toEqual([0, 4, 0, 8, 0]);
  expect(countIn([counts], { start: 0, end: 6 })).toBe(12);
});

test("the usual rate is 1, to the very edges", () => {
  for (const range of [{ start: 0, end: 20 }, { start: 5, end: 6 }]) {
    for (const rate of ratesOf([steady], 0.1, range, 40)) expect(rate).toBeCloseTo(1);
  }
});

test("a silent topic has no rate, and half of its messages are half of its rate", () => {
  const counts = Array.from({ length: 20 }, (_, i) => (i >= 8 && i < 12 ? 0 : i >= 16 ? 5 : 10));
  const rates = ratesOf([{ start: 0, part: 1, counts }], 0.1, { start: 0, end: 20 }, 20);
  expect(rates[9]).toBeCloseTo(0);
  expect(rates[10]).toBeCloseTo(0);
  expect(rates[4]).toBeCloseTo(1);
  expect(rates[18]).toBeCloseTo(0.5);
});

test("what comes once in a column is no burst", () => {
  const counts = Array.from({ length: 200 }, (_, i) => (i % 10 === 5 ? 1 : 0));
  for (const rate of ratesOf([{ start: 0, part: 0.1, counts }], 1, { start: 5, end: 15 }, 100)) {
    expect(rate).toBeCloseTo(1, 0);
  }
});

test("outside the bag there is nothing", () => {
  expect(ratesOf([steady], 0.1, { start: -4, end: 0 }, 4)[0]).toBe(0);
});

test("the longest delay of a column stands for it", () => {
  const most = mostOf([0.5, 0.6, 2.5, 9], [0.1, 0.3, NaN, 7], { start: 0, end: 4 }, 4);
  expect([...most]).toEqual([0.3, NaN, NaN, NaN]);
});

test("who looks closer gets finer parts, up to what the server makes", () => {
  expect(partsFor({ start: 0, end: 20 }, 20, 1200, 12)).toBe(500);
  expect(partsFor({ start: 0, end: 4 }, 20, 1200, 12)).toBe(2500);
  expect(partsFor({ start: 0, end: 0.1 }, 20, 1200, 12)).toBe(10_000);
  expect(partsFor({ start: 0, end: 0.1 }, 20, 1200, 200)).toBe(1000);
  expect(partsFor({ start: 0, end: 0.1 }, 20, 1200, 5000)).toBe(500);
});

test("of what comes in bursts, the usual period is not that within a burst", () => {
  expect(usualPeriod(0.02, 800, 20)).toBe(0.02);
  expect(usualPeriod(0.0001, 800, 20)).toBe(0.025);
  expect(usualPeriod(undefined, 2, 20)).toBeUndefined();
});
