// sensor_msgs/CompressedImage. Its `format` is a text such as "rgb8; jpeg compressed bgr8": what
// the picture was before, and what it is now. JPEG, PNG and WebP are the browser's, whatever the
// text says, since a file says itself what it is. Depth images are read here:
//
// "16UC1; compressedDepth png" has a header of 12 bytes before the PNG file: an int32 and two
// floats, a and b (compressed_depth_image_transport). Of 16UC1 the pixels of the PNG are the depth
// in mm, and 0 is none. Of 32FC1 they are a depth in m that was quantised finer where it is small:
//
//     pixel = a / depth + b,   so   depth = a / (pixel - b),   and pixel 0 is none
//
// "compressedDepth rvl" has, behind the header, the width and the height (two int32) and then the
// pixels by run lengths and differences (A. Wilson, "Fast Lossless Depth Image Compression").

import { checkSize, type Numbers, type Picture } from "./pixels";
import { isGrey16, readGrey16, type Grey16 } from "./png";

export interface Compressed {
  format: string;
  data: Uint8Array<ArrayBuffer>;
}

const HEADER = 12;

/** What the browser cannot read by itself; undefined: it can, as far as one sees. */
export async function readCompressed({ format, data }: Compressed): Promise<Picture | undefined> {
  if (!(data instanceof Uint8Array)) throw new Error("The image has no bytes in its field data");
  if (!/compressedDepth/i.test(format)) {
    if (!isGrey16(data)) return undefined;
    const isDepth = format.startsWith("16UC1");
    return numbersOf(await readGrey16(data, checkSize), !isDepth, isDepth ? 0 : NaN);
  }
  if (data.length < HEADER) throw new Error("The depth image is shorter than its header");
  const body = data.subarray(HEADER);
  const grey = /rvl/i.test(format) ? readRvl(body) : await readGrey16(body, checkSize);
  if (!format.startsWith("32FC1")) return { ...numbersOf(grey, false, 0), unit: "mm" };
  const view = new DataView(data.buffer, data.byteOffset, HEADER);
  return quantised(grey, view.getFloat32(4, true), view.getFloat32(8, true));
}

function numbersOf({ width, height, numbers }: Grey16, isGrey: boolean, none: number): Numbers {
  return { width, height, numbers, unit: "", none, range: null, isGrey };
}

function quantised({ width, height, numbers: from }: Grey16, a: number, b: number): Numbers {
  const numbers = new Float32Array(from.length);
  for (let i = 0; i < from.length; ++i) numbers[i] = from[i] === 0 ? NaN : a / (from[i]! - b);
  return { width, height, numbers, unit: "m", none: NaN, range: null, isGrey: false };
}

/** Runs of zeros and of differences in turns, as numbers of 3 bits in nibbles with a bit for more;
    8 nibbles in a word, the first one on top. */
export function readRvl(data: Uint8Array): Grey16 {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (data.length < 8) throw new Error("The depth image is shorter than its header");
  const [width, height] = [view.getInt32(0, true), view.getInt32(4, true)];
  checkSize(width, height);
  const numbers = new Uint16Array(width * height);
  let nibble = 16;
  const next = () => {
    let value = 0;
    for (let bits = 0; bits < 33; bits += 3, ++nibble) {
      const byte = (nibble >> 3) * 4 + 3 - ((nibble & 7) >> 1);
      if (byte >= data.length) throw new Error("The depth image ends too early");
      const four = (data[byte]! >> (nibble & 1 ? 0 : 4)) & 15;
      value |= (four & 7) << bits;
      if (!(four & 8)) {
        ++nibble;
        break;
      }
    }
    return value;
  };
  let last = 0;
  for (let at = 0; at < numbers.length; ) {
    at += next();
    const count = next();
    for (let i = 0; i < count && at < numbers.length; ++i, ++at) {
      const folded = next();
      last += (folded >> 1) ^ -(folded & 1);
      numbers[at] = last;
    }
  }
  return { width, height, numbers };
}
