import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { Topic } from "../../api";
import type { Feed } from "../../player/feed";
import type { Message } from "../../player/store";
import { Video } from "./video";

const KEY = [0, 0, 1, 0x67, 66, 0, 31, 0, 0, 1, 0x65, 9];
const H265_KEY = [
  ...[0, 0, 1, 0x42, 1, 1, 1, 0x60, 0, 0, 3, 0, 0xb0, 0, 0, 3, 0, 0, 3, 0, 0x5d, 0xa0],
  ...[0, 0, 1, 0x26, 1, 9],
];
const CHANGE = [0, 0, 1, 0x41, 0];

interface Chunk {
  type: string;
  timestamp: number;
}

/** A decoder that gives each frame at once; what it is told is in `said`. */
class FakeDecoder {
  static said: string[] = [];
  static isKnown = true;
  static throws = false;
  state = "unconfigured";
  decodeQueueSize = 0;

  constructor(private readonly to: VideoDecoderInit) {}

  static isConfigSupported = () => Promise.resolve({ supported: FakeDecoder.isKnown });
  configure({ codec, codedWidth }: VideoDecoderConfig) {
    if (FakeDecoder.throws) throw new TypeError("Failed to execute 'configure'");
    FakeDecoder.said.push(codedWidth ? `${codec} ${codedWidth}` : codec);
    this.state = "configured";
    if (!FakeDecoder.isKnown) {
      this.state = "closed";
      setTimeout(() => this.to.error(new DOMException("Unsupported configuration.")));
    }
  }
  decode({ type, timestamp }: Chunk) {
    FakeDecoder.said.push(`${type} ${timestamp / 1e5}`);
    this.to.output({ timestamp, close: () => {} } as unknown as VideoFrame);
  }
  close() {
    this.state = "closed";
  }
}

beforeEach(() => {
  vi.stubGlobal("VideoDecoder", FakeDecoder);
  vi.stubGlobal("EncodedVideoChunk", class {
    constructor(init: Chunk) {
      Object.assign(this, init);
    }
  });
  Object.assign(FakeDecoder, { said: [], isKnown: true, throws: false });
});
afterEach(() => vi.unstubAllGlobals());

/** Ten frames a second; `values` are the messages. */
function videoOf(type: string, values: object[]) {
  const messages = values.map((value, i): Message => ({
    ...{ topic: "/video", time: i / 10, value, bytes: 1 },
  }));
  const feed = {
    between: (_: string, after: number, time: number) =>
      messages.filter((each) => each.time > after && each.time <= time),
  } as unknown as Feed;
  const topic = { topic: "/video", type } as Topic;
  const [given, told, refused] = [[] as number[], [] as string[], [] as string[]];
  const give = (_: VideoFrame, time: number) => void given.push(time);
  const tell = (why: string) => void told.push(why);
  const video = new Video(feed, topic, give, tell, (why) => void refused.push(why));
  return { video, given, told, refused, show: (i: number) => video.show(messages[i]!) };
}

const film = (of: (data: Uint8Array, isKey: boolean) => object) =>
  Array.from({ length: 8 }, (_, i) => of(new Uint8Array(i % 4 ? CHANGE : KEY), i % 4 === 0));
const kinds: [string, string, object[]][] = [
  ["avc1.42001f", "foxglove.CompressedVideo", film((data) => ({ format: "h264", data }))],
  ["avc1.42001f", "sensor_msgs/CompressedImage", film((data) => ({ format: "h264", data }))],
  [
    "avc1.42001f 160",
    "ffmpeg_image_transport_msgs/msg/FFMPEGPacket",
    film((data) => ({ encoding: "libx264;yuv420p", data, width: 160, height: 120, flags: 0 })),
  ],
];

test.each(kinds)("%s %s: a seek begins at the last key frame before", (codec, type, values) => {
  const { show, given, told } = videoOf(type, values);
  show(6);
  expect(FakeDecoder.said).toEqual([codec, "key 4", "delta 5", "delta 6"]);
  expect(given).toEqual([0.6]); // those before it are not shown
  FakeDecoder.said = [];
  show(6);
  show(7);
  expect(FakeDecoder.said).toEqual(["delta 7"]);
  show(3); // back
  expect(FakeDecoder.said.slice(1)).toEqual([codec, "key 0", "delta 1", "delta 2", "delta 3"]);
  show(4);
  expect(FakeDecoder.said.at(-1)).toBe("key 4");
  expect(given).toEqual([0.6, 0.7, 0.3, 0.4]);
  expect(told).toEqual([]);
});

test("without a key frame there is no picture until one comes", () => {
  const [, type, values] = kinds[1]!;
  const { show, given, told } = videoOf(type, values.slice(1));
  show(1);
  expect(told[0]).toContain("No key frame in the 0.1 s before this instant");
  show(3);
  expect(given).toEqual([0.3]);
});

test("a picture among the frames ends the video", () => {
  const [, type, values] = kinds[1]!;
  const jpeg = { format: "jpeg", data: new Uint8Array() };
  const { show, given, told } = videoOf(type, values.toSpliced(2, 1, jpeg));
  show(1);
  show(3);
  expect(told[0]).toContain("No key frame");
  show(5);
  expect(given).toEqual([0.1, 0.5]);
});

test("a format that nobody knows", () => {
  const { show, told } = videoOf("a/FFMPEGPacket", [{ encoding: "mjpeg", data: new Uint8Array() }]);
  show(0);
  expect(told).toEqual(['Video in the format "mjpeg" cannot be shown, only h264, h265, vp9, av1']);
  expect(FakeDecoder.said).toEqual([]);
});

test.each([false, true])("a codec that the browser does not have (throws: %s)", async (throws) => {
  Object.assign(FakeDecoder, { isKnown: false, throws });
  const { show, refused } = videoOf("sensor_msgs/msg/CompressedImage", [
    { format: "hevc", data: new Uint8Array(H265_KEY) },
  ]);
  show(0);
  await vi.waitFor(() => expect(refused).toHaveLength(1));
  expect(refused).toEqual(["This browser has no decoder for h265 (hev1.1.6.L93.b0)"]);
});
