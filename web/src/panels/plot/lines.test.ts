import { expect, test } from "vitest";

import type { Topic } from "../../api";
import type { Place } from "../panel";
import { firstFields, linesOf, taken, toggled, topicsOf } from "./lines";
import { unitOf, unitPerSecond } from "./units";

const topic = (name: string, type = "a/B"): Topic => ({
  topic: name,
  type,
  messages: 1,
  latched: 0,
});
const topics = [
  topic("/odom", "nav_msgs/msg/Odometry"),
  topic("/a"),
  topic("/a b"),
  topic("/battery", "sensor_msgs.BatteryState"),
];
const place = (fields: string[], settings = {}): Place => {
  return { panel: "plot", topic: "/odom", fields, settings };
};
const numbers = () => [
  { path: "seq", isStep: false },
  { path: "on", isStep: true },
  { path: "voltage", isStep: false },
];

test("lines of several topics", () => {
  const fields = ["pose.pose.position.x", "/a b c", "/a on", "/battery voltage"];
  const lines = linesOf(place(fields, { hidden: "/a on" }), topics, numbers);
  expect(lines.map(({ topic, path, unit }) => [topic, path, unit])).toEqual([
    ["/odom", "pose.pose.position.x", "m"],
    ["/a b", "c", ""],
    ["/a", "on", ""],
    ["/battery", "voltage", "V"],
  ]);
  expect(lines.map((line) => line.isHidden)).toEqual([false, false, true, false]);
  expect(lines.map((line) => line.isStep)).toEqual([false, false, true, false]);
  expect(lines.map((line) => line.colour)).toEqual([1, 2, 3, 4]);
  expect(topicsOf(place(fields), topics)).toEqual(["/odom", "/a b", "/a", "/battery"]);
});

test("a topic that is dropped adds its usual fields, a field itself", () => {
  const battery = topics[3]!;
  expect(taken(place(["x"]), battery).fields).toEqual(["x", "/battery voltage"]);
  expect(taken(place(["x"]), topics[0]!, "x").fields).toEqual(["x"]);
  const others = taken(place([]), topics[1]!);
  expect(others.fields).toEqual(["/a "]);
  expect(linesOf(others, topics, numbers).map((line) => line.path)).toEqual(["on", "voltage"]);
});

test("of a type that nobody knows, no counters and stamps first", () => {
  const numeric = ["header.seq", "header.stamp.sec", "a", "b", "c", "d"];
  expect(firstFields(topics[1]!, numeric)).toEqual(["a", "b", "c"]);
});

test("hidden lines", () => {
  expect(toggled("", "/a x")).toBe("/a x");
  expect(toggled("/a x\ny", "/a x")).toBe("y");
});

test("units", () => {
  expect(unitOf("nav_msgs/Odometry", "twist.twist.linear.x")).toBe("m/s");
  expect(unitOf("sensor_msgs.Imu", "angular_velocity.z")).toBe("rad/s");
  expect(unitOf("my_msgs/Odometry", "pose.position.x")).toBe("");
  expect(unitOf("geometry_msgs/PoseStamped", "pose.position.x")).toBe("m");
  expect(["m", "m/s", "rad/s", "m/s²", "V", ""].map(unitPerSecond)).toEqual([
    ...["m/s", "m/s²", "rad/s²", "m/s³", "V/s", ""],
  ]);
});
