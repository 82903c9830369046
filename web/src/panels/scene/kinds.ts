// What the scene can show, by type; and what of it a person chose.

import type { Topic } from "../../api";
import { hasTransforms, plainType } from "../../player/transform_feed";
import type { Place } from "../panel";
import { colourOf, type Colour } from "./colours";
import type { Colouring } from "./clouds";
import { draws } from "./messages";

export type Kind =
  | "scan"
  | "cloud"
  | "old cloud"
  | "grid"
  | "cells"
  | "markers"
  | "entities"
  | "drawing"
  | "robot";

const KINDS: Record<string, Kind> = {
  "sensor_msgs/LaserScan": "scan",
  "sensor_msgs/MultiEchoLaserScan": "scan",
  "foxglove/LaserScan": "scan",
  "sensor_msgs/PointCloud2": "cloud",
  "foxglove/PointCloud": "cloud",
  "sensor_msgs/PointCloud": "old cloud",
  "nav_msgs/OccupancyGrid": "grid",
  "foxglove/Grid": "cells",
  "foxglove/SceneUpdate": "entities",
  "visualization_msgs/Marker": "markers",
  "visualization_msgs/MarkerArray": "markers",
  ...Object.fromEntries(Object.keys(draws).map((type) => [type, "drawing" as const])),
};

export function kindOf(topic: Topic): Kind | undefined {
  const type = plainType(topic.type);
  if (type === "std_msgs/String" && /(^|\/)robot_description$/.test(topic.topic)) return "robot";
  return KINDS[type];
}

/** Updates of a grid stand on a topic of their own, beside it. */
export function updatesOf(topic: Topic, topics: Topic[]): Topic | undefined {
  const name = `${topic.topic}_updates`;
  return kindOf(topic) === "grid"
    ? topics.find(
        (each) =>
          each.topic === name && plainType(each.type) === "map_msgs/OccupancyGridUpdate",
      )
    : undefined;
}

/** How well the scene shows a topic. Of odometry people look at the numbers first. */
export function showsWell(topic: Topic): number {
  if (plainType(topic.type) === "nav_msgs/Odometry") return 0.8;
  return kindOf(topic) || hasTransforms(topic) ? 1 : 0;
}

/** The topics that the scene of a bag has, without those of transforms. */
export function sceneTopics(topics: Topic[]): Topic[] {
  return topics.filter((topic) => kindOf(topic) !== undefined && topic.messages > 0);
}

const HIDDEN = "hidden:";
const COLOUR = "colour:";
/** Beyond these, clouds are switched on one by one: each may be a million points a message. */
const MOST_CLOUDS = 4;

export function isShown(place: Place, topic: Topic, topics: Topic[]): boolean {
  const chosen = place.settings[HIDDEN + topic.topic];
  if (chosen !== undefined) return chosen !== "1";
  if (topic.topic === place.topic || kindOf(topic) !== "cloud") return true;
  const clouds = topics.filter((each) => kindOf(each) === "cloud");
  return clouds.indexOf(topic) < MOST_CLOUDS;
}

/** The settings with a topic switched on or off; what is as usual is not written down. */
export function withShown(
  place: Place,
  topic: Topic,
  topics: Topic[],
  isOn: boolean,
): Record<string, string> {
  const { [HIDDEN + topic.topic]: _, ...settings } = place.settings;
  if (isShown({ ...place, settings }, topic, topics) === isOn) return settings;
  return { ...settings, [HIDDEN + topic.topic]: isOn ? "0" : "1" };
}

/** What a topic is coloured by: "#1f5fc9", a field such as "z", or a palette; "": as usual. */
export function chosenColour(place: Place, topic: Topic): string {
  return place.settings[COLOUR + topic.topic] ?? "";
}

export function withColour(place: Place, topic: Topic, colour: string): Record<string, string> {
  const { [COLOUR + topic.topic]: _, ...settings } = place.settings;
  return colour ? { ...settings, [COLOUR + topic.topic]: colour } : settings;
}

/** Okabe and Ito, between those that a light and a dark ground want. */
const SERIES = ["#0f86c8", "#e0701a", "#12a37a", "#c06aa2", "#b08c10", "#3f97dd", "#8a8f98"];

export function flatColour(place: Place, topic: Topic, topics: Topic[]): Colour {
  const own = colourOf(chosenColour(place, topic));
  return own ?? colourOf(SERIES[Math.max(0, topics.indexOf(topic)) % SERIES.length])!;
}

/** How the points of a topic are coloured, of the fields that they have. */
export function colouringOf(
  place: Place,
  topic: Topic,
  topics: Topic[],
  fields: string[],
): Colouring {
  const chosen = chosenColour(place, topic);
  const flat = flatColour(place, topic, topics);
  const isFlat = chosen.startsWith("#");
  const kind = kindOf(topic);
  const usual = kind === "scan" || kind === "cells" ? [] : ["rgb", "rgba", "z"];
  const field = isFlat ? "" : chosen || (usual.find((each) => fields.includes(each)) ?? "");
  return { field, scale: field === "intensity" || field === "range" ? "turbo" : "viridis", flat };
}
