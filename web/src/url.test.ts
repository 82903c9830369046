import { expect, test } from "vitest";

import { readScreen, writeScreen } from "./url";

test("what is written is read", () => {
  const screen = {
    bag: "a b&c.bag",
    time: 12.345,
    places: [
      { panel: "plot", topic: "/odd name%20", fields: ["pose.x", "a b"], settings: {} },
      { panel: "tree", topic: "/a", fields: [], settings: { "a=b": "c d", e: "" } },
      { panel: "statistics", topic: "", fields: [], settings: {} },
    ],
  };
  expect(readScreen(writeScreen(screen))).toEqual(screen);
});

test("no bag is the list", () => {
  expect(writeScreen({ bag: null, time: 3, places: null })).toBe("");
  expect(readScreen("")).toEqual({ bag: null, time: null, places: null });
});

test("what makes no sense is left out", () => {
  const screen = readScreen("?bag=a&t=-x&panel=&panel=%25zz+/a&panel=tree+/b");
  const places = [{ panel: "tree", topic: "/b", fields: [], settings: {} }];
  expect(screen).toEqual({ bag: "a", time: null, places });
});
