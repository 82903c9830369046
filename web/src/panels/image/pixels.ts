// The raw encodings of sensor_msgs/Image as something that a canvas can show. A picture has either
// the colours of a screen or one number for each pixel (a depth, a temperature, a 16 bit camera);
// numbers become colours later, by a range and a colour map (colours.ts), because a person may
// choose both, and wants to read the numbers themselves.

import { bayerPixels } from "./bayer";

export interface RawImage {
  width: number;
  height: number;
  encoding: string;
  is_bigendian?: number | boolean;
  step: number;
  data: Uint8Array;
}

export interface Colours {
  width: number;
  height: number;
  /** RGBA. */
  colours: Uint8ClampedArray<ArrayBuffer>;
}

export type Samples = Uint8Array | Uint16Array | Float32Array | Float64Array;

export interface Numbers {
  width: number;
  height: number;
  numbers: Samples;
  /** "m", where the encoding says it. */
  unit: string;
  /** What pixels without a measurement have; NaN always is one. */
  none: number;
  /** The range that the encoding has by itself; null: that of the values. */
  range: [number, number] | null;
  isGrey: boolean;
}

export type Picture = Colours | Numbers;

/** What a browser can draw. */
const MOST_PIXELS = 1 << 26;
const MOST_SIDE = 1 << 14;

/** Throws an Error that says why an image cannot be shown. */
export function readImage(value: unknown): Picture {
  const image = checked(value);
  const { encoding } = image;
  const packed = packedLayouts.get(encoding);
  if (packed) return packedPixels(image, packed);
  const bayer = /^bayer_(rggb|bggr|gbrg|grbg)(8|16)$/.exec(encoding);
  if (bayer) return bayerImage(image, bayer[1]!, Number(bayer[2]) / 8);
  const luma = lumaAt.get(encoding);
  if (luma !== undefined) return yuv422Pixels(image, luma);
  if (encoding === "nv12" || encoding === "nv21") return nvPixels(image, encoding === "nv12");
  const number = numberKind(encoding);
  if (number) return numberPixels(image, number);
  throw new Error(`Images in the encoding "${encoding.slice(0, 100)}" cannot be shown`);
}

function checked(value: unknown): RawImage {
  const image = value as RawImage;
  const { width, height, data, step } = image;
  if (typeof image.encoding !== "string") throw new Error("The image does not say its encoding");
  checkSize(width, height);
  if (!(data instanceof Uint8Array)) throw new Error("The image has no bytes in its field data");
  if (!Number.isInteger(step) || step < 0) throw new Error(`A row cannot have ${step} bytes`);
  return image;
}

export function checkSize(width: unknown, height: unknown): void {
  const isSide = (side: unknown) => Number.isInteger(side) && (side as number) > 0;
  if (!isSide(width) || !isSide(height)) {
    throw new Error(`The image has no pixels: its size is ${width} × ${height}`);
  }
  const [w, h] = [width as number, height as number];
  if (w > MOST_SIDE || h > MOST_SIDE || w * h > MOST_PIXELS) {
    throw new Error(`The image says ${w} × ${h} pixels, too many to show`);
  }
}

/** The bytes of a row in the data; throws if not all rows are there. */
function stepOf(image: RawImage, rowBytes: number, rows = image.height): number {
  const { width, height, data } = image;
  const step = image.step || rowBytes;
  if (step < rowBytes) {
    throw new Error(`A row has ${step} bytes, too few for ${width} pixels of ${image.encoding}`);
  }
  if (data.length < (rows - 1) * step + rowBytes) {
    throw new Error(`The image has ${data.length} bytes, too few for ${width} × ${height} pixels`);
  }
  return step;
}

function blank({ width, height }: RawImage): Colours {
  return { width, height, colours: new Uint8ClampedArray(width * height * 4) };
}

interface Packed {
  channels: number;
  /** Of a channel. */
  bytes: 1 | 2;
  /** Where red, green, blue and alpha (-1: none) are among the channels. */
  order: [number, number, number, number];
}

const rgb: Packed["order"] = [0, 1, 2, -1];
const bgr: Packed["order"] = [2, 1, 0, -1];
const packedLayouts = new Map<string, Packed>(
  Object.entries<Packed>({
    rgb8: { channels: 3, bytes: 1, order: rgb },
    bgr8: { channels: 3, bytes: 1, order: bgr },
    rgba8: { channels: 4, bytes: 1, order: [0, 1, 2, 3] },
    bgra8: { channels: 4, bytes: 1, order: [2, 1, 0, 3] },
    rgb16: { channels: 3, bytes: 2, order: rgb },
    bgr16: { channels: 3, bytes: 2, order: bgr },
    rgba16: { channels: 4, bytes: 2, order: [0, 1, 2, 3] },
    bgra16: { channels: 4, bytes: 2, order: [2, 1, 0, 3] },
    // What OpenCV means by channels without a meaning.
    "8UC3": { channels: 3, bytes: 1, order: bgr },
    "8UC4": { channels: 4, bytes: 1, order: [2, 1, 0, 3] },
    "16UC3": { channels: 3, bytes: 2, order: bgr },
    "16UC4": { channels: 4, bytes: 2, order: [2, 1, 0, 3] },
  }),
);

