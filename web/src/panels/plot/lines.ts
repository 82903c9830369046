// What a plot shows: lines, each a number in the messages of a topic. In a place, a line is its
// path ("pose.position.x") if it is of the place's topic, else the topic and the path with a space
// between; without a path it stands for what is worth seeing first of that topic.

import type { Topic } from "../../api";
import type { Ask } from "../../code/code";
import type { NumberField } from "../../decode/type";
import type { Feed } from "../../player/feed";
import type { Place } from "../panel";
import { unitOf } from "./units";

export interface Line {
  /** As it stands in the place. */
  entry: string;
  topic: string;
  path: string;
  unit: string;
  /** Jumps from value to value. */
  isStep: boolean;
  isHidden: boolean;
  /** Of the seven colours, from 1. */
  colour: number;
}

const COLOURS = 7; // --series-1 to --series-7
const MOST_LINES = 32;

/** What is worth seeing first of types that everybody has; those come first that tell most. */
export const usual: Record<string, string[]> = {
  "nav_msgs/Odometry": ["pose.pose.position.x", "pose.pose.position.y"],
  "sensor_msgs/Imu": ["angular_velocity.z", "linear_acceleration.x"],
  "sensor_msgs/BatteryState": ["voltage"],
  "geometry_msgs/Twist": ["linear.x", "angular.z"],
  "geometry_msgs/TwistStamped": ["twist.linear.x", "twist.angular.z"],
  "turtlesim/Pose": ["x", "y", "theta"],
  "sensor_msgs/JointState": ["position[0]", "position[1]", "position[2]"],
  "std_msgs/Float32": ["data"],
  "std_msgs/Float64": ["data"],
};

/** "nav_msgs/Odometry", as ROS 1, ROS 2 and protobuf write it. */
export const plainType = (type: string) =>
  type.replace("/msg/", "/").replace(/^(\w+)\.(\w+)$/, "$1/$2");

/** Of the numbers that a topic has. */
export function firstFields(topic: Topic, numeric: string[]): string[] {
  const known = (usual[plainType(topic.type)] ?? []).filter(
    (each) => numeric.includes(each) || each.includes("["), // a list is as long as its message says
  );
  const parts = /(^|\.)(seq|stamp|sec|nsec|nanosec|seconds|nanos)$/;
  const others = numeric.filter((each) => !parts.test(each));
  return known.length ? known : others.slice(0, 3);
}

export const entryOf = (place: Place, topic: string, path: string) =>
  topic === place.topic ? path : `${topic} ${path}`;

/** The topic and the path of an entry; a topic's name may have spaces, too. */
function partsOf(entry: string, place: Place, topics: Topic[]): { topic: string; path: string } {
  let topic = "";
  for (const each of topics) {
    if (each.topic.length > topic.length && entry.startsWith(`${each.topic} `)) topic = each.topic;
  }
  return topic
    ? { topic, path: entry.slice(topic.length + 1) }
    : { topic: place.topic, path: entry };
}

export function linesOf(
  place: Place,
  topics: Topic[],
  numbers: (topic: string) => NumberField[],
): Line[] {
  const hidden = (place.settings.hidden ?? "").split("\n");
  const lines: Line[] = [];
  for (const entry of place.fields) {
    const { topic, path } = partsOf(entry, place, topics);
    const of = topics.find((each) => each.topic === topic);
    const known = numbers(topic);
    const numeric = known.map((each) => each.path);
    const paths = path ? [path] : of ? firstFields(of, numeric) : [];
    for (const each of paths) {
      if (lines.length >= MOST_LINES) break;
      const colour = (lines.length % COLOURS) + 1;
      const isStep = known.find((number) => number.path === each)?.isStep ?? false;
      const unit = unitOf(of?.type ?? "", each);
      const line = { entry, topic, path: each, unit, isStep, colour };
      lines.push({ ...line, isHidden: hidden.includes(entry) });
    }
  }
  return lines;
}

/** The topics whose messages the lines need. */
export function topicsOf(place: Place, topics: Topic[]): string[] {
  return [...new Set(place.fields.map((entry) => partsOf(entry, place, topics).topic))];
}

/** The fields of all lines, over the part of the bag that is shown. */
export function asksOf(place: Place, topics: Topic[], feed: Feed): Ask[] {
  const lines = linesOf(place, topics, (topic) => feed.numbers(topic));
  const { start, end } = feed.view;
  return topicsOf(place, topics).map((topic) => {
    const fields = lines.filter((line) => line.topic === topic).map((line) => line.path);
    return { topic, fields, start, end: end + 1e-9 }; // the last message, too
  });
}

/** The place with a field, or with what is worth seeing of a topic. */
export function taken(place: Place, topic: Topic, field = ""): Place {
  const paths = field ? [field] : (usual[plainType(topic.type)] ?? [""]);
  const entries = paths.map((path) => entryOf(place, topic.topic, path));
  const others = entries.filter((each) => each && !place.fields.includes(each));
  return { ...place, fields: [...place.fields, ...others] };
}

/** Entries one of which is hidden or shown. */
export function toggled(hidden: string, entry: string): string {
  const entries = hidden.split("\n").filter(Boolean);
  const others = entries.filter((each) => each !== entry);
  return (others.length < entries.length ? others : [...entries, entry]).join("\n");
}
