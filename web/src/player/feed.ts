// What panels see of the player: the instant that all of them show, the messages around it, and
// plots that the server makes of the whole bag.

import type { SeriesAnswer, Timeline, Topic } from "../api";
import type { NumberField } from "../decode/type";
import type { Sample } from "./sample";
import type { StateField } from "./state_fields";
import type { Message } from "./store";

export interface Range {
  start: number;
  end: number;
}

/** A picture that the server makes. Whoever has it closes it. */
export interface FramePicture {
  picture: ImageBitmap;
  /** Log time of its message. */
  time: number;
}

export interface Feed {
  /** Seconds since the start of the bag. */
  readonly time: number;
  /** The part of the bag that the timeline shows. */
  readonly view: Range;
  /** The part whose messages the page holds. */
  readonly covered: Range;
  /** Where nothing is, between bags that are shown together; undefined: nowhere. */
  readonly gaps?: Range[];
  /** The last message of a topic at this instant; undefined: none, or not there yet. While the
      messages of another instant are on their way it is the one before, which the page greys. */
  at(topic: string): Message | undefined;
  /** Messages after one time, up to and at another one. */
  between(topic: string, after: number, time: number): Message[];
  /** All numbers in a topic's messages, but those in lists. */
  numbers(topic: string): NumberField[];
  /** Count, least, greatest and mean value of fields in each part of a range. */
  series(topic: string, fields: string[], range: Range, parts: number): Promise<SeriesAnswer>;
  /** Messages of each topic over the whole bag; null: not there yet. */
  readonly timeline: Timeline | null;
  /** The same with the delay behind the stamps in headers, for which the server reads the bag. */
  delays(): Promise<Timeline>;
  /** Times and sizes of some messages of a topic, whether a panel shows it or not. */
  sample(topic: string): Promise<Sample>;
  /** The picture of a topic at a time as large as it is, which the server decodes. Throws if the
      bag has none. */
  picture(topic: string, time: number, signal: AbortSignal): Promise<FramePicture>;
  /** Fields that have a few values with a meaning each: enumerations, flags, texts. */
  stateFields(topic: Topic): StateField[];
  /** Seconds since 1970 of the start of the bag. */
  readonly origin: number;
  /** True while the messages at this instant are on their way. */
  readonly isLoading: boolean;
  /** Where the pointer is in time, so that all plots tell what was there; null: nowhere. */
  hover: number | null;
  seek(time: number): void;
  /** Shows `factor` times as much of the bag; the time at `around` stays in its place. */
  zoom(factor: number, around: number): void;
  /** Shows what is so many seconds later. */
  pan(by: number): void;
  /** Calls `draw` now and in each frame in which something may have changed, until the function
      that is returned is called. */
  onFrame(draw: () => void): () => void;
}
