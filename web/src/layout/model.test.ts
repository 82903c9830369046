import { expect, test } from "vitest";

import {
  addAtEdge,
  addBeside,
  addSomewhere,
  addTab,
  move,
  panesOf,
  raise,
  remove,
  resize,
  setPlace,
  shapeText,
  splitOf,
  stackOf,
  tidy,
  type Layout,
  type Pane,
} from "./model";

const pane = (id: string): Pane => ({
  id,
  place: { panel: "tree", topic: `/${id}`, fields: [], settings: {} },
});
const shape = (layout: Layout) => shapeText(layout, true);

test("a pane beside another one gets half of its area", () => {
  let layout: Layout = stackOf(pane("a"));
  layout = addBeside(layout, "a", "right", pane("b"));
  expect(shape(layout)).toBe("row0.500(a:0)0.500(b:0)");
  layout = addBeside(layout, "b", "left", pane("c"));
  expect(shape(layout)).toBe("row0.500(a:0)0.250(c:0)0.250(b:0)");
  layout = addBeside(layout, "a", "bottom", pane("d"));
  expect(shape(layout)).toBe(
    "row0.500(column0.500(a:0)0.500(d:0))0.250(c:0)0.250(b:0)",
  );
  layout = addBeside(layout, "a", "top", pane("e"));
  expect(shape(layout)).toContain("column0.250(e:0)0.250(a:0)0.500(d:0)");
});

test("a pane at the edge of the whole gets a third", () => {
  const layout = splitOf(true, [stackOf(pane("a")), stackOf(pane("b"))]);
  expect(shape(addAtEdge(layout, "left", pane("c")))).toBe("row0.333(c:0)0.333(a:0)0.333(b:0)");
  expect(shape(addAtEdge(layout, "top", pane("c")))).toBe(
    "column0.333(c:0)0.667(row0.500(a:0)0.500(b:0))",
  );
  expect(shape(addAtEdge(null, "top", pane("c")))).toBe("c:0");
});

test("tabs", () => {
  let layout: Layout = addTab(stackOf(pane("a")), "a", pane("b"));
  layout = addTab(layout, "a", pane("c"));
  expect(shape(layout)).toBe("a b c:2");
  expect(shape(remove(layout, "a"))).toBe("b c:1");
  expect(shape(remove(layout, "c"))).toBe("a b:1");
  expect(shape(raise(layout, "b"))).toBe("a b c:1");
  expect(raise(layout, "c")).toBe(layout);
  expect(shape(addTab(layout, "none", pane("d")))).toBe("row0.667(a b c:2)0.333(d:0)");
});

test("what is closed leaves no empty area", () => {
  const column = splitOf(false, [stackOf(pane("b")), stackOf(pane("c"))]);
  const layout = splitOf(true, [stackOf(pane("a")), column], [0.6, 0.4]);
  expect(shape(remove(layout, "b"))).toBe("row0.600(a:0)0.400(c:0)");
  expect(shape(remove(layout, "a"))).toBe("column0.500(b:0)0.500(c:0)");
  expect(remove(stackOf(pane("a")), "a")).toBeNull();
  expect(remove(layout, "none")).toBe(layout);
});

test("a layout is not changed, but another one is made", () => {
  const layout = splitOf(true, [stackOf(pane("a")), stackOf(pane("b"))]);
  const before = JSON.stringify(layout);
  const next = setPlace(layout, "b", { ...pane("b").place, topic: "/other" });
  expect(panesOf(next).map(({ place }) => place.topic)).toEqual(["/a", "/other"]);
  addBeside(layout, "a", "left", pane("c"));
  remove(layout, "a");
  expect(JSON.stringify(layout)).toBe(before);
});

test("sizes that make no sense become equal", () => {
  const areas = [stackOf(pane("a")), stackOf(pane("b"))];
  expect(shape(tidy(splitOf(true, areas, [0, 0])))).toBe("row0.500(a:0)0.500(b:0)");
  expect(shape(tidy(splitOf(true, areas, [900, 100])))).toBe("row0.900(a:0)0.100(b:0)");
});

test("keys move a pane", () => {
  const column = splitOf(false, [stackOf(pane("b"), pane("c")), stackOf(pane("d"))]);
  const layout = splitOf(true, [stackOf(pane("a")), column], [0.6, 0.4]);
  expect(shape(move(layout, "c", "right"))).toBe(
    "row0.600(a:0)0.400(column0.500(row0.500(b:0)0.500(c:0))0.500(d:0))",
  );
  expect(shape(move(layout, "a", "right", "d"))).toBe("column0.500(b c:0)0.500(d a:1)");
  expect(shape(move(layout, "d", "left"))).toBe("row0.333(d:0)0.400(a:0)0.267(b c:0)");
  expect(move(stackOf(pane("a")), "a", "left")).toEqual(stackOf(pane("a")));
});

test("keys resize a pane", () => {
  const column = splitOf(false, [stackOf(pane("b")), stackOf(pane("c"))]);
  const layout = splitOf(true, [stackOf(pane("a")), column], [0.6, 0.4]);
  expect(shape(resize(layout, "a", true, 0.1))).toContain("row0.700(a:0)0.300(");
  expect(shape(resize(layout, "b", true, 0.1))).toContain("row0.500(a:0)0.500(");
  expect(shape(resize(layout, "c", false, 0.1))).toContain("column0.400(b:0)0.600(c:0)");
  expect(shape(resize(layout, "c", false, 9))).toContain("column0.080(b:0)0.920(c:0)");
  expect(resize(layout, "a", false, 0.1)).toBe(layout);
});

test("a pane goes where there is most room, as long as there is some", () => {
  const size = { width: 1000, height: 600 };
  let layout: Layout = null;
  for (const id of ["a", "b", "c"]) layout = addSomewhere(layout, pane(id), size);
  expect(shape(layout)).toBe("row0.500(column0.500(a:0)0.500(c:0))0.500(b:0)");
  for (let i = 0; i < 20; ++i) layout = addSomewhere(layout, pane(`more${i}`), size);
  expect(panesOf(layout)).toHaveLength(23);
  const small = addSomewhere(stackOf(pane("a")), pane("b"), { width: 300, height: 200 });
  expect(shape(small)).toBe("a b:1");
});
