import { expect, test } from "vitest";

import { paneOf, panesOf, stackOf } from "./model";
import { deleteLayout, layoutOf, savedLayouts, saveLayout } from "./saved";

function keeperOf(text?: string) {
  let kept = text ?? null;
  return { getItem: () => kept, setItem: (_: string, value: string) => void (kept = value) };
}
const layout = (topic: string) =>
  stackOf(paneOf({ panel: "tree", topic, fields: [], settings: {} }));
const names = (keeper: ReturnType<typeof keeperOf>) => savedLayouts(keeper).map(({ name }) => name);

test("layouts are kept by name", () => {
  const keeper = keeperOf();
  expect(saveLayout(keeper, "one", layout("/a"))).toBe("");
  expect(saveLayout(keeper, "two", layout("/b"))).toBe("");
  expect(saveLayout(keeper, "one", layout("/c"))).toBe("");
  expect(names(keeper)).toEqual(["one", "two"]);
  expect(panesOf(layoutOf(savedLayouts(keeper)[0]!)!)[0]!.place.topic).toBe("/c");
  deleteLayout(keeper, "one");
  expect(names(keeper)).toEqual(["two"]);
});

test("a browser that keeps nothing, or has no room", () => {
  expect(savedLayouts(undefined)).toEqual([]);
  expect(saveLayout(undefined, "one", layout("/a"))).toContain("does not keep");
  const full = {
    getItem: (): string => {
      throw new Error("not allowed");
    },
    setItem: () => {
      throw new Error("full");
    },
  };
  expect(savedLayouts(full)).toEqual([]);
  expect(saveLayout(full, "one", layout("/a"))).toContain("does not keep");
  deleteLayout(full, "one");
});

test("what is kept may be anything, and does not grow without end", () => {
  for (const text of ["{", "1", "null", '[1, null, {"name": 2}]']) {
    expect(savedLayouts(keeperOf(text))).toEqual([]);
  }
  expect(layoutOf({ name: "a", text: "layout=x&panel=" })).toBeUndefined();
  const keeper = keeperOf();
  for (let i = 0; i < 30; ++i) saveLayout(keeper, String(i), layout("/a"));
  expect(saveLayout(keeper, "more", layout("/a"))).toContain("delete");
  expect(saveLayout(keeper, "7", layout("/b"))).toBe("");
  expect(names(keeper)).toHaveLength(30);
});
