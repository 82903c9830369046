// One bag that is being played: the clock, the store, what fills it, and the one loop that moves
// everything. The page and its panels look at it; they hold no time of their own.

import { ask, askJson, bagPath, topicPattern } from "../api";
import type { Schema, SeriesAnswer, Timeline, Topic } from "../api";
import { Events } from "../timeline/events";
import { loopOf, NO_MARKS, type Marks } from "../timeline/marks";
import { Pins } from "../timeline/pins";
import { Strips } from "../timeline/strips";
import { quietStretches, skipsOf } from "../timeline/quiet";
import { panned, pinched, wholeOf, zoomed } from "../timeline/zoom";
import type { Meter } from "../debug/meter";
import { bytesOfBase64 } from "../decode/base64";
import { numbersOf } from "../decode/registry";
import type { NumberField } from "../decode/type";
import { gapsBetween, spansOf } from "../source/joined/words";
import { sourceOf } from "../source/server";
import { integerIn, isServed, type BagSource, type Slices } from "../source/source";
import { Clock } from "./clock";
import type { Feed, FramePicture, Range } from "./feed";
import { Loader, type Damage, type LoadedBag } from "./loader";
import { middleOf, readSample, type Sample } from "./sample";
import { secondsText } from "./slice";
import { stateFields, type StateField } from "./state_fields";
import { Store, type Message } from "./store";

/** Of a bag that is being recorded: whoever follows is not farther behind its end. */
const MOST_BEHIND = 2;
/** Of a longer one the timeline shows so much: the page holds it, so that plots of it need nothing
    of the server, which reads a growing bag anew for each. */
const FOLLOWED = 20;
/** Of a picture in one direction, as the server allows. */
const MOST_PIXELS = "4096";
/** Where a bag is opened: at its very start, most topics have no message yet. */
export const FIRST_TIME = 0.5;

export class Player implements Feed {
  readonly clock: Clock;
  readonly store = new Store();
  readonly origin: number;
  readonly strips: Strips;
  readonly events: Events;
  readonly pins = new Pins();
  gaps: Range[];
  /** Those whose messages the panels need. */
  topicsShown: string[] = [];
  view: Range;
  private marked: Marks = NO_MARKS;
  hover: number | null = null;
  /** The clock follows the end of a bag that is being recorded. */
  isFollowing = false;
  private readonly loader: Loader;
  private readonly draws = new Set<() => void>();
  private readonly ends = new Set<() => void>();
  private readonly seriesKept = new Map<string, Promise<SeriesAnswer>>();
  /** The first instant has been shown. */
  private readonly isShown: Promise<void>;
  private tellShown = () => {};
  private readonly numbersKept = new Map<string, NumberField[]>();
  private readonly last = new Map<string, Message | undefined>(); // what was shown
  private readonly samples = new Map<string, Promise<Sample>>();
  private delaysKept: Promise<Timeline> | undefined;
  private readonly states = new Map<Topic, StateField[]>();
  private frame = 0;
  private quietKept: Range[] = [];
  private quietVersion = -1;
  private areSkipped: boolean;
  /** Hears what each frame costs; null: nobody looks. */
  meter: Meter | null = null;

  private constructor(
    readonly bag: LoadedBag,
    private schemas: Schema[],
    /** Of all files of the bag. */
    readonly bytes: number,
    time: number | null,
    private readonly worker: Slices,
  ) {
    this.clock = new Clock(bag.length, time ?? FIRST_TIME);
    this.origin = Number(bag.origin) / 1e9;
    this.view = wholeOf(bag.length);
    this.gaps = gapsBetween(spansOf(bag));
    this.strips = new Strips(bag, bytes, (topic) => isServed(bag.name) && this.hasHeader(topic));
    this.areSkipped = this.gaps.length > 0; // nobody waits for what is between bags
    this.events = new Events(bag.name, bag.origin);
    void this.events.load();
    this.loader = new Loader(bag, this.store, worker);
    this.isShown = new Promise((resolve) => (this.tellShown = resolve));
    this.turn = this.turn.bind(this);
    this.frame = requestAnimationFrame(this.turn);
  }

  static async open(name: string, time: number | null): Promise<Player> {
    const source = sourceOf(name);
    const worker = source.slices(); // it starts while the server answers
    try {
      return await Player.read(name, time, source, worker);
    } catch (error) {
      worker.terminate();
      throw error;
    }
  }

  private static async read(
    name: string,
    time: number | null,
    source: BagSource,
    worker: Slices,
  ): Promise<Player> {
    const [info, topics, schemas, together] = await Promise.all([
      ask(bagPath(name, "info")).then((response) => response.text()),
      askJson<Topic[]>(bagPath(name, "topics")),
      askJson<Schema[]>(bagPath(name, "schemas")),
      source.together?.(),
    ]);
    const origin = integerIn(info, "start_ns");
    const length = Number(integerIn(info, "end_ns") - origin) / 1e9;
    const bag = { name, origin, length, topics, ...(together && { together }) };
    return new Player(bag, schemas, Number(integerIn(info, "size_bytes")), time, worker);
  }

