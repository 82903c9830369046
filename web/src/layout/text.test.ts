import { expect, test } from "vitest";

import { panesOf, shapeText, splitOf, stackOf, type Layout, type Pane } from "./model";
import { readLayout, writeLayout } from "./text";

const place = (panel: string, topic: string, more = {}) => ({
  panel,
  topic,
  fields: [],
  settings: {},
  ...more,
});
const pane = (id: string, more = {}): Pane => ({ id, place: place("tree", `/${id}`, more) });
const read = (text: string) => readLayout(new URLSearchParams(text));
const write = (layout: Layout) => {
  const query = new URLSearchParams();
  writeLayout(layout, query);
  return query.toString();
};
/** Without names of panes, which are new each time. */
const plain = (layout: Layout | undefined) =>
  layout && shapeText(layout, true).replaceAll(/pane\d+/g, "p");

test("what is written is read, with its sizes, tabs and places", () => {
  const odd = { fields: ["pose.x", "a b=c%"], settings: { "a=b": "c d", e: "" } };
  const stack = { panes: [pane("b"), pane("odd /%20name", odd)], front: 1 };
  const layout = splitOf(
    true,
    [splitOf(false, [stackOf(pane("a")), stack], [0.7, 0.3]), stackOf(pane("c"))],
    [0.62, 0.38],
  );
  const text = write(layout);
  expect(text).toContain("layout=1.r620-380.c700-300.t1.t2-1.t1");
  const again = read(text)!;
  expect(plain(again)).toBe("row0.620(column0.700(p:0)0.300(p p:1))0.380(p:0)");
  expect(panesOf(again).map((each) => each.place)).toEqual(
    panesOf(layout).map((each) => each.place),
  );
});

test("no panel is a layout, too", () => {
  expect(write(null)).toBe("layout=1.");
  expect(read("layout=1.")).toBeNull();
  expect(read("")).toBeUndefined();
  expect(read("layout=1.t1")).toBeUndefined();
});

test("without a tree that fits, the places are arranged", () => {
  const places = "panel=image+/i&panel=log+/l&panel=plot+/p+x";
  const arranged = "row0.620(column0.640(p:0)0.360(p:0))0.380(p:0)";
  expect(plain(read(places))).toBe(arranged);
  for (const tree of [
    "2.t3", "1.t2", "1.t4", "1.t0.t3", "1.r500-500.t1", "1.r500-500.t1.t2.t1", "1.x500.t3",
    "1.r-1-2.t1.t2", "1.r1e9-1.t1.t2", "1.rNaN-1.t1.t2", "1.t99999999999", "1", ".", "1..", "1.r",
    `1.${"r1.".repeat(60)}t3`, `1.${"c1-1.".repeat(20000)}t3`,
  ]) {
    expect(plain(read(`${places}&layout=${tree}`)), tree).toBe(arranged);
  }
  expect(plain(read(`${places}&layout=1.t3-999`))).toBe("p p p:2");
  expect(plain(read(`${places}&layout=1.c0-0.t1.t2`))).toBe("column0.500(p:0)0.500(p p:0)");
});

test("a hostile text is bounded", () => {
  const many = Array.from({ length: 5000 }, (_, i) => `panel=tree+/${i}`).join("&");
  expect(panesOf(read(many)!)).toHaveLength(40);
  expect(read(`panel=tree+/${"a".repeat(100_000)}`)).toBeUndefined();
  expect(read(`panel=plot+/a${"+x".repeat(1000)}`)).toBeUndefined();
  const [only] = panesOf(read("panel=tree+/a+__proto__=1+constructor=2")!);
  expect(only!.place.settings).not.toBe(Object.prototype);
  expect(({} as Record<string, unknown>)["1"]).toBeUndefined();
  expect(Object.keys(only!.place.settings)).toEqual(["__proto__", "constructor"]);
});
