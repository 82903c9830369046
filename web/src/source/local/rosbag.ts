// ROS 1 bags. Only the reader of the library for them is used: the rest of it makes programs of
// text (new Function), which the page's policy forbids, as soon as it is imported.

import BagReader from "@foxglove/rosbag/dist/cjs/BagReader";
import { ForwardIterator } from "@foxglove/rosbag/dist/cjs/ForwardIterator";

import { rosbagDecompress } from "./decompress";
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
/** Enough for the header of a chunk's record. */
const HEADER_BYTES = 512;
const INDEX_DATA = 4;
const ENTRY_BYTES = 12; // seconds, nanoseconds, an offset

interface Time {
  sec: number;
  nsec: number;
}

const nsOf = ({ sec, nsec }: Time) => BigInt(sec) * 1_000_000_000n + BigInt(nsec);
const timeOf = (ns: bigint): Time => ({
  sec: Number(ns / 1_000_000_000n),
  nsec: Number(ns % 1_000_000_000n),
});

/** Opens a bag of ROS 1 (V2.0) that has an index; any other one is NotHere. */
export async function openRosbag(file: Blob): Promise<IndexedFile> {
  const filelike = {
    size: () => file.size,
    // The library reads its first bytes without knowing how many there are.
    read: (offset: number, size: number) =>
      readBytes(file, offset, Math.min(size, Math.max(0, file.size - offset))),
  };
  const reader = new BagReader(filelike);
  const damaged = (error: Error) => {
    throw new NotHere(`has a damaged index (${error.message})`);
  };
  const { indexPosition, connectionCount, chunkCount } = await reader.readHeader().catch(damaged);
  // The recorder writes it at the end.
  if (indexPosition === 0) throw new NotHere("has no index: it was not completed");
  const read = reader.readConnectionsAndChunkInfo(indexPosition, connectionCount, chunkCount);
  const { connections: list, chunkInfos: chunks } = await read.catch(damaged);
  const connections = new Map(list.map((connection) => [connection.conn, connection]));
  const channels = new Map<number, Channel>();
  const definitions = new Map<number, Definition>();
  for (const connection of list) {
    const { conn: id, topic, type = "", messageDefinition } = connection;
    const isLatched = connection.latching === true;
    const schemaId = id + 1; // in an MCAP, 0 is none
    channels.set(id, { id, topic, type, encoding: "ros1", schemaId, isLatched });
    const data = new TextEncoder().encode(messageDefinition);
    definitions.set(schemaId, { id: schemaId, name: type, language: "ros1msg", data });
  }
  const idsOf = (topics: string[]) => {
    const wanted = [...channels.values()].filter((each) => topics.includes(each.topic));
    return new Set(wanted.map((each) => each.id));
  };
  return {
    format: "rosbag",
    channels,
    definitions,
    index: () =>
      inParallel([...chunks.keys()], AT_ONCE, async (i) => {
        const from = chunks[i]!.chunkPosition;
        const head = await readBytes(file, from, Math.min(HEADER_BYTES, file.size - from));
        const begin = from + recordBytes(new DataView(head.buffer));
        const end = chunks[i + 1]?.chunkPosition ?? indexPosition;
        return readIndex(await readBytes(file, begin, Math.max(0, end - begin)));
      }),
    async *messages(topics, start, end) {
      if (idsOf(topics).size === 0) return;
      const found = new ForwardIterator({
        ...{ position: timeOf(start), topics, reader, connections, chunkInfos: chunks },
        decompress: rosbagDecompress,
      });
      for await (const event of found) {
        const time = nsOf(event.timestamp);
        if (time > end) return;
        yield { channel: event.connectionId, time, data: event.data };
      }
    },
    bytesFor(topics, start, end) {
      const ids = idsOf(topics);
      let bytes = 0;
      chunks.forEach((chunk, i) => {
        if (nsOf(chunk.startTime) > end || nsOf(chunk.endTime) < start) return;
        if (!chunk.connections.some(({ conn }) => ids.has(conn))) return;
        bytes += (chunks[i + 1]?.chunkPosition ?? indexPosition) - chunk.chunkPosition;
      });
      return bytes;
    },
  };
}

/** The length of the record that begins here: header and data have theirs before them. */
function recordBytes(view: DataView, at = 0): number {
  const header = view.getUint32(at, true);
  return 4 + header + 4 + view.getUint32(at + 4 + header, true);
}

/** The records behind a chunk that say which messages it has. */
function readIndex(bytes: Uint8Array): IndexPart[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: IndexPart[] = [];
  for (let at = 0; at + 8 <= bytes.length; at += recordBytes(view, at)) {
    const headerBytes = view.getUint32(at, true);
    const fields = fieldsOf(view, at + 4, at + 4 + headerBytes);
    if (fields.get("op")?.getUint8(0) !== INDEX_DATA) continue;
    const count = fields.get("count")!.getUint32(0, true);
    const data = at + 8 + headerBytes;
    const times: bigint[] = [];
    for (let i = 0; i < count; ++i) {
      const entry = data + i * ENTRY_BYTES;
      const sec = view.getUint32(entry, true);
      times.push(nsOf({ sec, nsec: view.getUint32(entry + 4, true) }));
    }
    parts.push({ channel: fields.get("conn")!.getUint32(0, true), times });
  }
  return parts;
}

/** "name=value" pairs, each with its length before it. */
function fieldsOf(view: DataView, begin: number, end: number): Map<string, DataView> {
  const fields = new Map<string, DataView>();
  for (let at = begin; at + 4 < end; ) {
    const size = view.getUint32(at, true);
    const bytes = new Uint8Array(view.buffer, view.byteOffset + at + 4, size);
    const sign = bytes.indexOf(0x3d);
    const value = new DataView(view.buffer, bytes.byteOffset + sign + 1, size - sign - 1);
    fields.set(new TextDecoder().decode(bytes.subarray(0, sign)), value);
    at += 4 + size;
  }
  return fields;
}
