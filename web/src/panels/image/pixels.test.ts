import { expect, test } from "vitest";

import { pixelsOf } from "./pixels";

const image = (encoding: string, step: number, data: number[]) => ({
  width: 1,
  height: 2,
  encoding,
  step,
  data: new Uint8Array(data),
});

test("channels are put in order, and rows may be padded", () => {
  const padded = image("rgb8", 4, [1, 2, 3, 0, 4, 5, 6]);
  expect([...pixelsOf(padded)]).toEqual([1, 2, 3, 255, 4, 5, 6, 255]);
  expect([...pixelsOf(image("bgr8", 3, [1, 2, 3, 4, 5, 6]))]).toEqual([3, 2, 1, 255, 6, 5, 4, 255]);
  expect([...pixelsOf(image("mono8", 1, [7, 8]))]).toEqual([7, 7, 7, 255, 8, 8, 8, 255]);
  const alpha = image("bgra8", 4, [1, 2, 3, 4, 5, 6, 7, 8]);
  expect([...pixelsOf(alpha)]).toEqual([3, 2, 1, 4, 7, 6, 5, 8]);
});

test("what cannot be shown says why", () => {
  expect(() => pixelsOf(image("bayer_rggb8", 1, [1, 2]))).toThrow('encoding "bayer_rggb8"');
  expect(() => pixelsOf(image("rgb8", 3, [1, 2, 3]))).toThrow("too few");
});
