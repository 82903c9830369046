// What a bag opens with: something that moves and means something, at once. How the places stand is
// said in layout/arrange.ts.

import type { Topic } from "../api";
import type { Panel, Place } from "../panels/panel";

/** How many places a panel gets at most. */
const MOST: Record<string, number> = { image: 4, plot: 3 };
const MOST_PLACES = 12;
/** What shows any topic; of a bag with nothing else, the statistics come first. */
const GENERAL = ["tree", "table"];
const OVERVIEW = "statistics";

/** The panel that shows a topic best; undefined: none does. */
export function bestPanel(topic: Topic, panels: Panel[]): Panel | undefined {
  let best: Panel | undefined;
  for (const panel of panels) {
    if (panel.shows(topic) > (best?.shows(topic) ?? 0)) best = panel;
  }
  return best;
}

export function placeFor(topic: Topic, panel: Panel, numeric: string[]): Place {
  if (panel.isOfBag) {
    const place = { panel: panel.name, topic: "", fields: [], settings: {} };
    return panel.take?.(place, topic) ?? place;
  }
  const fields = panel.fields?.(topic, numeric) ?? [];
  return { panel: panel.name, topic: topic.topic, fields, settings: {} };
}

/** Each topic in the panel that shows it best, those that are shown best first; a panel of the
    whole bag has one place for all its topics. Of what none of the special panels shows, the first
    topic is in the message tree. */
export function defaultPlaces(
  topics: Topic[],
  panels: Panel[],
  numericOf: (topic: Topic) => string[],
): Place[] {
  const wishes = topics
    .filter((topic) => topic.messages > 0)
    .map((topic) => ({ topic, panel: bestPanel(topic, panels) }))
    .filter((wish): wish is { topic: Topic; panel: Panel } => wish.panel !== undefined)
    .sort(
      (a, b) =>
        panels.indexOf(a.panel) - panels.indexOf(b.panel) ||
        b.panel.shows(b.topic) - a.panel.shows(a.topic),
    );
  const places: Place[] = [];
  if (wishes.every(({ panel }) => GENERAL.includes(panel.name))) {
    const overview = panels.find(({ name, isOfBag }) => name === OVERVIEW && isOfBag);
    if (overview) places.push({ panel: OVERVIEW, topic: "", fields: [], settings: {} });
  }
  const count = new Map<string, number>();
  for (const { topic, panel } of wishes) {
    const used = count.get(panel.name) ?? 0;
    const most = panel.isOfBag ? 1 : (MOST[panel.name] ?? 1);
    if (used >= most || places.length >= MOST_PLACES) continue;
    count.set(panel.name, used + 1);
    places.push(
      panel.isOfBag
        ? { panel: panel.name, topic: "", fields: [], settings: {} }
        : placeFor(topic, panel, numericOf(topic)),
    );
  }
  return places;
}

/** The topics whose messages a place needs, of those that there are: the server refuses others. */
export function topicsOf(place: Place, panel: Panel | undefined, topics: Topic[]): string[] {
  const wanted = panel?.reads?.(place, topics) ?? [place.topic];
  return wanted.filter((name) => topics.some((topic) => topic.topic === name));
}
