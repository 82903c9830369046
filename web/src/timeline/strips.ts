// What the timeline knows of the bag: counts of all topics in equal parts of it, and of the pinned
// topics single messages where there are few enough. Whoever looks closer gets finer parts. What is
// there stays until something better has come, and a server that does not answer is asked again.

import { ask, askJson, bagPath, topicPattern, type Timeline, type TimelineTopic } from "../api";
import type { Range } from "../player/feed";
import type { LoadedBag } from "../player/loader";
import { secondsText } from "../player/slice";
import { countIn, partsFor, usualPeriod, type Counts } from "./heat";
import { StampReader, type Stamps } from "./stamps";

/** A view has to stand still for so long before something is asked for it. */
const STILL_MS = 200;
const RETRY_MS = 3000;
/** Of messages that are looked at one by one. */
const MOST_STAMPS = 20_000;
/** Of the bag, which the server reads for them: it holds messages of other topics in between. */
const MOST_BYTES = 128 << 20;

/** Periods without a message until it is a gap; the server has the same. */
const GAP_PERIODS = 5;

export interface Strip {
  topic: string;
  counts: Counts;
  period: number | undefined;
  /** Seconds since the start of the bag. */
  gaps: Range[];
  /** There are others, which are shorter. */
  hasMoreGaps: boolean;
}

export class Strips {
  /** Grows with each change of what is here. */
  version = 0;
  /** What the server said last of the whole bag. */
  answer: Timeline | null = null;
  /** Of all topics together. */
  all: Counts | null = null;
  byTopic = new Map<string, Strip>();
  stamps = new Map<string, Stamps>();
  /** Where `stamps` are complete. */
  private stampRange: Range = { start: 0, end: 0 };
  /** What is damaged, as the server says it of the whole bag. */
  damage: string[] = [];
  /** Why the server gave no counts. */
  problem = "";
  private parts = 0;
  private isAsking = false;
  private retryAt = 0;
  private stampKey = "";
  private stampAsked: Range = { start: 0, end: 0 };
  private stampsAsked: AbortController | null = null;
  private stillSince = 0;
  private last = "";

  /** `bytes`: of the whole bag; `hasHeader`: whether messages of a topic have a header. */
  constructor(
    private readonly bag: LoadedBag,
    private readonly bytes: number,
    private readonly hasHeader: (topic: string) => boolean,
  ) {}

  close(): void {
    this.stampsAsked?.abort();
  }

  /** The bag has more messages than before. */
  refresh(): void {
    this.parts = 0;
    this.stampKey = "";
  }

  /** Its messages one by one; undefined: there are too many in view, or they have no header. */
  stampsOf(topic: string, view: Range): Stamps | undefined {
    const { start, end } = this.stampRange;
    const isInside = start <= view.start && end >= Math.min(view.end, this.bag.length);
    return isInside ? this.stamps.get(topic) : undefined;
  }
  /** Asks for what a view of so many pixels needs; called every frame with the wall time in ms. */
  want(view: Range, width: number, pins: string[], now: number): void {
    const key = `${view.start} ${view.end} ${width} ${pins.join("\n")}`;
    if (key !== this.last) this.stillSince = now;
    this.last = key;
    if (now < this.retryAt) return;
    if (this.parts > 0 && now - this.stillSince < STILL_MS) return;
    const parts = partsFor(view, this.bag.length, width, this.bag.topics.length);
    if (parts <= this.parts) this.problem = "";
    else if (!this.isAsking) void this.askCounts(parts);
    this.wantStamps(view, pins);
  }

  private async askCounts(parts: number): Promise<void> {
    this.isAsking = true;
    try {
      this.take(await askJson<Timeline>(bagPath(this.bag.name, `timeline?buckets=${parts}`)));
      this.parts = parts;
      this.problem = "";
    } catch (error) {
      this.problem = (error as Error).message;
      this.retryAt = performance.now() + RETRY_MS;
    }
    this.isAsking = false;
  }

