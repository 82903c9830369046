// Slices of several bags: each bag reads its own, and their messages are merged in the order of
// time; of equal times, those of the bag that comes first. Only bags that have something in a slice
// are asked, those before it for the state alone.

import type { Slice } from "../../player/slice";
import type { Message } from "../../player/store";
import type { FromWorker, ToWorker } from "../../player/worker";
import { ownTopics, shownName, type Part, type Slices } from "../source";
import type { Opened } from "./parts";

/** What a bag is asked for a slice of all of them; null: nothing. */
export function sliceOf(part: Part, slice: Slice): Slice | null {
  const topics = ownTopics(part, slice.topics);
  if (!topics.length) return null;
  const state = ownTopics(part, slice.state);
  const begin = Number(part.origin - slice.origin) / 1e9;
  const end = begin + part.length;
  if (begin >= slice.end || (end < slice.start && !state.length)) return null;
  return { ...slice, bag: part.name, topics, state };
}

/** Merges several streams, each of them in the order of time. */
export class Merge {
  private readonly streams: { messages: Message[]; at: number; isDone: boolean }[];

  constructor(count: number) {
    this.streams = Array.from({ length: count }, () => ({ messages: [], at: 0, isDone: false }));
  }

  get isDone(): boolean {
    return this.streams.every((each) => each.isDone && each.at === each.messages.length);
  }
  add(stream: number, messages: Message[]): void {
    const of = this.streams[stream]!;
    const waiting = of.messages.slice(of.at);
    of.messages = waiting.length ? waiting.concat(messages) : messages;
    of.at = 0;
  }
  end(stream: number): void {
    this.streams[stream]!.isDone = true;
  }

  /** What no later message can come before. */
  take(): Message[] {
    const taken: Message[] = [];
    for (;;) {
      let next: (typeof this.streams)[number] | null = null;
      for (const each of this.streams) {
        const message = each.messages[each.at];
        if (!message) {
          if (!each.isDone) return taken;
        } else if (!next || message.time < next.messages[next.at]!.time) {
          next = each;
        }
      }
      if (!next) return taken;
      taken.push(next.messages[next.at++]!);
    }
  }
}

interface Reading {
  id: number;
  merge: Merge;
  /** Which bag each stream is of. */
  parts: Opened[];
  damage: string[];
}

export class JoinedSlices implements Slices {
  onmessage: Slices["onmessage"] = null;
  private readonly readers = new Map<Opened, Slices>();
  private reading: Reading | null = null;
  private isClosed = false;

  constructor(private readonly parts: () => Promise<Opened[]>) {}

  postMessage(message: ToWorker): void {
    this.cancel();
    if ("read" in message) void this.read(message.id, message.read);
  }

  terminate(): void {
    this.isClosed = true;
    this.reading = null;
    for (const reader of this.readers.values()) reader.terminate();
    this.readers.clear();
  }

  private cancel(): void {
    const { reading } = this;
    this.reading = null;
    if (!reading) return;
    for (const part of reading.parts) {
      this.readers.get(part)?.postMessage({ id: reading.id, cancel: true });
    }
  }

  private tell(data: FromWorker): void {
    this.onmessage?.(new MessageEvent("message", { data }));
  }

  private async read(id: number, slice: Slice): Promise<void> {
    const reading: Reading = { id, merge: new Merge(0), parts: [], damage: [] };
    this.reading = reading;
    const parts = await this.parts();
    if (this.isClosed || this.reading !== reading) return;
    const asked = parts.flatMap((part) => {
      const own = sliceOf(part, slice);
      return own ? [{ part, own }] : [];
    });
    reading.parts = asked.map(({ part }) => part);
    reading.merge = new Merge(asked.length);
    if (!asked.length) return this.finish(reading);
    for (const { part, own } of asked) this.readerOf(part).postMessage({ id, read: own });
  }

  private readerOf(part: Opened): Slices {
    const known = this.readers.get(part);
    if (known) return known;
    const reader = part.source.slices();
    reader.onmessage = ({ data }) => this.take(part, data);
    this.readers.set(part, reader);
    return reader;
  }

  private take(part: Opened, answer: FromWorker): void {
    const { reading } = this;
    if (!reading || answer.id !== reading.id) return;
    const stream = reading.parts.indexOf(part);
    if ("error" in answer) {
      this.cancel();
      return this.tell({ ...answer, error: `${shownName(part.name)}: ${answer.error}` });
    }
    if ("messages" in answer) {
      const names = new Map(part.topics.map((each) => [each.topic, each.shownAs]));
      for (const message of answer.messages) {
        message.topic = names.get(message.topic) ?? message.topic;
      }
      reading.merge.add(stream, answer.messages);
    } else {
      const damage = answer.damage ?? [];
      reading.damage.push(...damage.map((each) => `${shownName(part.name)}: ${each}`));
      reading.merge.end(stream);
    }
    const messages = reading.merge.take();
    if (messages.length) this.tell({ id: reading.id, messages });
    if (reading.merge.isDone) this.finish(reading);
  }

  private finish(reading: Reading): void {
    this.reading = null;
    this.tell({ id: reading.id, done: true, damage: reading.damage });
  }
}
