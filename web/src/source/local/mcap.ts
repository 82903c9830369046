import { McapIndexedReader } from "@mcap/core";

import { mcapDecompress } from "./decompress";
import {
  inParallel,
  NotHere,
  readBytes,
  type Channel,
  type Definition,
  type IndexedFile,
  type IndexPart,
} from "./indexed";

const AT_ONCE = 32;
const MESSAGE_INDEX = 0x07;
const NS_BYTES = 16; // a time and an offset

/** Opens an MCAP file that has an index; any other one is NotHere. */
export async function openMcap(file: Blob): Promise<IndexedFile> {
  const readable = {
    size: () => Promise.resolve(BigInt(file.size)),
    read: (offset: bigint, size: bigint) => readBytes(file, Number(offset), Number(size)),
  };
  const reader = await McapIndexedReader.Initialize({
    readable,
    decompressHandlers: mcapDecompress,
    messageIndexCacheSizeBytes: 16 << 20,
  }).catch((error: Error) => {
    throw new NotHere(`has no index, or a damaged one (${error.message})`);
  });
  const { chunkIndexes } = reader;
  const count = reader.statistics?.messageCount ?? 0n;
  const hasAll = chunkIndexes.every((chunk) => chunk.messageIndexLength > 0n);
  if (!hasAll || (count > 0n && chunkIndexes.length === 0)) {
    throw new NotHere("has no index of its messages");
  }
  const channels = new Map<number, Channel>();
  for (const { id, topic, schemaId, messageEncoding, metadata } of reader.channelsById.values()) {
    const type = reader.schemasById.get(schemaId)?.name ?? "";
    const isLatched = isLatchedIn(metadata);
    channels.set(id, { id, topic, type, encoding: messageEncoding, schemaId, isLatched });
  }
  const definitions = new Map<number, Definition>();
  for (const { id, name, encoding, data } of reader.schemasById.values()) {
    definitions.set(id, { id, name, language: encoding, data });
  }
  return {
    format: "mcap",
    channels,
    definitions,
    index: () =>
      inParallel([...chunkIndexes], AT_ONCE, async (chunk) => {
        const at = Number(chunk.chunkStartOffset + chunk.chunkLength);
        return readIndex(await readBytes(file, at, Number(chunk.messageIndexLength)));
      }),
    async *messages(topics, startTime, endTime) {
      const options = { topics, startTime, endTime, validateCrcs: false };
      for await (const { channelId, logTime, data } of reader.readMessages(options)) {
        yield { channel: channelId, time: logTime, data };
      }
    },
    bytesFor(topics, start, end) {
      let bytes = 0;
      for (const chunk of chunkIndexes) {
        if (chunk.messageStartTime > end || chunk.messageEndTime < start) continue;
        const ids = [...chunk.messageIndexOffsets.keys()];
        if (ids.some((id) => topics.includes(channels.get(id)?.topic ?? ""))) {
          bytes += Number(chunk.uncompressedSize);
        }
      }
      return bytes;
    },
  };
}

/** The records behind a chunk that say which messages it has. */
function readIndex(bytes: Uint8Array): IndexPart[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: IndexPart[] = [];
  for (let at = 0; at + 9 <= bytes.length; ) {
    const size = Number(view.getBigUint64(at + 1, true));
    if (view.getUint8(at) === MESSAGE_INDEX) {
      const count = view.getUint32(at + 11, true) / NS_BYTES;
      const time = (_: unknown, i: number) => view.getBigUint64(at + 15 + i * NS_BYTES, true);
      const times = Array.from({ length: count }, time);
      parts.push({ channel: view.getUint16(at + 9, true), times });
    }
    at += 9 + size;
  }
  return parts;
}

function isLatchedIn(metadata: Map<string, string>): boolean {
  const qos = metadata.get("offered_qos_profiles") ?? "";
  return metadata.get("latching") === "1" || /durability: *(1|transient_local)\b/.test(qos);
}
