import { expect, test } from "vitest";

import {
  between,
  loopOf,
  moved,
  NO_MARKS,
  rangeOf,
  readMarks,
  withA,
  withB,
  writeMarks,
  type Marks,
} from "./marks";
import { Pins } from "./pins";

const marks: Marks = { a: 2, b: 5, isLooping: false };

test("one mark is a range to the end of the bag", () => {
  expect(rangeOf(NO_MARKS, 10)).toBeNull();
  expect(rangeOf(withA(NO_MARKS, 3), 10)).toEqual({ start: 3, end: 10 });
  expect(rangeOf(withB(NO_MARKS, 3), 10)).toEqual({ start: 0, end: 3 });
});

test("a mark on the other side of the other one begins another range", () => {
  expect(withA(marks, 4)).toEqual({ ...marks, a: 4 });
  expect(withA(marks, 6)).toEqual({ ...marks, a: 6, b: null });
  expect(withB(marks, 1)).toEqual({ ...marks, a: null, b: 1 });
});

test("a drag goes in either direction, and an end stops at the other one", () => {
  expect(between(NO_MARKS, 7, 3)).toEqual({ a: 3, b: 7, isLooping: false });
  expect(moved(marks, "a", 9).a).toBeCloseTo(4.999);
  expect(moved(marks, "b", 1).b).toBeCloseTo(2.001);
  expect(moved(marks, "b", 7).b).toBe(7);
});

test("what is played again and again", () => {
  expect(loopOf(marks, 10)).toBeNull();
  expect(loopOf({ ...marks, isLooping: true }, 10)).toEqual({ start: 2, end: 5 });
  expect(loopOf({ ...NO_MARKS, isLooping: true }, 10)).toEqual({ start: 0, end: 10 });
});

test("the URL has them, and what makes no sense is left out", () => {
  const query = new URLSearchParams();
  writeMarks({ a: 1.23456, b: 2, isLooping: true }, query);
  expect(query.toString()).toBe("a=1.235&b=2&loop=1");
  expect(readMarks(query)).toEqual({ a: 1.235, b: 2, isLooping: true });
  expect(readMarks(new URLSearchParams("a=x&b=-1&loop=yes"))).toEqual(NO_MARKS);
  expect(readMarks(new URLSearchParams("a=5&b=4"))).toEqual({ ...NO_MARKS, a: 5 });
});

test("the first topics that are shown have rows until somebody chooses", () => {
  const pins = new Pins();
  let told = 0;
  pins.onChange(() => ++told);
  pins.show(["/a", "/b", "/a", "/c", "/d", "/e"]);
  expect(pins.list).toEqual(["/a", "/b", "/c", "/d"]);
  pins.toggle("/b");
  pins.toggle("/z");
  pins.show(["/q"]);
  expect(pins.list).toEqual(["/a", "/c", "/d", "/z"]);
  expect(told).toBe(4);
});
