// What there is to say of a topic's messages: how many, how often, how regularly, how large.

import type { TimelineTopic, Timeline, Topic } from "../../api";
import type { Range } from "../../player/feed";
import type { Sample } from "../../player/sample";

export interface Figures {
  topic: string;
  type: string;
  messages: number;
  rate: number | undefined;
  /** Of the part that the timeline shows; about, unless it shows all. */
  seen: number | undefined;
  seenRate: number | undefined;
  /** Measured in the last seconds before the instant; undefined: no panel shows the topic. */
  now: number | undefined;
  /** Standard deviation of the times between messages, in seconds. */
  jitter: number | undefined;
  longestGap: number | undefined;
  /** Bytes of a message, the mean. */
  size: number | undefined;
  bytesPerSecond: number | undefined;
  delay: number | undefined;
  mostDelay: number | undefined;
  missing: number | undefined;
}

/** Messages within a range; of a part that lies in it partly, that much. */
export function messagesIn(
  { start_time, bucket_duration }: Timeline,
  { counts }: TimelineTopic,
  origin: number,
  range: Range,
): number {
  let sum = 0;
  const begin = start_time - origin;
  counts.forEach((count, i) => {
    const start = Math.max(range.start, begin + i * bucket_duration);
    const end = Math.min(range.end, begin + (i + 1) * bucket_duration);
    if (end > start) sum += count * Math.min(1, (end - start) / bucket_duration);
  });
  return sum;
}

export function mean(values: number[]): number | undefined {
  return values.length ? values.reduce((a, b) => a + b, 0) / values.length : undefined;
}

/** The times between messages: how far they spread, and the longest. */
export function intervals(times: number[]): { deviation: number; longest: number } | undefined {
  if (times.length < 3) return undefined;
  const between = times.slice(1).map((time, i) => time - times[i]!);
  const middle = mean(between)!;
  const square = mean(between.map((each) => (each - middle) ** 2))!;
  return { deviation: Math.sqrt(square), longest: between.reduce((a, b) => Math.max(a, b)) };
}

export function longestGap(topic: TimelineTopic | undefined): number | undefined {
  const lengths = topic?.gaps?.map((each) => each.end_time - each.start_time) ?? [];
  return lengths.length ? lengths.reduce((a, b) => Math.max(a, b)) : undefined;
}

export interface Sources {
  timeline: Timeline | null;
  delays: Timeline | null;
  origin: number;
  view: Range;
  /** What is known of single messages. */
  sample: Sample | undefined;
  now: number | undefined;
}

export function figuresOf(topic: Topic, sources: Sources): Figures {
  const { timeline, delays, origin, view, sample, now } = sources;
  const find = (from: Timeline | null) => from?.topics.find((each) => each.topic === topic.topic);
  const counted = find(timeline);
  const delayed = find(delays);
  const seen = counted && timeline ? messagesIn(timeline, counted, origin, view) : undefined;
  const spread = intervals(sample?.times ?? []);
  const size = mean(sample?.bytes ?? []);
  const gap = longestGap(counted);
  return {
    topic: topic.topic,
    type: topic.type,
    messages: topic.messages,
    rate: topic.rate_hz || undefined, // of one message, there is none
    seen,
    seenRate: seen !== undefined && topic.rate_hz ? seen / (view.end - view.start) : undefined,
    now,
    jitter: spread?.deviation,
    longestGap: gap ?? spread?.longest,
    size,
    bytesPerSecond: size !== undefined && topic.rate_hz ? size * topic.rate_hz : undefined,
    delay: delayed?.delay?.median,
    mostDelay: delayed?.delay?.most,
    missing: delayed?.missing,
  };
}

export type SortKey = keyof Figures;

/** What is not known comes last, in either direction. */
export function sortFigures(figures: Figures[], key: SortKey, isDown: boolean): Figures[] {
  const sign = isDown ? -1 : 1;
  return [...figures].sort((a, b) => {
    const [left, right] = [a[key], b[key]];
    if (left === undefined || right === undefined) {
      return Number(left === undefined) - Number(right === undefined);
    }
    return left < right ? -sign : left > right ? sign : a.topic < b.topic ? -1 : 1;
  });
}
