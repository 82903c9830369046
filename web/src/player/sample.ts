// Times and sizes of some messages of a topic from the middle of the bag: enough to say how large
// they are and how regularly they come, without reading all of them. They are not decoded.

import { McapStreamReader } from "@mcap/core";

import { ask, type Timeline } from "../api";
import { pathOf, type Slice } from "./slice";

export interface Sample {
  /** Log times in seconds since the start of the bag, one after the other without a hole. */
  times: number[];
  /** Of the payloads. */
  bytes: number[];
}

const MOST_MESSAGES = 200;
/** A few pictures are enough. */
const MOST_BYTES = 1 << 20;

/** Where the half of a topic's messages has come, in seconds since the start of the bag. */
export function middleOf(timeline: Timeline, topic: string, origin: number): number {
  const counts = timeline.topics.find((each) => each.topic === topic)?.counts ?? [];
  const all = counts.reduce((a, b) => a + b, 0);
  let before = 0;
  const part = counts.findIndex((count) => (before += count) * 2 >= all);
  if (part <= 0) return 0;
  return Math.max(0, timeline.start_time - origin + part * timeline.bucket_duration);
}

export async function readSample(slice: Slice): Promise<Sample> {
  const controller = new AbortController();
  const path = `${pathOf(slice)}&limit=${MOST_MESSAGES}`;
  const response = await ask(path, controller.signal);
  const reader = new McapStreamReader({ validateCrcs: false });
  const sample: Sample = { times: [], bytes: [] };
  const body = response.body!.getReader();
  for (let read = 0; read < MOST_BYTES; ) {
    const { done, value } = await body.read();
    if (done) return sample;
    read += value.length;
    reader.append(value);
    for (let record; (record = reader.nextRecord()); ) {
      if (record.type !== "Message") continue;
      const time = Number(record.logTime - slice.origin) / 1e9;
      // Of a latched topic, a message from before the slice comes first.
      if (time >= slice.start) sample.times.push(time);
      sample.bytes.push(record.data.length);
    }
  }
  controller.abort();
  return sample;
}
