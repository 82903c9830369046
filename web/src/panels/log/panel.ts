import type { Panel } from "../panel";
import { BEFORE, LogView } from "./view";

const TYPES = [
  "roslib/Log", // before 2010
  ...["rosgraph_msgs/Log", "rcl_interfaces/msg/Log", "rcl_interfaces/Log"],
  ...["foxglove.Log", "foxglove_msgs/msg/Log", "foxglove_msgs/Log"],
];

/** What the nodes of a robot said. */
export const log: Panel = {
  name: "log",
  title: "Log",
  shows: (topic) => (TYPES.includes(topic.type) ? 1 : 0),
  asks: ({ topic }, _, { time }) => {
    return [{ topic, fields: [], start: Math.max(0, time - BEFORE), end: time + 1e-9 }];
  },
  View: LogView,
};
