import { expect, test } from "vitest";

import { keyFrameCodec, videoFormat, type VideoFormat } from "./codec";

const codec = (format: VideoFormat, ...data: number[]) =>
  keyFrameCodec(format, new Uint8Array(data));

test("h264: a key frame has its parameters and an IDR picture", () => {
  const parameters = [0, 0, 0, 1, 0x67, 0x64, 0x00, 0x1f, 0xac];
  expect(codec("h264", ...parameters, 0, 0, 1, 0x68, 1, 0, 0, 1, 0x65, 9)).toBe("avc1.64001f");
  expect(codec("h264", 0, 0, 1, 0x65, 9)).toBe(null);
  expect(codec("h264", ...parameters, 0, 0, 1, 0x41, 9)).toBe(null);
  expect(codec("h264")).toBe(null);
});

test("h265: the profile and level of its parameters", () => {
  // Main, level 3.1; the escape (3 after 0 0) is not a part of them.
  const sps = [0x42, 1, 0x01, 0x01, 0x60, 0, 0, 3, 0, 0xb0, 0, 0, 3, 0, 0, 3, 0, 0x5d, 0xa0];
  const unit = [0, 0, 1, ...sps];
  expect(codec("h265", ...unit, 0, 0, 1, 0x26, 1, 9)).toBe("hev1.1.6.L93.b0");
  expect(codec("h265", ...unit, 0, 0, 1, 0x02, 1, 9)).toBe(null);
});

test("vp9: the first bits", () => {
  expect(codec("vp9", 0b10000010)).toBe("vp09.00.10.08");
  expect(codec("vp9", 0b10000110)).toBe(null);
  expect(codec("vp9", 0b10001000)).toBe(null);
  expect(codec("vp9", 0b10010010)).toBe("vp09.02.10.10");
  expect(codec("vp9")).toBe(null);
});

test("av1: a key frame has a sequence header", () => {
  const delimiter = [0x12, 0];
  expect(codec("av1", ...delimiter, 0x0a, 2, 0b00100000, 0)).toBe("av01.1.08M.08");
  expect(codec("av1", ...delimiter, 0x32, 1, 0)).toBe(null);
  expect(codec("av1", 0x0a, 255, 255, 255, 255, 255)).toBe(null);
});

test("formats and encoders of libav, whatever follows", () => {
  const known = {
    h264: ["h264", "H264", "libx264", "libx264rgb", "h264_nvenc", "h264;yuv420p;bgr8;bgr8"],
    h265: ["h265", "HEVC", "hevc_nvenc", "libx265; main", "h265,x"],
    vp9: ["vp9", "libvpx-vp9"],
    av1: ["av1", "libaom-av1", "libsvtav1", "av1_qsv"],
  };
  for (const [format, names] of Object.entries(known)) {
    expect(names.map(videoFormat)).toEqual(names.map(() => format));
  }
  const others = ["", ";h264", "jpeg", "rgb8; jpeg compressed bgr8", "h2645", "theora", "mpeg4"];
  expect(others.map(videoFormat)).toEqual(others.map(() => null));
});
