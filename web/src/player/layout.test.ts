import { expect, test } from "vitest";

import type { Topic } from "../api";
import type { Panel } from "../panels/panel";
import { bestPanel, defaultLayout, topicsOf } from "./layout";

const topic = (name: string, type: string, messages = 10): Topic => ({
  topic: name,
  type,
  messages,
  latched: 0,
});

const panel = (name: string, types: Record<string, number>, rest = 0): Panel => ({
  name,
  title: name,
  shows: ({ type }) => types[type] ?? rest,
  fields: (_, numeric) => numeric.slice(0, 1),
  View: () => null,
});

const panels = [
  panel("image", { Image: 1 }),
  panel("log", { Log: 1 }),
  panel("plot", { Imu: 0.8, Odometry: 0.9 }),
  panel("tree", {}, 0.1),
];
const numeric = () => ["x", "y"];

test("a topic is shown by the panel that shows it best", () => {
  expect(bestPanel(topic("/a", "Imu"), panels)?.name).toBe("plot");
  expect(bestPanel(topic("/a", "Other"), panels)?.name).toBe("tree");
  expect(bestPanel(topic("/a", "Other"), [])).toBeUndefined();
});

test("a bag of a robot opens with pictures, log, plots and a message", () => {
  const topics = [
    topic("/battery", "Other"),
    topic("/imu", "Imu"),
    topic("/image", "Image"),
    topic("/rosout", "Log"),
    topic("/odom", "Odometry"),
  ];
  expect(defaultLayout(topics, panels, numeric)).toEqual([
    { panel: "image", topic: "/image", fields: ["x"], settings: {} },
    { panel: "log", topic: "/rosout", fields: ["x"], settings: {} },
    { panel: "plot", topic: "/odom", fields: ["x"], settings: {} },
    { panel: "plot", topic: "/imu", fields: ["x"], settings: {} },
    { panel: "tree", topic: "/battery", fields: ["x"], settings: {} },
  ]);
});

test("no panel takes all places, and empty topics take none", () => {
  const topics = Array.from({ length: 9 }, (_, i) => topic(`/image${i}`, "Image"));
  expect(defaultLayout(topics, panels, numeric)).toHaveLength(4);
  expect(defaultLayout([topic("/a", "Image", 0)], panels, numeric)).toEqual([]);
});

test("a panel reads the topic of its place, or those that it names", () => {
  const place = { panel: "a", topic: "/a", fields: [], settings: {} };
  expect(topicsOf(place, panels[0], [])).toEqual(["/a"]);
  expect(topicsOf({ ...place, topic: "" }, panels[0], [])).toEqual([]);
  const all = { ...panels[0]!, reads: (_: unknown, topics: Topic[]) => topics.map((t) => t.topic) };
  expect(topicsOf(place, all, [topic("/b", "Image"), topic("/c", "Log")])).toEqual(["/b", "/c"]);
});
