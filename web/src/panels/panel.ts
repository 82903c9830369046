// What a panel is. A panel shows a topic, several of them or the whole bag at the instant that the
// clock gives. It is a folder with a `panel.ts`, which says what it can show, and a `view.tsx`,
// which shows it, and one line in registry.ts. No panel knows another one, none fetches, and none
// keeps time. docs/adding-a-panel.md says how to add one.

import type { ComponentType } from "preact";

import type { Topic } from "../api";
import type { Ask } from "../code/code";
import type { Feed } from "../player/feed";

export interface Panel {
  /** In URLs: "plot". */
  name: string;
  /** For people: "Plot". */
  title: string;
  /** How well it shows a topic: 0 is not at all, 1 is made for it. */
  shows(topic: Topic): number;
  /** True: it may stand without a topic, since it shows the whole bag. */
  isOfBag?: boolean;
  /** The fields that it begins with, of those that the topic has. */
  fields?(topic: Topic, numeric: string[]): string[];
  /** The topics whose messages it needs; without this function, the topic of its place. */
  reads?(place: Place, topics: Topic[]): string[];
  /** The place after a topic, or one of its fields, was dropped on it; undefined: it takes none. */
  take?(place: Place, topic: Topic, field?: string): Place | undefined;
  /** The messages that it shows, for the code that gives them; without this function, those of its
      topics at the instant. */
  asks?(place: Place, topics: Topic[], feed: Feed): Ask[];
  View: ComponentType<PanelProps>;
  /** What a person may choose; the page shows it when the gear in the panel's head is pressed. */
  Options?: ComponentType<PanelProps>;
}

/** Where a panel stands, and what it shows there. All of it is in the URL. */
export interface Place {
  panel: string;
  /** "" if the panel shows the whole bag. */
  topic: string;
  fields: string[];
  /** What was chosen, by names of the panel's own. What is not there is as the panel likes it. */
  settings: Record<string, string>;
}

export interface PanelProps {
  place: Place;
  /** The topic of the place; of a panel of the whole bag, one without a name. */
  topic: Topic;
  /** All topics of the bag. */
  topics: Topic[];
  /** Paths of all numbers in the topic's messages. */
  numeric: string[];
  feed: Feed;
  /** Changes the place. */
  set(change: Partial<Place>): void;
}