function packedPixels(image: RawImage, { channels, bytes, order }: Packed): Colours {
  const { width, height, data } = image;
  const size = channels * bytes;
  const step = stepOf(image, width * size);
  // A screen has 8 bits: of 16 the upper ones.
  const high = bytes === 2 && !image.is_bigendian ? 1 : 0;
  const [red, green, blue] = order.map((each) => each * bytes + high) as [number, number, number];
  const alpha = order[3] < 0 ? -1 : order[3] * bytes + high;
  const picture = blank(image);
  const pixels = picture.colours;
  let to = 0;
  for (let y = 0; y < height; ++y) {
    let from = y * step;
    for (let x = 0; x < width; ++x, from += size, to += 4) {
      pixels[to] = data[from + red]!;
      pixels[to + 1] = data[from + green]!;
      pixels[to + 2] = data[from + blue]!;
      pixels[to + 3] = alpha < 0 ? 255 : data[from + alpha]!;
    }
  }
  return picture;
}

function bayerImage(image: RawImage, pattern: string, bytes: number): Colours {
  const { width, height, data } = image;
  const step = stepOf(image, width * bytes);
  const high = bytes === 2 && !image.is_bigendian ? 1 : 0;
  let raw = data;
  if (bytes === 2 || step !== width) {
    raw = new Uint8Array(width * height);
    for (let y = 0, to = 0; y < height; ++y) {
      for (let x = 0; x < width; ++x, ++to) raw[to] = data[y * step + x * bytes + high]!;
    }
  }
  return { width, height, colours: bayerPixels(raw, width, height, pattern) };
}

/** Where the first luma of two pixels is; then comes the other kind, in turns. */
const lumaAt = new Map<string, 0 | 1>([
  ["yuv422", 1],
  ["uyvy", 1],
  ["yuv422_yuy2", 0],
  ["yuyv", 0],
]);

/** BT.601 with luma from 16 to 235, as OpenCV takes it. */
function putYuv(pixels: Uint8ClampedArray, to: number, y: number, u: number, v: number): void {
  const luma = 1.164 * (y - 16);
  pixels[to] = luma + 1.596 * (v - 128);
  pixels[to + 1] = luma - 0.813 * (v - 128) - 0.391 * (u - 128);
  pixels[to + 2] = luma + 2.018 * (u - 128);
  pixels[to + 3] = 255;
}

function yuv422Pixels(image: RawImage, luma: 0 | 1): Colours {
  const { width, height, data } = image;
  const step = stepOf(image, Math.ceil(width / 2) * 4);
  const picture = blank(image);
  const chroma = 1 - luma;
  for (let y = 0, to = 0; y < height; ++y) {
    for (let x = 0; x < width; ++x, to += 4) {
      const pair = y * step + (x >> 1) * 4;
      const bright = data[pair + luma + (x & 1) * 2]!;
      putYuv(picture.colours, to, bright, data[pair + chroma]!, data[pair + chroma + 2]!);
    }
  }
  return picture;
}

/** A plane of luma, then one of chroma pairs with half as many rows and columns. */
function nvPixels(image: RawImage, isBlueFirst: boolean): Colours {
  const { width, height, data } = image;
  const pairs = Math.ceil(width / 2) * 2;
  const step = stepOf(image, Math.max(width, pairs), height + Math.ceil(height / 2));
  const picture = blank(image);
  const [u, v] = isBlueFirst ? [0, 1] : [1, 0];
  for (let y = 0, to = 0; y < height; ++y) {
    const row = (height + (y >> 1)) * step;
    for (let x = 0; x < width; ++x, to += 4) {
      const pair = row + (x >> 1) * 2;
      putYuv(picture.colours, to, data[y * step + x]!, data[pair + u]!, data[pair + v]!);
    }
  }
  return picture;
}

interface NumberKind {
  bytes: number;
  read(view: DataView, at: number, isLittle: boolean): number;
  make(count: number): Samples;
  isGrey: boolean;
  range: [number, number] | null;
  none: number;
}

function numberKind(encoding: string): NumberKind | null {
  const isMono = encoding === "mono8" || encoding === "mono16";
  const parts = /^(8|16|32|64)([USF])(?:C1)?$/.exec(encoding);
  if (!isMono && !parts) return null;
  const bits = isMono ? Number(encoding.slice(4)) : Number(parts![1]);
  const kind = isMono ? "U" : parts![2]!;
  const read = readers[`${bits}${kind}`];
  if (!read) return null;
  const isByte = bits === 8 && kind === "U";
  return {
    bytes: bits / 8,
    read,
    make: (count) => {
      if (isByte) return new Uint8Array(count);
      if (bits === 16 && kind === "U") return new Uint16Array(count);
      return bits === 64 || kind === "S" ? new Float64Array(count) : new Float32Array(count);
    },
    isGrey: isMono || isByte,
    range: isByte ? [0, 255] : null,
    none: encoding.startsWith("16UC") ? 0 : NaN, // by REP 118, 0 is no depth
  };
}

const readers: Record<string, NumberKind["read"]> = {
  "8U": (view, at) => view.getUint8(at),
  "8S": (view, at) => view.getInt8(at),
  "16U": (view, at, isLittle) => view.getUint16(at, isLittle),
  "16S": (view, at, isLittle) => view.getInt16(at, isLittle),
  "32S": (view, at, isLittle) => view.getInt32(at, isLittle),
  "32F": (view, at, isLittle) => view.getFloat32(at, isLittle),
  "64F": (view, at, isLittle) => view.getFloat64(at, isLittle),
};

function numberPixels(image: RawImage, kind: NumberKind): Numbers {
  const { width, height, data } = image;
  const step = stepOf(image, width * kind.bytes);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const isLittle = !image.is_bigendian;
  const numbers = kind.make(width * height);
  for (let y = 0, to = 0; y < height; ++y) {
    let from = y * step;
    for (let x = 0; x < width; ++x, ++to, from += kind.bytes) {
      numbers[to] = kind.read(view, from, isLittle);
    }
  }
  const { range, none, isGrey } = kind;
  return { width, height, numbers, unit: "", none, range, isGrey };
}
