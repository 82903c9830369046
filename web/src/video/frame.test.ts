import { expect, test } from "vitest";

import type { Message } from "../player/store";
import { beginOf, frameOf, isFrame } from "./frame";
import { isCameraType, lastWord, mayBeVideo } from "./types";

const KEY = new Uint8Array([0, 0, 1, 0x67, 66, 0, 31, 0, 0, 1, 0x65, 9]);
const CHANGE = new Uint8Array([0, 0, 1, 0x41, 0]);

const message = (value: unknown): Message => ({ topic: "/x", time: 0, value, bytes: 1 });
const read = (type: string, value: unknown) => frameOf(type, message(value));

test("each type of message gives the same frame", () => {
  const frame = { format: "h264", data: KEY, codec: "avc1.42001f" };
  const header = { seq: 0, frame_id: "camera" };
  for (const type of [
    "foxglove_msgs/CompressedVideo",
    "foxglove_msgs/msg/CompressedVideo",
    "foxglove.CompressedVideo",
    "sensor_msgs/CompressedImage",
    "sensor_msgs/msg/CompressedImage",
    "sensor_msgs::msg::dds_::CompressedImage_",
  ]) {
    expect(read(type, { header, format: "h264", data: KEY })).toEqual(frame);
    expect(read(type, { format: "H264", data: CHANGE })).toMatchObject({ codec: null });
  }
  const packet = { header, width: 160, height: 120, encoding: "libx264;yuv420p;bgr8", flags: 0 };
  for (const msg of ["", "msg/"]) {
    const type = `ffmpeg_image_transport_msgs/${msg}FFMPEGPacket`;
    const size = { width: 160, height: 120 };
    expect(read(type, { ...packet, data: KEY })).toEqual({ ...frame, size });
    // What the message says of itself does not count.
    expect(read(type, { ...packet, flags: 1, data: CHANGE })?.codec).toBe(null);
    const odd = { ...packet, width: 0, height: -5, data: KEY };
    expect(read(type, odd)?.size).toBe(undefined);
  }
});

test("a compressed image of any other format is a picture", () => {
  const type = "sensor_msgs/CompressedImage";
  for (const format of ["jpeg", "rgb8; jpeg compressed bgr8", "16UC1; compressedDepth", "", 7]) {
    const picture = message({ format, data: KEY });
    expect([frameOf(type, picture), isFrame(type, picture)]).toEqual([null, false]);
  }
  expect(read(type, undefined)).toBe(null);
  expect(read("sensor_msgs/Image", { format: "h264", data: KEY })).toBe(null);
});

test("what cannot be decoded says so", () => {
  const video = "foxglove.CompressedVideo";
  expect(() => read(video, { format: "theora", data: KEY })).toThrow(
    'Video in the format "theora" cannot be shown, only h264, h265, vp9, av1',
  );
  expect(() => read(video, { format: "h264", data: "AAAA" })).toThrow("the fields format and data");
  expect(() => read("a/FFMPEGPacket", { format: "h264", data: KEY })).toThrow(
    "the fields encoding and data",
  );
  expect(() => read("sensor_msgs/CompressedImage", { format: "h264" })).toThrow("no frame");
  const theora = message({ format: "theora", data: KEY });
  expect(isFrame(video, theora)).toBe(true);
  expect(() => frameOf(video, theora)).toThrow("theora"); // once more
});

test("one begins at the last key frame, or at a picture", () => {
  const type = "sensor_msgs/CompressedImage";
  const of = (...kinds: string[]) =>
    kinds.map((kind) => {
      const format = kind === "picture" ? "jpeg" : "h264";
      return message({ format, data: kind === "key" ? KEY : CHANGE });
    });
  const film = of("change", "key", "change", "change", "key", "change");
  expect([0, 1, 2, 3, 4, 5].map((at) => beginOf(type, film, at))).toEqual([-1, 1, 1, 1, 4, 4]);
  expect([2, 3].map((most) => beginOf(type, film, 3, most))).toEqual([-1, 1]);
  const mixed = of("key", "picture", "change");
  expect([1, 2].map((at) => beginOf(type, mixed, at))).toEqual([1, 1]);
  expect(beginOf(type, [], -1)).toBe(-1);
  const broken = [message({ format: "theora" })];
  expect(beginOf("a.CompressedVideo", broken, 0)).toBe(-1);
});

test("types by their last word", () => {
  expect(lastWord("Image")).toBe("Image");
  const cameras = ["a/Image", "foxglove.RawImage", "a/msg/FFMPEGPacket", "CompressedVideo"];
  expect(cameras.map(isCameraType)).toEqual([true, true, true, true]);
  expect(cameras.map(mayBeVideo)).toEqual([false, false, true, true]);
  const others = ["sensor_msgs/CameraInfo", "a/MyImage", "a/ImageMarker", "", "a/Image/"];
  expect(others.map(isCameraType)).toEqual(others.map(() => false));
});
