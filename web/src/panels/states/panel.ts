import type { Panel } from "../panel";
import { topicsOf, withEntry } from "./entries";
import { StatesView } from "./view";

const TYPES = ["std_msgs/Bool", "std_msgs/String"];

/** Enumerations, flags and texts over time. */
export const states: Panel = {
  name: "states",
  title: "State transitions",
  shows: (topic) => (TYPES.includes(topic.type.replace("/msg/", "/")) ? 0.5 : 0.07),
  reads: topicsOf,
  take: (place, topic, field) => withEntry(place, { topic: topic.topic, path: field ?? "" }),
  View: StatesView,
};
