// Slices of a local file. Some begin with the state: the last message of each connection before
// them, which the index finds.

import type { Slice } from "../../player/slice";
import type { Message } from "../../player/store";
import type { IndexedFile, RawMessage } from "./indexed";
import { Stream } from "./stream";
import type { Times } from "./times";

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
    for (const { id, topic } of this.file.channels.values()) {
      if (!topics.includes(topic)) continue;
      const time = this.times.lastBefore(id, start);
      if (time === null) continue;
      let last: RawMessage | undefined;
      for await (const message of this.file.messages([topic], time, time)) {
        if (message.channel === id) last = message;
      }
      if (last) found.push(last);
    }
    return found.sort((a, b) => Number(a.time - b.time));
  }
}

const ns = (seconds: number) => BigInt(Math.round(seconds * 1e9));
