import { expect, test } from "vitest";

import type { Topic } from "../api";
import type { Panel } from "../panels/panel";
import { Desk } from "./desk";
import { rank, sourceOf } from "./find";
import { panesOf } from "./model";

const topics: Topic[] = [
  { topic: "/odom", type: "nav_msgs/Odometry", messages: 1, latched: 0 },
  { topic: "/base/imu", type: "sensor_msgs/Imu", messages: 1, latched: 0 },
];
const panels: Panel[] = [
  { name: "plot", title: "Plot", shows: () => 0.5, fields: () => [], View: () => null },
  { name: "tf", title: "Frames", shows: () => 0, isOfBag: true, View: () => null },
];
const numeric: Record<string, string[]> = {
  "/odom": ["pose.x", "pose.y"],
  "/base/imu": Array.from({ length: 500 }, (_, i) => `many[${i}]`),
};

function deskOf() {
  const bag = {
    topics,
    topic: (name: string) => topics.find((each) => each.topic === name),
    numeric: (topic: Topic) => numeric[topic.topic]!,
    showTopics: () => undefined,
  };
  return new Desk(bag, panels, null);
}

test("whole names before the begin of a word before the rest", () => {
  expect(rank("/odom", "/odom")).toBe(0);
  expect(rank("/odom", "odom")).toBe(1);
  expect(rank("/odom", "dom")).toBe(2);
  expect(rank("/odom", "x")).toBe(-1);
});

test("topics, types, fields and panels are found, and open", () => {
  const desk = deskOf();
  const find = sourceOf(desk);
  const texts = (word: string) => find(word, 8).map(({ kind, text }) => `${kind} ${text}`);
  expect(texts("ODOM")).toEqual(["Topic /odom"]);
  expect(texts("sensor_msgs")).toEqual(["Topic /base/imu"]);
  expect(texts("pose.")).toEqual(["Field pose.x", "Field pose.y"]);
  expect(texts("frames")).toEqual(["Panel Frames"]);
  expect(texts("many")).toHaveLength(8);
  expect(texts(" ")).toEqual([]);
  find("pose.y", 8)[0]!.open();
  find("frames", 8)[0]!.open();
  expect(panesOf(desk.layout).map(({ place }) => place)).toEqual([
    { panel: "plot", topic: "/odom", fields: ["pose.y"], settings: {} },
    { panel: "tf", topic: "", fields: [], settings: {} },
  ]);
});
