// Keeps the store filled around the clock: slice by slice from where the clock is to ten seconds
// ahead of it. A seek to what is not there forgets the rest, and cancels what is on its way. The
// first slice is short, so that the first picture comes soon, and begins with the state: the last
// message of each topic, however long ago it came, and of a video all from the last key frame on.
// Transforms and logs are shown of many messages: of these, the messages before the slice are asked
// for, too.

import type { Topic } from "../api";
import type { Together } from "../source/source";
import { beginOf } from "../video/frame";
import { mayBeVideo } from "../video/types";
import type { Slice } from "./slice";
import type { Message, Store } from "./store";
import type { FromWorker, ToWorker } from "./worker";

const AHEAD = 10;
const FIRST = 1;
const NEXT = 2;
/** How far back messages that add up are asked for; if they are few, from the start. */
const BACK = 30;
const FEW = 1000;
const RETRY_MS = 2000;
/** So far behind what is held of a video may its key frame be. */
const MOST_FRAMES = 1000;

/** Types of which more than the last message is shown: transforms and markers add up, a log is read
    from line to line. */
const GATHERED = new RegExp(
  "(^|[./])(TFMessage|tfMessage|TransformStamped|FrameTransforms?|Log|DiagnosticArray|" +
    "Marker|MarkerArray|OccupancyGridUpdate|SceneUpdate)$",
);

function isGathered(type: string): boolean {
  return GATHERED.test(type);
}

/** A part of the bag in which the server found damage. */
export interface Damage {
  start: number;
  end: number;
  what: string;
}

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
  /** Of several bags that are shown as one. */
  together?: Together;
}

export class Loader {
  private topics: string[] = [];
  private id = 0;
  private slice: Slice | null = null; // on its way
  private before: Slice[] = []; // to be read before the stretch
  private gathered = new Set<string>(); // the topics that they are of
  private hasState = false; // the state before the stretch has come
  private goal = 0; // what is before this is on its way since the last seek
  private retryAt = 0;
  readonly damage: Damage[] = [];
  problem = "";
  needsToken = false;
  /** What the worker has spent on decoding, in ms. */
  decodeMs = 0;

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

  /** What is shown at `time` has come. Without topics, nothing is shown yet. */
  isThere(time: number): boolean {
    return this.topics.length > 0 && this.store.covered.end > time;
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
    if (!this.topics.length) {
      this.coverAll();
      return;
    }
    const { start, end } = this.store.covered;
    if (time < start || time > Math.max(end, this.goal)) {
      this.restart(time);
    } else if (!this.slice && now >= this.retryAt) {
      if (!this.hasState) return this.restart(time);
      this.problem = "";
      this.store.trim(
        time,
        (topic) => this.isKept(topic),
        (...of) => this.firstOf(...of),
      );
      const isEnough = end >= Math.min(time + AHEAD, this.end) || this.store.isFull;
      if (!isEnough) this.read(this.sliceOf(this.topics, end, end + NEXT, []));
    }
  }

  /** Of no topics, all messages are there: the clock need not wait. */
  private coverAll(): void {
    if (this.store.covered.end >= this.end) return;
    this.store.clear(0);
    this.store.coverUntil(this.end);
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
    this.hasState = false;
    this.before = start > 0 ? this.slicesBefore(start) : [];
    this.gathered = new Set(this.before.flatMap((each) => each.topics));
    this.readNext();
  }

  /** Messages that add up and are few are all there, however far the clock goes. */
  private isKept(name: string): boolean {
    const topic = this.topic(name);
    return topic !== undefined && isGathered(topic.type) && topic.messages <= FEW;
  }

  /** What is held of a video begins with a key frame, if that is near. */
  private firstOf(name: string, messages: readonly Message[], at: number): number {
    const type = this.topic(name)?.type ?? "";
    if (!mayBeVideo(type)) return at;
    const begin = beginOf(type, messages, at, MOST_FRAMES);
    return begin < 0 ? at : begin;
  }

  private topic(name: string): Topic | undefined {
    return this.bag.topics.find((each) => each.topic === name);
  }

  private slicesBefore(end: number): Slice[] {
    const gathered = this.bag.topics.filter(
      (each) => this.topics.includes(each.topic) && isGathered(each.type),
    );
    const few = gathered.filter((each) => each.messages <= FEW);
    const many = gathered.filter((each) => each.messages > FEW);
    const names = (topics: Topic[]) => topics.map((each) => each.topic);
    return [
      this.sliceOf(names(few), 0, end, []),
      this.sliceOf(names(many), Math.max(0, end - BACK), end, []),
    ].filter((each) => each.topics.length);
  }

  /** What comes before the stretch, or else its beginning with the state. */
  private readNext(): void {
    const { start } = this.store.covered;
    const next = this.before.shift();
    if (next) this.read(next);
    else this.read(this.sliceOf(this.topics, start, this.goal, start > 0 ? this.topics : []));
  }

  private sliceOf(topics: string[], start: number, end: number, state: string[]): Slice {
    const { name: bag, origin } = this.bag;
    return { bag, topics, origin, start, end: Math.min(end, this.end), state };
  }

  private read(slice: Slice): void {
    this.slice = slice;
    this.worker.postMessage({ id: ++this.id, read: slice });
  }

  private take(answer: FromWorker): void {
    if (answer.id !== this.id || !this.slice) return;
    const { start } = this.store.covered;
    const isBefore = this.slice.end <= start;
    if ("messages" in answer) {
      this.decodeMs = answer.decodeMs ?? 0;
      for (const message of answer.messages) {
        const isRepeated =
          !isBefore &&
          message.time < start &&
          this.gathered.has(message.topic) &&
          this.store.at(message.topic, start) !== undefined;
        if (!isRepeated) this.store.add(message);
      }
      if (isBefore) return;
      // They come in the order of time: what is before the last one is there.
      const { time } = answer.messages.at(-1)!;
      if (time >= start) this.hasState = true;
      this.store.coverUntil(time);
      return;
    }
    const { start: from, end } = this.slice;
    this.slice = null;
    if ("done" in answer) this.note(from, end, answer.damage ?? []);
    if ("error" in answer) {
      this.problem = answer.error;
      this.needsToken = answer.needsToken;
      this.retryAt = performance.now() + RETRY_MS;
    } else if (isBefore) {
      this.readNext();
    } else {
      this.hasState = true;
      this.store.coverUntil(end);
    }
  }

  private note(start: number, end: number, damage: string[]): void {
    if (!damage.length) return;
    const what = damage.join("; ");
    const same = this.damage.find((each) => each.start === start && each.end === end);
    if (!same) this.damage.push({ start, end, what });
  }
}
