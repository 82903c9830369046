// A slice of a bag as it is streamed: an MCAP whose messages are decoded as they come.

import { McapStreamReader } from "@mcap/core";

import { ask, bagPath, topicPattern } from "../api";
import { decoderOf } from "../decode/registry";
import type { Decode, Schema } from "../decode/type";
import type { Message } from "./store";

export interface Slice {
  bag: string;
  topics: string[];
  /** When the bag begins, in ns since 1970. */
  origin: bigint;
  /** Seconds since then; messages from `start` on, and before `end`. */
  start: number;
  end: number;
  /** Whose last messages before the slice come first, and with those that are frames of a video all
      from the last key frame on: topics, or none. */
  state: string[];
}

/** "1767225600.250000000" of seconds since the start of a bag. */
export function secondsText(origin: bigint, time: number): string {
  const ns = origin + BigInt(Math.round(time * 1e9));
  return `${ns / 1_000_000_000n}.${String(ns % 1_000_000_000n).padStart(9, "0")}`;
}

export function pathOf(slice: Slice): string {
  const query = new URLSearchParams({
    start_time: secondsText(slice.origin, slice.start),
    end_time: secondsText(slice.origin, slice.end),
    topics: slice.topics.map((topic) => topicPattern(topic)).join(","),
    state: slice.state.map((topic) => topicPattern(topic)).join(",") || "none",
    key_frames: slice.state.length ? "1" : "0", // what is there has those of the slices before
    format: "mcap",
  });
  return bagPath(slice.bag, `player?${query}`);
}

const NO_SCHEMA: Schema = { name: "", language: "", data: new Uint8Array() };

interface Channel {
  topic: string;
  decode: Decode | null;
  error: string;
}

let spentMs = 0;

/** What this thread has spent on decoding until now, for the debug strip. */
export const decodeMs = () => spentMs;

/** Records of an MCAP as messages. */
export class Records {
  private readonly reader = new McapStreamReader({ validateCrcs: false });
  private readonly schemas = new Map<number, Schema>();
  private readonly channels = new Map<number, Channel>();
  /** What the server found to be damaged in the slice. */
  readonly damage: string[] = [];

  constructor(private readonly origin: bigint) {}

  /** What is whole after another piece of the stream. */
  take(piece: Uint8Array): Message[] {
    const messages: Message[] = [];
    const begin = performance.now();
    this.reader.append(piece);
    for (let record; (record = this.reader.nextRecord()); ) {
      if (record.type === "Schema") {
        const { id, name, encoding: language, data } = record;
        this.schemas.set(id, { name, language, data });
      } else if (record.type === "Channel") {
        if (!this.channels.has(record.id)) this.channels.set(record.id, this.channelOf(record));
      } else if (record.type === "Message") {
        const channel = this.channels.get(record.channelId);
        if (channel) messages.push(this.messageOf(channel, record.logTime, record.data));
      } else if (record.type === "Metadata" && record.name === "damage") {
        this.damage.push(...record.metadata.values());
      }
    }
    spentMs += performance.now() - begin;
    return messages;
  }

  private channelOf(record: { topic: string; schemaId: number; messageEncoding: string }): Channel {
    const schema = this.schemas.get(record.schemaId) ?? NO_SCHEMA;
    const { topic, messageEncoding } = record;
    try {
      const decode = decoderOf(messageEncoding, schema);
      return { topic, decode, error: "" };
    } catch (error) {
      return { topic, decode: null, error: sentence(error) };
    }
  }

  private messageOf(channel: Channel, logTime: bigint, data: Uint8Array): Message {
    const time = Number(logTime - this.origin) / 1e9;
    const message: Message = { topic: channel.topic, time, value: undefined, bytes: data.length };
    try {
      if (channel.decode) message.value = channel.decode(data);
      else message.error = channel.error;
    } catch (error) {
      message.error = sentence(error);
    }
    return message;
  }
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Gives all messages of a slice, piece by piece, as they arrive; returns what is damaged in it. */
export async function readSlice(
  slice: Slice,
  give: (messages: Message[]) => void,
  signal: AbortSignal,
): Promise<string[]> {
  const response = await ask(pathOf(slice), signal);
  const records = new Records(slice.origin);
  const body = response.body!.getReader();
  for (;;) {
    const { done, value } = await body.read();
    if (done) return records.damage;
    const messages = records.take(value);
    if (messages.length) give(messages);
  }
}

/** Gives each array of a message a buffer of its own, and returns these: a buffer that is
    transferred is not copied. */
export function ownBuffers(messages: Message[]): ArrayBuffer[] {
  const buffers: ArrayBuffer[] = [];
  const walk = (value: unknown, put: (own: unknown) => void) => {
    if (ArrayBuffer.isView(value)) {
      const view = value as Uint8Array;
      const own = view.byteLength === view.buffer.byteLength ? view : view.slice();
      if (own !== view) put(own);
      buffers.push(own.buffer as ArrayBuffer);
    } else if (Array.isArray(value)) {
      value.forEach((each, i) => walk(each, (own) => (value[i] = own)));
    } else if (typeof value === "object" && value !== null) {
      const fields = value as Record<string, unknown>;
      for (const name in fields) walk(fields[name], (own) => (fields[name] = own));
    }
  };
  for (const message of messages) walk(message.value, (own) => (message.value = own));
  return buffers;
}
