// A bag file that is read by its index: what is asked for is found without reading the rest, so a
// file of many gigabytes opens as quickly as a small one.

export interface Channel {
  id: number;
  topic: string;
  type: string;
  /** Of the messages: "ros1", "cdr" ... */
  encoding: string;
  schemaId: number;
  isLatched: boolean;
}

export interface Definition {
  id: number;
  name: string;
  /** "ros1msg", "ros2msg", "protobuf" ... */
  language: string;
  data: Uint8Array;
}

export interface RawMessage {
  channel: number;
  /** Log time, in ns since 1970. */
  time: bigint;
  data: Uint8Array;
}

export interface IndexedFile {
  format: string;
  channels: Map<number, Channel>;
  definitions: Map<number, Definition>;
  /** Log times of all messages, in no order; a piece of the index at a time. */
  index(): AsyncIterable<IndexPart[]>;
  /** Messages of some topics from `start` up to and at `end`, by log time. */
  messages(topics: string[], start: bigint, end: bigint): AsyncIterable<RawMessage>;
  /** How many bytes of the file that takes. */
  bytesFor(topics: string[], start: bigint, end: bigint): number;
}

export interface IndexPart {
  channel: number;
  times: bigint[];
}

/** The file is a bag, but not one that the page can read. */
export class NotHere extends Error {}

/** Bytes of a file; what is not there is an error. */
export async function readBytes(file: Blob, offset: number, size: number): Promise<Uint8Array> {
  if (offset < 0 || size < 0 || offset + size > file.size) {
    throw new RangeError("the file ends too early");
  }
  return new Uint8Array(await file.slice(offset, offset + size).arrayBuffer());
}

/** Does something with each item, several at a time, and gives the results in order. */
export async function* inParallel<T, R>(
  items: T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): AsyncIterable<R> {
  for (let i = 0; i < items.length; i += atOnce) {
    yield* await Promise.all(items.slice(i, i + atOnce).map(work));
  }
}
