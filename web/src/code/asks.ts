// What the code of a place asks for: what its panel says, else the messages that stand there.

import type { Topic } from "../api";
import type { Panel, Place } from "../panels/panel";
import type { Feed } from "../player/feed";
import { topicsOf } from "../player/layout";
import type { Ask } from "./code";

const NANOSECOND = 1e-9;

export function asksOf(place: Place, panel: Panel | undefined, topics: Topic[], feed: Feed): Ask[] {
  const own = panel?.asks?.(place, topics, feed);
  if (own) return own;
  const names = topicsOf(place, panel, topics);
  return (names.length ? names : [""]).map((topic) => {
    const time = feed.at(topic)?.time ?? feed.time;
    return { topic, fields: [], start: time, end: time + NANOSECOND };
  });
}
