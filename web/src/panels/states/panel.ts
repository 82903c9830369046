import type { Panel } from "../panel";
import { topicsOf, withEntry } from "./entries";
import { StatesView } from "./view";

/** Enumerations, flags and texts over time. */
export const states: Panel = {
  name: "states",
  title: "State transitions",
  shows: (topic) => (topic.type.replace("/msg/", "/") === "std_msgs/Bool" ? 0.5 : 0.07),
  reads: topicsOf,
  take: (place, topic, field) => withEntry(place, { topic: topic.topic, path: field ?? "" }),
  View: StatesView,
};
