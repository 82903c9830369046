// What a panel is. A panel shows one topic (or several of its fields) at the instant that the clock
// gives. It is a folder with a `panel.ts`, which says what it can show, and a `view.tsx`, which
// shows it, and one line in registry.ts. No panel knows another one, none fetches, and none keeps
// time. docs/adding-a-panel.md says how to add one.

import type { ComponentType } from "preact";

import type { Topic } from "../api";
import type { Feed } from "../player/feed";

export interface Panel {
  /** In URLs: "plot". */
  name: string;
  /** For people: "Plot". */
  title: string;
  /** How well it shows a topic: 0 is not at all, 1 is made for it. */
  shows(topic: Topic): number;
  /** The fields that it begins with, of those that the topic has. */
  fields?(topic: Topic, numeric: string[]): string[];
  View: ComponentType<PanelProps>;
}

/** Where a panel stands, and what it shows there. */
export interface Place {
  panel: string;
  topic: string;
  fields: string[];
}

export interface PanelProps {
  topic: Topic;
  fields: string[];
  /** Paths of all numbers in the topic's messages. */
  numeric: string[];
  feed: Feed;
  setFields(fields: string[]): void;
}
