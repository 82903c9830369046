// Keeps the store filled around the clock: slice by slice from where the clock is to ten seconds
// ahead of it. A seek to what is not there forgets the rest, and cancels what is on its way. It
// asks first for the state (the last messages of slow topics), then for the first second, so that
// the first picture comes soon; later slices are longer.

import type { Topic } from "../api";
import type { Slice } from "./slice";
import type { Store } from "./store";
import type { FromWorker, ToWorker } from "./worker";

const AHEAD = 10;
const FIRST = 1;
const NEXT = 2;
/** What is slower than this is looked for further back. */
const SLOW_HZ = 2;
const STATE = 30;
const RETRY_MS = 2000;

/** What the loader sees of worker.ts; a test is one, too. */
export interface SliceWorker {
  postMessage(message: ToWorker): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
}

export interface LoadedBag {
  name: string;
  origin: bigint;
  length: number;
  topics: Topic[];
}

export class Loader {
  private topics: string[] = [];
  private id = 0;
  private slice: Slice | null = null; // on its way
  private isState = false; // it is the state before the stretch
  private goal = 0; // what is before this is on its way since the last seek
  private retryAt = 0;
  problem = "";
  needsToken = false;

  constructor(
    private readonly bag: LoadedBag,
    private readonly store: Store,
    private readonly worker: SliceWorker,
  ) {
    worker.onmessage = ({ data }) => this.take(data);
  }

  get isLoading(): boolean {
    return this.slice !== null;
  }

  /** What the panels show; other topics are not asked for. */
  setTopics(topics: string[], time: number): void {
    const sorted = [...new Set(topics)].sort();
    if (sorted.join("\n") === this.topics.join("\n")) return;
    this.topics = sorted;
    this.restart(time);
  }

  /** Asks for what is missing at `time`; called every frame, with the wall time in ms. */
  want(time: number, now: number): void {
    if (!this.topics.length) return;
    const { start, end } = this.store.covered;
    if (time < start || time > Math.max(end, this.goal)) {
      this.restart(time);
    } else if (!this.slice && now >= this.retryAt) {
      this.problem = "";
      this.store.trim(time);
      if (end < Math.min(time + AHEAD, this.end) && !this.store.isFull) this.read(end, end + NEXT);
    }
  }

  /** The end of the last slice: slices leave out their end. */
  private get end(): number {
    return this.bag.length + 1e-6;
  }

  private restart(time: number): void {
    if (this.slice) this.worker.postMessage({ id: this.id, cancel: true });
    this.slice = null;
    this.problem = "";
    if (!this.topics.length) return;
    const start = Math.max(0, time - FIRST);
    this.store.clear(start);
    this.goal = time + FIRST;
    const slow = this.bag.topics.filter(
      (each) => this.topics.includes(each.topic) && (each.rate_hz ?? 0) < SLOW_HZ,
    );
    if (slow.length && start > 0) {
      this.read(Math.max(0, start - STATE), start, slow.map((each) => each.topic));
    } else {
      this.read(start, this.goal);
    }
  }

  private read(start: number, end: number, slow?: string[]): void {
    this.isState = slow !== undefined;
    const until = Math.min(end, this.end);
    const { name: bag, origin } = this.bag;
    this.slice = { bag, topics: slow ?? this.topics, origin, start, end: until };
    this.worker.postMessage({ id: ++this.id, read: this.slice });
  }

  private take(answer: FromWorker): void {
    if (answer.id !== this.id || !this.slice) return;
    if ("messages" in answer) {
      for (const message of answer.messages) this.store.add(message);
      // They come in the order of time: what is before the last one is there.
      if (!this.isState) this.store.coverUntil(answer.messages.at(-1)!.time);
      return;
    }
    const { end } = this.slice;
    this.slice = null;
    if ("error" in answer) {
      this.problem = answer.error;
      this.needsToken = answer.needsToken;
      this.retryAt = performance.now() + RETRY_MS;
    } else if (this.isState) {
      this.read(this.store.covered.start, this.goal);
    } else {
      this.store.coverUntil(end);
    }
  }
}
