import { expect, test } from "vitest";

import type { Message } from "../../player/store";
import type { Channel, IndexedFile, RawMessage } from "./indexed";
import { SliceReader } from "./slices";
import { Times } from "./times";

const SECOND = 1_000_000_000n;
const KEY = [0, 0, 1, 0x67, 66, 0, 31, 0, 0, 1, 0x65, 9];
const CHANGE = [0, 0, 1, 0x41, 0];

/** Of ROS 1: a text and bytes. */
function compressed(format: string, data: number[]): Uint8Array {
  const bytes = new Uint8Array(8 + format.length + data.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, format.length, true);
  bytes.set(new TextEncoder().encode(format), 4);
  view.setUint32(4 + format.length, data.length, true);
  bytes.set(data, 8 + format.length);
  return bytes;
}

/** A file with ten messages a second on each topic, and what was asked of it. */
async function fileOf(topics: Record<string, Uint8Array[]>) {
  const data = new TextEncoder().encode("string format\nuint8[] data\n");
  const type = "sensor_msgs/CompressedImage";
  const channels = new Map<number, Channel>();
  const messages: RawMessage[] = [];
  for (const [topic, payloads] of Object.entries(topics)) {
    const id = channels.size;
    channels.set(id, { id, topic, type, encoding: "ros1", schemaId: 1, isLatched: false });
    payloads.forEach((each, i) =>
      messages.push({ channel: id, time: (BigInt(i) * SECOND) / 10n, data: each }),
    );
  }
  messages.sort((a, b) => Number(a.time - b.time));
  let read = 0;
  const file: IndexedFile = {
    format: "test",
    channels,
    definitions: new Map([[1, { id: 1, name: type, language: "ros1msg", data }]]),
    async *index() {
      yield messages.map(({ channel, time }) => ({ channel, times: [time] }));
    },
    async *messages(wanted, start, end) {
      for (const each of messages) {
        const isWanted = wanted.includes(channels.get(each.channel)!.topic);
        if (!isWanted || each.time < start || each.time > end) continue;
        ++read;
        yield each;
      }
    },
    bytesFor: () => 0,
  };
  const reader = new SliceReader(file, await Times.read(file));
  const slice = async (start: number, topic: string) => {
    const found: Message[] = [];
    const own = { bag: "", topics: [topic], state: [topic], origin: 0n, start, end: start + 0.11 };
    await reader.read(own, (some) => found.push(...some), new AbortController().signal);
    return found.map(({ time }) => time);
  };
  return { slice, read: () => read };
}

const film = (count: number, isKey: (i: number) => boolean) =>
  Array.from({ length: count }, (_, i) => compressed("h264", isKey(i) ? KEY : CHANGE));
const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => (from + i) / 10);

test("the state of a video goes back to its key frame", async () => {
  const { slice } = await fileOf({
    "/film": film(300, (i) => i % 200 === 0),
    "/other": film(300, (i) => i === 0),
  });
  expect(await slice(20.5, "/film")).toEqual(range(200, 207));
  expect(await slice(19.5, "/film")).toEqual(range(0, 197)); // far back
  expect(await slice(20.1, "/film")).toEqual(range(200, 203));
  expect(await slice(20, "/film")).toEqual(range(0, 202)); // the frame before the key frame
});

test("of pictures, it is the last one alone", async () => {
  const { slice, read } = await fileOf({
    "/jpeg": Array.from({ length: 100 }, () => compressed("jpeg", KEY)),
  });
  expect(await slice(5.05, "/jpeg")).toEqual([5, 5.1]);
  expect(read()).toBe(2);
});

test("without a key frame it is all there is, if that is not too much", async () => {
  const { slice } = await fileOf({
    "/short": film(400, () => false),
    "/long": film(1500, () => false),
  });
  expect(await slice(30, "/short")).toEqual(range(0, 302));
  expect(await slice(120, "/long")).toEqual(range(1199, 1202));
});