  close(): void {
    cancelAnimationFrame(this.frame);
    this.strips.close();
    this.worker.terminate();
  }

  private turn(now: number): void {
    this.frame = requestAnimationFrame(this.turn);
    const begin = this.meter ? performance.now() : undefined;
    if (this.isFollowing && this.bag.length - this.time > MOST_BEHIND) this.catchUp();
    this.clock.skips = this.skipsQuiet && !this.clock.isOpen ? skipsOf(this.quiet) : [];
    this.clock.tick(now, this.covered.end);
    this.loader.want(this.time, now);
    this.showEnd();
    for (const draw of this.draws) draw();
    for (const write of this.ends) write();
    if (this.loader.isThere(this.time) || this.problem) this.tellShown();
    if (begin !== undefined) this.meter?.frame(now, performance.now() - begin);
  }

  get time(): number {
    return this.clock.time;
  }
  get timeline(): Timeline | null {
    return this.strips.answer;
  }
  /** Long stretches without a message. */
  get quiet(): Range[] {
    if (this.quietVersion !== this.strips.version) {
      const { all } = this.strips;
      this.quietKept = all ? quietStretches(all, this.bag.length) : [];
      this.quietVersion = this.strips.version;
    }
    return this.quietKept;
  }
  /** Play leaves these out. */
  get skipsQuiet(): boolean {
    return this.areSkipped;
  }
  setSkipsQuiet(skips: boolean): void {
    this.areSkipped = skips;
  }
  get covered(): Range {
    return this.store.covered;
  }
  /** The messages at this instant are on their way. */
  get isLate(): boolean {
    return this.time > this.covered.end;
  }
  get isLoading(): boolean {
    return this.isLate || (this.loader.isLoading && this.time >= this.covered.end - 0.05);
  }
  /** A slice is on its way. */
  get isReading(): boolean {
    return this.loader.isLoading;
  }
  get decodeMs(): number {
    return this.loader.decodeMs;
  }
  get problem(): string {
    return this.loader.problem;
  }
  get damage(): Damage[] {
    return this.loader.damage;
  }
  get needsToken(): boolean {
    return this.loader.needsToken;
  }

  at(topic: string): Message | undefined {
    if (this.isLate) return this.last.get(topic);
    const message = this.store.at(topic, this.time);
    this.last.set(topic, message);
    return message;
  }
  between(topic: string, after: number, time: number): Message[] {
    return this.store.between(topic, after, time);
  }

  onFrame(draw: () => void): () => void {
    this.draws.add(draw);
    draw();
    return () => this.draws.delete(draw);
  }

  /** After all of onFrame(): for what changes texts and places in each frame. Who asks for the size
      of an element after that has the page laid out once more. */
  onFrameEnd(write: () => void): () => void {
    this.ends.add(write);
    write();
    return () => this.ends.delete(write);
  }

  series(
    topic: string,
    fields: string[],
    range: Range,
    parts: number,
  ): Promise<SeriesAnswer> {
    const start = Math.max(0, range.start);
    const end = Math.min(this.bag.length + 1e-6, range.end);
    const query = new URLSearchParams({
      topics: topicPattern(topic),
      fields: fields.join(","),
      buckets: String(parts),
      start_time: secondsText(this.bag.origin, start),
      end_time: secondsText(this.bag.origin, Math.max(end, start + 1e-6)),
    });
    const path = bagPath(this.bag.name, `series?${query}`);
    let answer = this.seriesKept.get(path);
    if (!answer) {
      // The server may have to read the whole bag for it: first the picture.
      answer = this.isShown.then(() => askJson<SeriesAnswer>(path));
      this.seriesKept.set(path, answer);
      answer.catch(() => this.seriesKept.delete(path));
      if (this.seriesKept.size > 32) this.seriesKept.delete(this.seriesKept.keys().next().value!);
    }
    return answer;
  }

  delays(): Promise<Timeline> {
    const ask = () => askJson<Timeline>(bagPath(this.bag.name, "timeline?buckets=1&delay=1"));
    this.delaysKept ??= ask();
    return this.delaysKept;
  }

  sample(topic: string): Promise<Sample> {
    const kept = this.samples.get(topic);
    if (kept) return kept;
    const start = this.timeline ? middleOf(this.timeline, topic, this.origin) : 0;
    const { name: bag, origin, length } = this.bag;
    const end = length + 1e-6;
    const sample = readSample({ bag, topics: [topic], origin, start, end, state: [] });
    this.samples.set(topic, sample);
    return sample;
  }

