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
  counts: Counts[];
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
  all: Counts[] | null = null;
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
    this.answer = answer;
    const origin = Number(this.bag.origin) / 1e9;
    const pieces = answer.pieces ?? [answer];
    const counts = new Map<string, Counts[]>();
    this.all = [];
    for (const { start_time, bucket_duration: part, topics } of pieces) {
      const start = Math.max(0, Number((start_time - origin).toFixed(6)));
      const all = new Float64Array(Math.max(0, ...topics.map((topic) => topic.counts.length)));
      for (const each of topics) {
        each.counts.forEach((count, i) => (all[i]! += count));
        const own = { start, part, counts: each.counts };
        counts.set(each.topic, [...(counts.get(each.topic) ?? []), own]);
      }
      this.all.push({ start, part, counts: all });
    }
    this.byTopic = new Map();
    for (const each of answer.topics) {
      const strip = stripOf(each, counts.get(each.topic) ?? [], origin);
      // The same name with another type: nothing more is known of them together.
      const isKnown = this.byTopic.has(each.topic);
      this.byTopic.set(each.topic, isKnown ? { ...strip, period: undefined, gaps: [] } : strip);
    }
    this.damage = answer.damage ?? [];
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
    const whole = countIn(this.all!, { start: 0, end: this.bag.length + 1 });
    const share = countIn(this.all!, range) / Math.max(1, whole);
    if (share * this.bytes > MOST_BYTES) return true;
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

function rangesOf(gaps: TimelineTopic["gaps"] = [], origin: number): Range[] {
  return gaps.map((gap) => ({ start: gap.start_time - origin, end: gap.end_time - origin }));
}

function stripOf(of: TimelineTopic, counts: Counts[], origin: number): Strip {
  const length = counts.reduce((sum, each) => sum + each.part * each.counts.length, 0);
  const period = usualPeriod(of.median_period, of.messages, length);
  const all = rangesOf(of.gaps, origin);
  const gaps = all.filter(({ start: from, end }) => end - from > GAP_PERIODS * (period ?? 0));
  const hasMoreGaps = of.has_more_gaps === true && gaps.length === all.length;
  return { topic: of.topic, counts, period, gaps, hasMoreGaps };
}
