import { expect, test } from "vitest";

import type { Topic } from "../api";
import type { Panel } from "../panels/panel";
import { bestPanel, defaultPlaces, topicsOf } from "./layout";

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
  expect(defaultPlaces(topics, panels, numeric)).toEqual([
    { panel: "image", topic: "/image", fields: ["x"], settings: {} },
    { panel: "log", topic: "/rosout", fields: ["x"], settings: {} },
    { panel: "plot", topic: "/odom", fields: ["x"], settings: {} },
    { panel: "plot", topic: "/imu", fields: ["x"], settings: {} },
    { panel: "tree", topic: "/battery", fields: ["x"], settings: {} },
  ]);
});

test("no panel takes all places, and empty topics take none", () => {
  const topics = Array.from({ length: 9 }, (_, i) => topic(`/image${i}`, "Image"));
  expect(defaultPlaces(topics, panels, numeric)).toHaveLength(4);
  expect(defaultPlaces([topic("/a", "Image", 0)], panels, numeric)).toEqual([]);
});

test("a panel of the whole bag has one place", () => {
  const scene = { ...panel("scene", { Scan: 1, Tf: 1 }), isOfBag: true };
  const topics = [topic("/scan", "Scan"), topic("/tf", "Tf"), topic("/a", "Other")];
  const places = defaultPlaces(topics, [scene, ...panels], numeric);
  expect(places.map((place) => `${place.panel} ${place.topic}`)).toEqual(["scene ", "tree /a"]);
});

test("a bag with nothing special opens with its statistics", () => {
  const statistics = { ...panel("statistics", {}), isOfBag: true };
  const topics = [topic("/a", "Other"), topic("/b", "Other")];
  const names = (all: Panel[], of = topics) =>
    defaultPlaces(of, all, numeric).map((place) => place.panel);
  expect(names([...panels, statistics])).toEqual(["statistics", "tree"]);
  expect(names(panels)).toEqual(["tree"]);
  expect(names([...panels, statistics], [...topics, topic("/i", "Imu")])).toEqual(["plot", "tree"]);
});

test("a panel reads the topic of its place, or those that it names", () => {
  const place = { panel: "a", topic: "/a", fields: [], settings: {} };
  expect(topicsOf(place, panels[0], [topic("/a", "Image")])).toEqual(["/a"]);
  expect(topicsOf(place, panels[0], [])).toEqual([]); // the bag does not have it
  expect(topicsOf({ ...place, topic: "" }, panels[0], [])).toEqual([]);
  const all = { ...panels[0]!, reads: (_: unknown, topics: Topic[]) => topics.map((t) => t.topic) };
  expect(topicsOf(place, all, [topic("/b", "Image"), topic("/c", "Log")])).toEqual(["/b", "/c"]);
});
