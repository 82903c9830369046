import type { Panel } from "../panel";
import { StatisticsView } from "./view";

/** How many messages the topics have, how often and how regularly they come, how large they are. */
export const statistics: Panel = {
  name: "statistics",
  title: "Statistics",
  shows: () => 0,
  isOfBag: true,
  reads: () => [],
  View: StatisticsView,
};
