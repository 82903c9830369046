// The topics that a place shows: its own, and others that were added, such as /diagnostics_agg.
// These are the setting "topics", a line each.

import type { Topic } from "../../api";
import type { Place } from "../panel";

export const isShown = (topic: Topic) =>
  topic.type.replace("/msg/", "/") === "diagnostic_msgs/DiagnosticArray";

/** Topics besides that of the place. */
export function moreTopics(place: Place): string[] {
  return place.settings.topics?.split("\n").filter((each) => each) ?? [];
}

export function topicsOf(place: Place): string[] {
  return [place.topic, ...moreTopics(place)].filter((each) => each);
}

export function withTopics(place: Place, more: string[]): Place {
  const { topics: _, ...settings } = place.settings;
  if (more.length) settings.topics = more.join("\n");
  return { ...place, settings };
}

/** Topics that could be added. */
export function otherTopics(place: Place, topics: Topic[]): string[] {
  const shown = topicsOf(place);
  return topics.filter(isShown).map((each) => each.topic).filter((each) => !shown.includes(each));
}
