import { expect, test } from "vitest";

import { catalogQuery } from "./query";

const asked = (search: string, isNewestFirst = true) =>
  [...new URLSearchParams(catalogQuery(search, isNewestFirst))].map(([name, value]) => [
    name,
    value,
  ]);

test("nothing is nothing", () => {
  expect(catalogQuery("  ", true)).toBe("");
  expect(asked("topic: type:")).toEqual([]);
});

test("a place is a parameter", () => {
  expect(asked("topic:/o1,[x type:Tf tag:robot=r7 name:Drive wheel slip")).toEqual([
    ["topics", "*/[oO]1?\\[[xX]*"],
    ["types", "*[tT][fF]*"],
    ["tag", "robot=r7"],
    ["text", "Drive"],
    ["text", "wheel"],
    ["text", "slip"],
  ]);
});

test("what is no place is a word", () => {
  expect(asked("x:y tag:r7 time:soon")).toEqual([
    ["text", "x:y"],
    ["text", "r7"],
    ["text", "time:soon"],
  ]);
});

test("times are those of the clock on the wall", () => {
  const at = (...parts: [number, number, number, number?]) =>
    String(new Date(parts[0], parts[1] - 1, parts[2], parts[3] ?? 0).getTime() / 1000);
  const times = (search: string) => asked(search).map(([, value]) => value);
  expect(times("time:2023")).toEqual([at(2023, 1, 1), at(2024, 1, 1)]);
  expect(times("time:2023-12")).toEqual([at(2023, 12, 1), at(2024, 1, 1)]);
  expect(times("time:2023-10-31")).toEqual([at(2023, 10, 31), at(2023, 11, 1)]);
  expect(times("time:2023-10-31T14")).toEqual([at(2023, 10, 31, 14), at(2023, 10, 31, 15)]);
});

test("the order", () => {
  expect(asked("a", false)).toEqual([
    ["text", "a"],
    ["order", "oldest"],
  ]);
});