  async picture(topic: string, time: number, signal: AbortSignal): Promise<FramePicture> {
    const { name, origin } = this.bag;
    if (!isServed(name)) throw new Error("it does not have this file");
    const size = { width: MOST_PIXELS, height: MOST_PIXELS };
    const query = new URLSearchParams({ topic, time: secondsText(origin, time), ...size });
    const response = await ask(bagPath(name, `thumbnail?${query}`), signal);
    const picture = await createImageBitmap(await response.blob());
    return { picture, time: Number(response.headers.get("Kitbag-Time")) - this.origin };
  }

  topic(name: string): Topic | undefined {
    return this.bag.topics.find((each) => each.topic === name);
  }

  private schemaOf(topic: Topic | undefined): Schema | undefined {
    return this.schemas.find(
      (each) => each.name === topic?.type && each.topics.includes(topic.topic),
    );
  }

  stateFields(topic: Topic): StateField[] {
    const known = this.states.get(topic);
    if (known) return known;
    const schema = this.schemaOf(topic);
    const fields = stateFields(schema?.language ?? "", schema?.text ?? "");
    this.states.set(topic, fields);
    return fields;
  }

  numeric(topic: Topic): string[] {
    return this.numbers(topic.topic).map((each) => each.path);
  }

  numbers(topic: string): NumberField[] {
    let found = this.numbersKept.get(topic);
    if (!found) {
      const schema = this.schemaOf(this.topic(topic));
      found = schema ? numbersOf({ ...schema, data: bytesOfSchema(schema) }) : [];
      this.numbersKept.set(topic, found);
    }
    return found;
  }

  private hasHeader(topic: string): boolean {
    const schema = this.schemas.find((each) => each.topics.includes(topic));
    const [own = ""] = (schema?.text ?? "").split("\n===");
    return /^\s*(std_msgs(::|\/))?(msg(::|\/))?Header\s+header\b/m.test(own);
  }

  showTopics(topics: string[]): void {
    this.topicsShown = [...new Set(topics)];
    this.pins.show(topics);
    this.loader.setTopics(topics, this.time);
  }

  /** To the end of a bag that is being recorded, and on with it. */
  follow(): void {
    const { length } = this.bag;
    const { start, end } = this.view;
    const size = Math.min(start <= 0 ? length : end - start, FOLLOWED, length);
    this.view = { start: length - size, end: length };
    this.setSpeed(1);
    this.catchUp();
  }
  private catchUp(): void {
    this.seek(this.bag.length);
    this.clock.play(performance.now());
    this.isFollowing = true;
  }
  /** A bag that is being recorded has become longer. */
  grow(length: number): void {
    if (length <= this.bag.length) return;
    this.bag.length = length;
    this.clock.length = length;
    this.gaps = gapsBetween(spansOf(this.bag));
  }
  /** The view goes on with what is followed, as far as the page has it; one that was moved into the
      past stays. */
  private showEnd(): void {
    const { start, end } = this.view;
    const to = Math.min(this.covered.end, this.bag.length);
    if (!this.isFollowing || to <= end || to - end > MOST_BEHIND) return;
    const size = start <= 0 && to <= FOLLOWED ? to : end - start;
    this.view = { start: to - size, end: to };
  }
  /** Its topics, and if there are others than before, their definitions. */
  update(topics: Topic[], schemas: Schema[] | null): void {
    this.bag.topics.splice(0, Infinity, ...topics);
    if (schemas) {
      this.schemas = schemas;
      this.numbersKept.clear();
      this.states.clear();
    }
    this.seriesKept.clear();
    this.strips.refresh();
  }

  seek(time: number): void {
    this.isFollowing = false;
    this.clock.seek(time, performance.now());
  }
  toggle(): void {
    this.isFollowing = false;
    if (this.clock.isPlaying) this.clock.pause(performance.now());
    else this.clock.play(performance.now());
  }
  setSpeed(speed: number): void {
    this.clock.setSpeed(speed, performance.now());
  }
  /** To the next message of a topic, or the one before. */
  step(topic: string, forward: boolean): void {
    const now = this.at(topic);
    const to = forward
      ? this.store.after(topic, this.time)
      : this.store.at(topic, (now?.time ?? this.time) - 1e-9);
    if (to) this.seek(to.time);
  }

  get marks(): Marks {
    return this.marked;
  }
  setMarks(marks: Marks): void {
    this.marked = marks;
    this.clock.loop = loopOf(marks, this.bag.length);
  }

  /** Shows `factor` times as much of the bag in the timeline; the time at `around` stays there. */
  zoom(factor: number, around: number): void {
    this.view = zoomed(this.view, factor, around, this.bag.length);
  }
  pan(by: number): void {
    this.view = panned(this.view, by, this.bag.length);
  }
  pinch(from: [number, number], to: [number, number]): void {
    this.view = pinched(this.view, from, to, this.bag.length);
  }
  showWhole(): void {
    this.view = wholeOf(this.bag.length);
  }
}

function bytesOfSchema({ text, data_base64 }: Schema): Uint8Array {
  return data_base64 ? bytesOfBase64(data_base64) : new TextEncoder().encode(text ?? "");
}