  private take(answer: Timeline): void {
    const { start_time, bucket_duration, topics, damage } = answer;
    this.answer = answer;
    const origin = Number(this.bag.origin) / 1e9;
    const start = Math.max(0, Number((start_time - origin).toFixed(6)));
    const all = new Float64Array(Math.max(0, ...topics.map((topic) => topic.counts.length)));
    this.byTopic = new Map();
    for (const each of topics) {
      each.counts.forEach((count, i) => (all[i]! += count));
      const strip = stripOf(each, start, bucket_duration, origin);
      const other = this.byTopic.get(each.topic); // the same name with another type
      this.byTopic.set(each.topic, other ? together(other, strip) : strip);
    }
    this.all = { start, part: bucket_duration, counts: all };
    this.damage = damage ?? [];
    ++this.version;
  }

  private wantStamps(view: Range, pins: string[]): void {
    const topics = pins.filter((topic) => this.byTopic.has(topic) && this.hasHeader(topic)).sort();
    const { start, end } = this.stampAsked;
    const key = topics.join("\n");
    if (key === this.stampKey && start <= view.start && end >= view.end) return;
    if (!topics.length || this.isTooMuch(topics, view)) return;
    // A little more than what is shown, so that a small step aside needs nothing new.
    const size = view.end - view.start;
    const wide = { start: Math.max(0, view.start - size / 2), end: view.end + size / 2 };
    const range = this.isTooMuch(topics, wide) ? view : wide;
    this.stampsAsked?.abort();
    this.stampsAsked = new AbortController();
    this.stampKey = key;
    this.stampAsked = range;
    void this.askStamps(topics, range, this.stampsAsked.signal);
  }

  private isTooMuch(topics: string[], range: Range): boolean {
    const seconds = Math.min(range.end, this.bag.length) - Math.max(0, range.start);
    if ((seconds / Math.max(1e-9, this.bag.length)) * this.bytes > MOST_BYTES) return true;
    const count = (topic: string) => countIn(this.byTopic.get(topic)!.counts, range);
    return topics.reduce((sum, each) => sum + count(each), 0) > MOST_STAMPS;
  }

  private async askStamps(topics: string[], range: Range, signal: AbortSignal): Promise<void> {
    const query = new URLSearchParams({
      topics: topics.map((topic) => topicPattern(topic)).join(","),
      fields: "header",
      start_time: secondsText(this.bag.origin, range.start),
      end_time: secondsText(this.bag.origin, Math.min(range.end, this.bag.length + 1e-6)),
      format: "ndjson",
    });
    const reader = new StampReader(this.bag.origin, range.start);
    try {
      const response = await ask(bagPath(this.bag.name, `player?${query}`), signal);
      const body = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await body.read();
        if (done) break;
        reader.take(value);
      }
      this.stamps = reader.topics;
      this.stampRange = range;
      ++this.version;
    } catch {
      if (signal.aborted) return;
      this.stampKey = "";
      this.retryAt = performance.now() + RETRY_MS;
    }
  }
}

function stripOf(of: TimelineTopic, start: number, part: number, origin: number): Strip {
  const length = part * of.counts.length;
  const period = usualPeriod(of.median_period, of.messages, length);
  const all = (of.gaps ?? []).map((gap) => ({
    start: gap.start_time - origin,
    end: gap.end_time - origin,
  }));
  const gaps = all.filter(({ start: from, end }) => end - from > GAP_PERIODS * (period ?? 0));
  const hasMoreGaps = of.has_more_gaps === true && gaps.length === all.length;
  return { topic: of.topic, counts: { start, part, counts: of.counts }, period, gaps, hasMoreGaps };
}

function together(a: Strip, b: Strip): Strip {
  const counts = Array.from(a.counts.counts, (count, i) => count + (b.counts.counts[i] ?? 0));
  const { topic } = a;
  const parts = { ...a.counts, counts };
  return { topic, counts: parts, period: undefined, gaps: [], hasMoreGaps: false };
}
