import type { Panel } from "../panel";
import { isShown, moreTopics, topicsOf, withTopics } from "./topics";
import { DiagnosticsView } from "./view";

/** What the parts of a robot say of their health. */
export const diagnostics: Panel = {
  name: "diagnostics",
  title: "Diagnostics",
  shows: (topic) => (isShown(topic) ? 1 : 0),
  reads: topicsOf,
  take: (place, topic) => {
    if (!isShown(topic)) return undefined;
    if (topicsOf(place).includes(topic.topic)) return place;
    if (!place.topic) return { ...place, topic: topic.topic };
    return withTopics(place, [...moreTopics(place), topic.topic]);
  },
  View: DiagnosticsView,
};
