import { expect, test } from "vitest";

import { tableOf } from "../scales";
import { coloursOf, rangeOf } from "./colours";
import { readImage, type Colours, type Numbers } from "./pixels";

function image(encoding: string, width: number, height: number, step: number, data: number[]) {
  return { encoding, width, height, step, data: new Uint8Array(data), is_bigendian: 0 };
}
const coloursIn = (value: object) => [...(readImage(value) as Colours).colours];
const numbersIn = (value: object) => [...(readImage(value) as Numbers).numbers];
const grey = (values: number[]) => values.flatMap((each) => [each, each, each, 255]);

test("channels are put in order, and rows may be padded", () => {
  const padded = image("rgb8", 1, 2, 4, [1, 2, 3, 0, 4, 5, 6]);
  expect(coloursIn(padded)).toEqual([1, 2, 3, 255, 4, 5, 6, 255]);
  const six = [1, 2, 3, 4, 5, 6];
  expect(coloursIn(image("bgr8", 1, 2, 3, six))).toEqual([3, 2, 1, 255, 6, 5, 4, 255]);
  expect(coloursIn(image("8UC3", 2, 1, 0, six))).toEqual([3, 2, 1, 255, 6, 5, 4, 255]);
  expect(coloursIn(image("bgra8", 1, 1, 4, [1, 2, 3, 4]))).toEqual([3, 2, 1, 4]);
  expect(coloursIn(image("rgba8", 1, 1, 4, [1, 2, 3, 4]))).toEqual([1, 2, 3, 4]);
});

test("of 16 bit colours the upper bits, whichever byte has them", () => {
  const data = [1, 10, 2, 20, 3, 30];
  expect(coloursIn(image("rgb16", 1, 1, 6, data))).toEqual([10, 20, 30, 255]);
  expect(coloursIn({ ...image("bgr16", 1, 1, 6, data), is_bigendian: 1 })).toEqual([3, 2, 1, 255]);
});

test("pixels that are numbers", () => {
  expect(numbersIn(image("mono8", 1, 2, 2, [7, 0, 8]))).toEqual([7, 8]);
  expect(numbersIn(image("mono16", 1, 2, 3, [1, 2, 9, 3, 4]))).toEqual([0x201, 0x403]);
  expect(numbersIn({ ...image("16UC1", 1, 1, 2, [1, 2]), is_bigendian: true })).toEqual([0x102]);
  const floats = [...new Uint8Array(new Float32Array([1.5, NaN, -2]).buffer)];
  expect(numbersIn(image("32FC1", 3, 1, 12, floats))).toEqual([1.5, NaN, -2]);
  expect(numbersIn(image("16SC1", 1, 1, 2, [0xff, 0xff]))).toEqual([-1]);
});

test("luma and chroma", () => {
  // Red, green and blue of BT.601 with the range of television: 81 90 240, 145 54 34, 41 240 110.
  const near = (pixels: number[], wanted: number[]) =>
    wanted.forEach((each, i) => expect(Math.abs(pixels[i]! - each)).toBeLessThanOrEqual(2));
  const red = [255, 0, 0, 255, 255, 0, 0, 255];
  near(coloursIn(image("yuv422", 2, 1, 4, [90, 81, 240, 81])), red);
  near(coloursIn(image("yuv422_yuy2", 2, 1, 4, [81, 90, 81, 240])), red);
  const green = [0, 255, 0, 255];
  near(coloursIn(image("nv12", 2, 2, 2, [145, 145, 145, 145, 54, 34])), green);
  near(coloursIn(image("nv21", 2, 2, 2, [145, 145, 145, 145, 34, 54])), green);
  near(coloursIn(image("nv12", 2, 2, 2, [41, 145, 41, 41, 240, 110])), [0, 0, 255, 255]);
});

test("a mosaic of one colour is this colour", () => {
  const whole = (encoding: string, mosaic: number[][]) => {
    const data = Array.from({ length: 16 }, (_, i) => mosaic[(i >> 2) & 1]![i & 1]!);
    return coloursIn(image(encoding, 4, 4, 4, data));
  };
  const wanted = Array.from({ length: 16 }, () => [200, 100, 50, 255]).flat();
  expect(whole("bayer_rggb8", [[200, 100], [100, 50]])).toEqual(wanted);
  expect(whole("bayer_bggr8", [[50, 100], [100, 200]])).toEqual(wanted);
  expect(whole("bayer_gbrg8", [[100, 50], [200, 100]])).toEqual(wanted);
  expect(whole("bayer_grbg8", [[100, 200], [50, 100]])).toEqual(wanted);
  const wide = image("bayer_rggb16", 2, 2, 4, [0, 200, 0, 100, 0, 100, 0, 50]);
  expect(coloursIn(wide)).toEqual(wanted.slice(0, 16));
});

test("what cannot be shown says why", () => {
  const why = (value: object) => () => readImage(value);
  expect(why(image("lab8", 1, 1, 3, [1, 2, 3]))).toThrow('encoding "lab8"');
  expect(why(image("constructor", 1, 1, 3, [1, 2, 3]))).toThrow('encoding "constructor"');
  expect(why(image("rgb8", 1, 2, 3, [1, 2, 3]))).toThrow("too few for 1 × 2");
  expect(why(image("rgb8", 2, 1, 3, [1, 2, 3]))).toThrow("A row has 3 bytes");
  expect(why(image("rgb8", 0, 2, 3, []))).toThrow("no pixels: its size is 0 × 2");
  expect(why(image("rgb8", NaN, 2, 3, []))).toThrow("NaN");
  expect(why(image("mono8", 4e9, 4e9, 0, []))).toThrow("too many");
  expect(why(image("mono8", 1, 1, -1, [1]))).toThrow("-1 bytes");
  expect(why({ encoding: "rgb8", width: 1, height: 1, step: 3, data: "abc" })).toThrow("no bytes");
  expect(why({ encoding: 7, width: 1, height: 1, step: 3 })).toThrow("its encoding");
});

test("numbers become colours by their range; those without a value are black", () => {
  const depth = readImage(image("16UC1", 4, 1, 8, [0, 0, 100, 0, 200, 0, 44, 1])) as Numbers;
  expect(rangeOf(depth)).toEqual([100, 300]);
  expect([...coloursOf(depth, [100, 355], "grey")]).toEqual(grey([0, 0, 100, 200]));
  expect([...coloursOf(depth, [200, 200], "grey")]).toEqual(grey([0, 0, 0, 255]));
  const turbo = tableOf("turbo");
  const last = [...turbo.slice(765)];
  expect([...coloursOf(depth, [0, 300], "turbo")].slice(12, 15)).toEqual(last);
  const nothing = { ...depth, numbers: new Float32Array([NaN, Infinity]) };
  expect(rangeOf(nothing)).toEqual([0, 1]);
  expect([...coloursOf(nothing, [0, 1], "grey")]).toEqual(grey([0, 255]));
});

test("colour maps begin and end where their tables do", () => {
  const close = (map: "viridis" | "turbo", at: number, wanted: number[]) =>
    wanted.forEach((each, i) =>
      expect(Math.abs(tableOf(map)[at * 3 + i]! - each)).toBeLessThanOrEqual(20),
    );
  close("viridis", 0, [68, 1, 84]);
  close("viridis", 128, [33, 145, 140]);
  close("viridis", 255, [253, 231, 37]);
  close("turbo", 128, [164, 252, 60]);
  expect([...tableOf("grey").slice(300, 303)]).toEqual([100, 100, 100]);
});
