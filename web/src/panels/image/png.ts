// PNG files with 16 bits of grey, which depth images are. Browsers show PNG files, but with 8 bits.

export interface Grey16 {
  width: number;
  height: number;
  numbers: Uint16Array;
}

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const GREY = 0;

export function isPng(data: Uint8Array): boolean {
  return SIGNATURE.every((byte, i) => data[i] === byte);
}

/** True: this file can be read here. The header is always the first chunk. */
export function isGrey16(data: Uint8Array): boolean {
  return isPng(data) && data[24] === 16 && data[25] === GREY && data[28] === 0;
}

export async function readGrey16(
  data: Uint8Array,
  check: (width: number, height: number) => void,
): Promise<Grey16> {
  if (!isGrey16(data)) throw new Error("The picture is no PNG with 16 bits of grey");
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  check(width, height);
  const packed: Uint8Array[] = [];
  for (let at = 8; at + 12 <= data.length; ) {
    const size = view.getUint32(at);
    const name = String.fromCharCode(...data.subarray(at + 4, at + 8));
    if (name === "IDAT") packed.push(data.subarray(at + 8, at + 8 + size));
    at += 12 + size;
  }
  const stride = width * 2;
  const rows = await inflated(packed, height * (stride + 1));
  const bytes = unfiltered(rows, stride, height);
  const numbers = new Uint16Array(width * height);
  for (let i = 0; i < numbers.length; ++i) numbers[i] = (bytes[2 * i]! << 8) | bytes[2 * i + 1]!;
  return { width, height, numbers };
}

/** Exactly `size` bytes; what a file holds beyond them is not unpacked. */
async function inflated(packed: Uint8Array[], size: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  const stream = new Blob(packed as BlobPart[]).stream();
  const reader = stream.pipeThrough(new DecompressionStream("deflate")).getReader();
  let filled = 0;
  while (filled < size) {
    const { done, value } = await reader.read();
    if (done) throw new Error("The PNG file ends too early");
    const part = value.subarray(0, size - filled);
    bytes.set(part, filled);
    filled += part.length;
  }
  void reader.cancel().catch(() => {});
  return bytes;
}

/** Each row has a byte before it that says by which neighbours its bytes were foretold. */
function unfiltered(rows: Uint8Array, stride: number, height: number): Uint8Array {
  const PIXEL = 2;
  const bytes = new Uint8Array(stride * height);
  for (let y = 0; y < height; ++y) {
    const filter = rows[y * (stride + 1)]!;
    const from = y * (stride + 1) + 1;
    const to = y * stride;
    for (let x = 0; x < stride; ++x) {
      const left = x >= PIXEL ? bytes[to + x - PIXEL]! : 0;
      const above = y > 0 ? bytes[to + x - stride]! : 0;
      const corner = x >= PIXEL && y > 0 ? bytes[to + x - stride - PIXEL]! : 0;
      bytes[to + x] = rows[from + x]! + foretold(filter, left, above, corner);
    }
  }
  return bytes;
}

function foretold(filter: number, left: number, above: number, corner: number): number {
  switch (filter) {
    case 0:
      return 0;
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return (left + above) >> 1;
    case 4: {
      const [a, b] = [Math.abs(above - corner), Math.abs(left - corner)];
      const c = Math.abs(left + above - 2 * corner);
      return a <= b && a <= c ? left : b <= c ? above : corner;
    }
  }
  throw new Error("The PNG file is damaged");
}
