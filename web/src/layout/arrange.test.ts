import { expect, test } from "vitest";

import { arrange } from "./arrange";
import { isSplit, panesOf, type Layout } from "./model";

const places = (names: string) =>
  names
    .split(" ")
    .filter(Boolean)
    .map((panel) => ({ panel, topic: "/a", fields: [], settings: {} }));

/** "row(scene, column(log|tf, tree))": tabs have bars between them. */
function drawing(layout: Layout): string {
  if (!layout) return "";
  if (!isSplit(layout)) return layout.panes.map(({ place }) => place.panel).join("|");
  return `${layout.isRow ? "row" : "column"}(${layout.areas.map(drawing).join(", ")})`;
}
const drawn = (names: string) => drawing(arrange(places(names)));

test("a robot: 3D is large, the log below it, pictures and plots on the right", () => {
  expect(drawn("scene image plot plot log tree")).toBe(
    "row(column(scene, row(log, tree)), column(image, plot, plot))",
  );
  expect(drawn("image plot plot plot log tree diagnostics states scene map")).toBe(
    "row(column(scene, row(log|diagnostics, tree)), column(image, map, plot|plot, plot|states))",
  );
});

test("any part of it stands as well", () => {
  expect(drawn("image")).toBe("image");
  expect(drawn("image log")).toBe("column(image, log)");
  expect(drawn("scene plot")).toBe("row(scene, plot)");
  expect(drawn("plot plot plot")).toBe("column(plot, plot, plot)");
  expect(drawn("plot log")).toBe("row(plot, log)");
  expect(drawn("tree statistics")).toBe("row(tree, statistics)");
  expect(drawn("tree statistics table tf")).toBe("row(tree|table, statistics|tf)");
  expect(drawn("image image image image")).toBe("row(image, column(image, image, image))");
  expect(drawn("map plot")).toBe("row(map, plot)");
  expect(drawn("unknown")).toBe("unknown");
  expect(drawn("")).toBe("");
});

test("no place is lost", () => {
  const all = "scene image image image image map plot plot plot states log tree diagnostics "
    + "statistics table tf other another";
  expect(panesOf(arrange(places(all)))).toHaveLength(18);
});
