import { expect, test } from "vitest";

import type { Topic } from "../api";
import type { Panel } from "../panels/panel";
import { Desk } from "./desk";
import { FIELD_TYPE, readDragged, TOPIC_TYPE } from "./drag";
import { paneOf, panesOf, paneWith, shapeText, stackOf } from "./model";

const topics: Topic[] = ["/image", "/odom", "/scan", "/other"].map((name) => ({
  topic: name,
  type: name.slice(1),
  messages: 5,
  latched: 0,
}));
const panel = (name: string, type: string, more: Partial<Panel> = {}): Panel => ({
  name,
  title: name,
  shows: (topic) => (topic.type === type ? 1 : 0),
  View: () => null,
  ...more,
});
const panels: Panel[] = [
  panel("image", "image"),
  panel("scene", "scan", {
    isOfBag: true,
    reads: (_, all) => all.map((topic) => topic.topic),
    take: (place, topic) =>
      topic.type === "scan" ? { ...place, settings: { [topic.topic]: "on" } } : undefined,
  }),
  panel("plot", "odom", {
    fields: () => ["x"],
    take: (place, topic, field) =>
      field ? { ...place, fields: [...place.fields, `${topic.topic}.${field}`] } : undefined,
  }),
  panel("tree", "other"),
];

function deskOf() {
  const read: string[][] = [];
  const desk = new Desk(
    {
      topics,
      topic: (name) => topics.find((topic) => topic.topic === name),
      numeric: () => ["x"],
      showTopics: (names) => read.push(names),
    },
    panels,
    undefined,
  );
  return { desk, read };
}
const idOf = (desk: Desk, name: string) =>
  panesOf(desk.layout).find(({ place }) => place.panel === name)!.id;
const placeIn = (desk: Desk, id: string) => paneWith(desk.layout, id)!.place;
const shown = (desk: Desk) =>
  panesOf(desk.layout).map(({ place }) => `${place.panel} ${place.topic}`.trim());

test("it begins with the default layout, and goes back to it", () => {
  const { desk, read } = deskOf();
  expect(shown(desk)).toEqual(["scene", "tree /other", "image /image", "plot /odom"]);
  expect(desk.isDefault).toBe(true);
  expect(new Set(read.at(-1))).toEqual(new Set(["/image", "/odom", "/scan", "/other"]));
  desk.close(idOf(desk, "image"));
  expect(desk.isDefault).toBe(false);
  expect(shown(desk)).not.toContain("image /image");
  desk.reset();
  expect(shown(desk)).toContain("image /image");
});

test("a topic that is dropped goes to the panel that takes it, else to the right one", () => {
  const { desk } = deskOf();
  const [plot, image] = [idOf(desk, "plot"), idOf(desk, "image")];
  desk.drop({ topic: "/odom", field: "y" }, plot, "center");
  expect(placeIn(desk, plot).fields).toEqual(["x", "/odom.y"]);
  desk.drop({ topic: "/scan" }, idOf(desk, "scene"), "center");
  expect(placeIn(desk, idOf(desk, "scene")).settings).toEqual({ "/scan": "on" });
  const count = panesOf(desk.layout).length;
  desk.drop({ topic: "/other" }, image, "center");
  expect(panesOf(desk.layout)).toHaveLength(count + 1);
  expect(shapeText(desk.layout, false)).toContain(`${image} ${desk.focused}:1`);
  expect(desk.topic).toBe("/other");
  desk.drop({ topic: "/image", field: "x" }, image, "left");
  expect(placeIn(desk, desk.focused)).toEqual({
    panel: "plot",
    topic: "/image",
    fields: ["x"],
    settings: {},
  });
  const before = desk.layout;
  desk.drop({ topic: "/none" }, image, "left");
  desk.open({ topic: "/none" });
  expect(desk.layout).toBe(before);
});

test("a topic that is opened goes to the panel of the whole bag, if that shows it", () => {
  const { desk } = deskOf();
  const count = panesOf(desk.layout).length;
  desk.open({ topic: "/scan" });
  expect(panesOf(desk.layout)).toHaveLength(count);
  expect(desk.focused).toBe(idOf(desk, "scene"));
  desk.open({ topic: "/image" });
  expect(panesOf(desk.layout)).toHaveLength(count + 1);
  expect(desk.topic).toBe("/image");
});

test("only topics that the bag has are asked for", () => {
  const { desk, read } = deskOf();
  const other = { panel: "tree", topic: "/none", fields: [], settings: {} };
  desk.change(stackOf(paneOf(other), paneOf({ ...other, topic: "/odom" })));
  expect(read.at(-1)).toEqual(["/odom"]);
});

test("what is dragged from elsewhere may be anything", () => {
  const data = (all: Record<string, string>) => ({ getData: (type: string) => all[type] ?? "" });
  expect(readDragged(data({ [TOPIC_TYPE]: "/a" }))).toEqual({ topic: "/a" });
  expect(readDragged(data({ [FIELD_TYPE]: '{"topic":"/a","field":"x"}' }))).toEqual({
    topic: "/a",
    field: "x",
  });
  for (const text of ["{", "null", "1", '{"topic":1,"field":"x"}', "[]"]) {
    expect(readDragged(data({ [FIELD_TYPE]: text }))).toBeUndefined();
  }
  expect(readDragged(data({}))).toBeUndefined();
});
