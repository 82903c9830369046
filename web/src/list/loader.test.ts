import { expect, test } from "vitest";

import type { Bag } from "../api";
import { renewed } from "./loader";

const bags = (names: string) =>
  [...names].map((filename): Bag => ({ filename, size_bytes: 1, end: "" }));
const named = (list: Bag[]) => list.map((bag) => bag.filename).join("");

test("a first page that comes again moves those behind it", () => {
  expect(named(renewed(bags("xab"), bags("abcdef")))).toBe("xabcdef");
  expect(named(renewed(bags("abc"), bags("abcdef")))).toBe("abcdef");
});

test("what has gone goes", () => {
  expect(named(renewed(bags("acd"), bags("abcdef")))).toBe("acdef");
});

test("where nothing is the same, the rest is asked for again", () => {
  expect(named(renewed(bags("xyz"), bags("abcdef")))).toBe("xyz");
});
