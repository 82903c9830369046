// What a panel outside the page is made of, and what it gets: version 1. docs/adding-a-panel.md
// says how to add one. A folder NAME with a panel.js, whose default export is a PanelModule, is the
// panel NAME.
//
// What is added to this file does not change the version, and a panel may look whether it is there.
// What is changed or taken away raises it; the page says so of a panel of another version.

export interface PanelModule {
  version: 1;
  /** For people: "Battery". */
  title: string;
  /** How well it shows a topic: 0 is not at all, 1 is made for it. */
  shows(topic: Topic): number;
  /** True: it may stand without a topic, since it shows the whole bag. */
  isOfBag?: boolean;
  /** The fields that it begins with; `numeric` are the numbers in the topic's messages. */
  fields?(topic: Topic, numeric: string[]): string[];
  /** The topics whose messages it needs; without this function, the topic of its place. */
  reads?(place: Place, topics: Topic[]): string[];
  /** The place after a topic, or one of its fields, was dropped on it; undefined: it takes none. */
  take?(place: Place, topic: Topic, field?: string): Place | undefined;
  /** What a person may choose; it is in `place.settings` by its name. */
  options?: Option[];
  /** CSS for what it shows. It holds in the panel only, and that of the page not there; but the
      colours and measures of the page are there: `var(--accent)`. */
  styles?: string;
  /** Begins to show, in an element of its own. Called again for another topic. */
  mount(element: HTMLElement, panel: PanelHost): PanelView;
}

export interface PanelView {
  /** Called in each frame in which the panel can be seen. It does nothing if nothing has changed.
      Of a panel with a topic, only while there is a message that could be decoded: of others, the
      page says why not. */
  draw(): void;
  /** The panel goes. */
  remove?(): void;
}

/** What a panel sees of the page. All of it is that of the moment. */
export interface PanelHost {
  readonly place: Place;
  /** Of a panel of the whole bag, one without a name. */
  readonly topic: Topic;
  /** All topics of the bag. */
  readonly topics: readonly Topic[];
  /** Paths of all numbers in the topic's messages: "pose.pose.position.x". */
  readonly numeric: readonly string[];
  readonly feed: Feed;
  /** Changes the place. */
  set(change: { topic?: string; fields?: string[]; settings?: Record<string, string> }): void;
  /** An instant as the person chose to see times: local, UTC or since the start of the bag. */
  instantText(time: number): string;
}

export interface Topic {
  readonly topic: string;
  readonly type: string;
  readonly messages: number;
  readonly rate_hz?: number;
  /** How many of its connections are latched. */
  readonly latched: number;
}

/** What a panel shows. All of it is in the URL. */
export interface Place {
  readonly topic: string;
  readonly fields: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
}

export interface Option {
  name: string;
  /** For people. */
  title: string;
  /** What there is to choose from, the first one unless another is chosen; without this, a text. */
  values?: string[];
}

export interface Message {
  readonly topic: string;
  /** The log time, in seconds since the start of the bag. */
  readonly time: number;
  /** As decoded, with the names of the definition. It is the page's: not to be changed. */
  readonly value: unknown;
  /** Why it cannot be decoded, in place of the value. */
  readonly error?: string;
  /** The size of what was decoded. */
  readonly bytes: number;
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Times are seconds since the start of the bag. */
export interface Feed {
  /** The instant that all panels show. */
  readonly time: number;
  /** Seconds since 1970 of the start of the bag. */
  readonly origin: number;
  /** The part of the bag that the timeline shows. */
  readonly view: Range;
  /** The part whose messages the page holds. */
  readonly covered: Range;
  /** True while the messages at this instant are on their way. */
  readonly isLoading: boolean;
  /** Where the pointer is in time: who has the pointer sets it, all show it; null: nowhere. */
  hover: number | null;
  /** The last message of a topic at this instant. */
  at(topic: string): Message | undefined;
  /** Messages after one time, up to and at another one. */
  between(topic: string, after: number, time: number): readonly Message[];
  /** Count, least, greatest and mean value of fields in each part of a range. */
  series(topic: string, fields: string[], range: Range, parts: number): Promise<SeriesAnswer>;
  seek(time: number): void;
  /** Shows `factor` times as much of the bag; the time at `around` stays in its place. */
  zoom(factor: number, around: number): void;
  /** Shows what is so many seconds later. */
  pan(by: number): void;
}

export interface SeriesAnswer {
  start_time: number;
  bucket_duration: number;
  buckets: number;
  series: {
    topic: string;
    field: string;
    count: number[];
    min: (number | null)[];
    max: (number | null)[];
    mean: (number | null)[];
  }[];
}
