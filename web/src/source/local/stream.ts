// Messages of a local file as the server sends them: an MCAP, piece by piece. So they are decoded
// in the same way, whatever file they come from.

import { McapRecordBuilder } from "@mcap/core";

import { Records } from "../../player/slice";
import type { Message } from "../../player/store";
import type { IndexedFile, RawMessage } from "./indexed";

const PIECE_BYTES = 1 << 20;

export class Stream {
  private readonly records: Records;
  private builder = new McapRecordBuilder();

  constructor(file: IndexedFile, origin: bigint, topics: string[]) {
    this.records = new Records(origin);
    this.builder.writeMagic();
    this.builder.writeHeader({ profile: "", library: "" });
    for (const channel of file.channels.values()) {
      if (!topics.includes(channel.topic)) continue;
      const { id, topic, encoding: messageEncoding, schemaId } = channel;
      const definition = file.definitions.get(schemaId);
      if (definition) {
        const { name, language: encoding, data } = definition;
        this.builder.writeSchema({ id: schemaId, name, encoding, data });
      }
      const metadata = new Map<string, string>();
      this.builder.writeChannel({ id, schemaId, topic, messageEncoding, metadata });
    }
  }

  /** Takes a message; gives those that are decoded, once there are enough of them. */
  take({ channel, time, data }: RawMessage): Message[] {
    const [sequence, publishTime] = [0, time];
    this.builder.writeMessage({ channelId: channel, sequence, logTime: time, publishTime, data });
    return this.builder.length >= PIECE_BYTES ? this.flush() : [];
  }

  /** All that were taken. */
  flush(): Message[] {
    const piece = this.builder.buffer;
    this.builder = new McapRecordBuilder(); // the messages may be views of the one before
    return this.records.take(piece);
  }
}
