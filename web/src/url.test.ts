import { expect, test } from "vitest";

import { panesOf } from "./layout/model";
import { namesIn } from "./source/source";
import { readScreen, writeScreen } from "./url";

test("what is written is read", () => {
  const screen = readScreen("?bag=a+b%26c.bag&t=12.345&panel=plot+/odd%2520name+x&panel=log+/l");
  expect(screen.bag).toBe("a b&c.bag");
  expect(screen.time).toBe(12.345);
  const again = readScreen(writeScreen(screen));
  expect(again).toMatchObject({ bag: screen.bag, time: screen.time });
  expect(panesOf(again.layout!).map(({ place }) => place)).toEqual(
    panesOf(screen.layout!).map(({ place }) => place),
  );
});

test("a layout that no server would take is left out", () => {
  const many = Array.from({ length: 40 }, (_, i) => `panel=tree+/${"a".repeat(500)}${i}`);
  const screen = readScreen(`?bag=a&t=1&${many.join("&")}`);
  expect(panesOf(screen.layout!)).toHaveLength(40);
  expect(writeScreen(screen)).toBe("?bag=a&t=1");
});

test("no bag is the list", () => {
  expect(writeScreen({ bag: null, time: 3, layout: undefined })).toBe("");
  expect(readScreen("")).toMatchObject({ bag: null, time: null, layout: undefined });
});

test("what makes no sense is left out", () => {
  const screen = readScreen("?bag=a&t=-x&panel=&panel=%25zz+/a&panel=tree+/b");
  expect(screen.time).toBeNull();
  expect(panesOf(screen.layout!).map(({ place }) => place)).toEqual([
    { panel: "tree", topic: "/b", fields: [], settings: {} },
  ]);
});

test("the range and the pinned topics are kept", () => {
  const screen = {
    bag: "a",
    time: 0,
    layout: undefined,
    marks: { a: 2, b: 7.5, isLooping: true },
    pins: ["/odd name%20", "/b"],
  };
  expect(readScreen(writeScreen(screen))).toEqual(screen);
});

test("no pinned topic is not the same as none that was chosen", () => {
  const pins = (pinned: string[] | null) =>
    readScreen(writeScreen({ bag: "a", time: 0, layout: undefined, pins: pinned })).pins;
  expect(pins([])).toEqual([]);
  expect(pins(null)).toBeNull();
});

test("several bags are in order, each once", () => {
  const screen = readScreen("?bag=b.mcap&bag=local/c%26d.bag&bag=b.mcap&bag=a.bag&t=1");
  expect(namesIn(screen.bag!)).toEqual(["b.mcap", "local/c&d.bag", "a.bag"]);
  expect(writeScreen(screen)).toBe("?bag=b.mcap&bag=local%2Fc%26d.bag&bag=a.bag&t=1");
  expect(readScreen("?bag=a&bag=a").bag).toBe("a");
});
