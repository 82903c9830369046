// Slices of a local file. Some begin with the state: the last message of each connection before
// them, which the index finds, and of a video all from the last key frame on. As from the server,
// that is all there are if there is no key frame: it may be in another file.

import type { Slice } from "../../player/slice";
import type { Message } from "../../player/store";
import { beginOf } from "../../video/frame";
import { mayBeVideo } from "../../video/types";
import type { Channel, IndexedFile, RawMessage } from "./indexed";
import { Stream } from "./stream";
import type { Times } from "./times";

/** From a key frame on, as the server has them. */
const MOST_FRAMES = 1000;
const MOST_BYTES = 256 << 20;
/** So many are looked at first. */
const FIRST_FRAMES = 32;

export class SliceReader {
  constructor(
    private readonly file: IndexedFile,
    private readonly times: Times,
  ) {}

  async read(
    slice: Slice,
    give: (messages: Message[]) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { origin, topics } = slice;
    const start = origin + ns(slice.start);
    const stream = new Stream(this.file, origin, topics);
    const pass = (messages: Message[]) => messages.length && give(messages);
    for (const message of await this.state(slice.state, start)) pass(stream.take(message));
    for await (const message of this.file.messages(topics, start, origin + ns(slice.end) - 1n)) {
      if (signal.aborted) return;
      pass(stream.take(message));
    }
    pass(stream.flush());
  }

  private async state(topics: string[], start: bigint): Promise<RawMessage[]> {
    const found: RawMessage[] = [];
    for (const channel of this.file.channels.values()) {
      if (!topics.includes(channel.topic)) continue;
      const time = this.times.lastBefore(channel.id, start);
      if (time === null) continue;
      const last = (await this.messages(channel, time, time))?.slice(-1) ?? [];
      const isVideo = mayBeVideo(channel.type) && this.beginOf(channel, last) < 0;
      found.push(...(isVideo ? ((await this.fromKeyFrame(channel, start)) ?? last) : last));
    }
    return found.sort((a, b) => Number(a.time - b.time));
  }

  /** null: that would be too many. */
  private async fromKeyFrame(channel: Channel, end: bigint): Promise<RawMessage[] | null> {
    const last = this.times.lastBefore(channel.id, end)!;
    for (let back = FIRST_FRAMES; ; back = Math.min(back * 4, MOST_FRAMES)) {
      const start = this.times.lastBefore(channel.id, end, back - 1)!;
      const messages = await this.messages(channel, start, last);
      if (!messages) return null;
      const begin = this.beginOf(channel, messages);
      if (begin >= 0) return messages.slice(begin);
      if (messages.length < back) return messages;
      if (back === MOST_FRAMES) return null;
    }
  }

  private beginOf(channel: Channel, messages: RawMessage[]): number {
    const stream = new Stream(this.file, 0n, [channel.topic]);
    const decoded = messages.flatMap((each) => stream.take(each)).concat(stream.flush());
    return beginOf(channel.type, decoded, decoded.length - 1);
  }

  private async messages(
    { id, topic }: Channel,
    start: bigint,
    end: bigint,
  ): Promise<RawMessage[] | null> {
    const found: RawMessage[] = [];
    let bytes = 0;
    for await (const message of this.file.messages([topic], start, end)) {
      if (message.channel !== id) continue;
      found.push(message);
      bytes += message.data.length;
      if (bytes > MOST_BYTES) return null;
    }
    return found;
  }
}

const ns = (seconds: number) => BigInt(Math.round(seconds * 1e9));
