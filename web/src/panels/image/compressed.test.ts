import { expect, test } from "vitest";

import { readCompressed, readRvl } from "./compressed";
import type { Numbers } from "./pixels";

const view = ({ buffer }: Uint8Array) => new DataView(buffer);

function bytes(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((size, each) => size + each.length, 0));
  let at = 0;
  for (const each of parts) {
    all.set(each, at);
    at += each.length;
  }
  return all;
}

function chunk(name: string, content: Uint8Array): Uint8Array {
  const size = new Uint8Array(4);
  view(size).setUint32(0, content.length);
  return bytes(size, new TextEncoder().encode(name), content, new Uint8Array(4));
}

async function packed(rows: number[][]): Promise<Uint8Array> {
  const stream = new Blob([Uint8Array.from(rows.flat())]).stream();
  const deflated = stream.pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(deflated).arrayBuffer());
}

/** A PNG of 16 bit grey; `rows` have their filter byte. */
async function png(width: number, height: number, rows: number[][]): Promise<Uint8Array> {
  const header = new Uint8Array(13);
  view(header).setUint32(0, width);
  view(header).setUint32(4, height);
  header[8] = 16;
  const data = await packed(rows);
  const signature = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [chunk("IDAT", data.subarray(0, 5)), chunk("IDAT", data.subarray(5))];
  const end = chunk("IEND", new Uint8Array(0));
  return bytes(signature, chunk("IHDR", header), ...parts, end);
}

async function numbersIn(format: string, data: Uint8Array<ArrayBuffer>): Promise<Numbers> {
  return (await readCompressed({ format, data })) as Numbers;
}

test("depth in mm, in a PNG whose rows have each of the filters", async () => {
  const rows = [
    [0, 0, 10, 1, 44],
    [1, 0, 10, 1, 34], // 10, 300 from the left
    [2, 0, 1, 0, 1], // 11, 301 from above
    [3, 0, 5, 0, 150], // from the mean of both
    [4, 0, 0, 0, 0], // Paeth's
  ];
  const file = bytes(new Uint8Array(12), await png(2, 5, rows));
  const depth = await numbersIn("16UC1; compressedDepth", file);
  const third = [11, 301];
  const fourth = [(0 + 5 + (11 >> 1)) & 255, 0];
  expect([...depth.numbers].slice(0, 6)).toEqual([10, 300, 10, 300, ...third]);
  expect(depth.numbers[6]! & 255).toBe(fourth[0]);
  expect([...depth.numbers].slice(8)).toEqual([...depth.numbers].slice(6, 8));
  expect([depth.width, depth.height, depth.unit, depth.none]).toEqual([2, 5, "mm", 0]);
});

test("quantised depth in m", async () => {
  const header = new Uint8Array(12);
  view(header).setFloat32(4, 1000, true);
  view(header).setFloat32(8, 10, true);
  const file = bytes(header, await png(3, 1, [[0, 0, 0, 1, 254, 0, 20]]));
  const depth = await numbersIn("32FC1; compressedDepth png", file);
  expect([...depth.numbers]).toEqual([NaN, 2, 100]); // 1000 / (510 - 10), 1000 / (20 - 10)
  expect(depth.unit).toBe("m");
});

test("a plain PNG with 16 bits keeps them; others are the browser's", async () => {
  const grey = await numbersIn("mono16; png compressed", bytes(await png(1, 1, [[0, 4, 1]])));
  expect([...grey.numbers]).toEqual([1025]);
  expect(grey.isGrey).toBe(true);
  const jpeg = new Uint8Array([255, 216, 255]);
  const format = "rgb8; jpeg compressed bgr8";
  expect(await readCompressed({ format, data: jpeg })).toBe(undefined);
});

test("run lengths and differences", () => {
  // 2 zeros, then 3 numbers: +5, -1, +20; then 1 zero, none.
  const nibbles = [2, 3, 8 | 2, 1, 1, 8 | 0, 5, 1, 0, 0, 0, 0, 0, 0, 0, 0];
  const data = new Uint8Array(16);
  view(data).setInt32(0, 6, true);
  view(data).setInt32(4, 1, true);
  for (let word = 0; word < 2; ++word) {
    const value = nibbles.slice(word * 8, word * 8 + 8).reduce((sum, each) => sum * 16 + each, 0);
    view(data).setUint32(8 + word * 4, value, true);
  }
  expect([...readRvl(new Uint8Array(data)).numbers]).toEqual([0, 0, 5, 4, 24, 0]);
  expect(() => readRvl(new Uint8Array(data.subarray(0, 12)))).toThrow("too early");
});

test("what is damaged says so", async () => {
  const read = (format: string, data: Uint8Array<ArrayBuffer>) => readCompressed({ format, data });
  const depth = "16UC1; compressedDepth png";
  await expect(read(depth, new Uint8Array(3))).rejects.toThrow("shorter than its header");
  await expect(read(depth, new Uint8Array(30))).rejects.toThrow("no PNG");
  const short = bytes(new Uint8Array(12), await png(2, 9, [[0, 0, 10, 1, 44]]));
  await expect(read(depth, short)).rejects.toThrow("too early");
  const huge = bytes(new Uint8Array(12), await png(40000, 40000, [[0]]));
  await expect(read(depth, huge)).rejects.toThrow("too many");
  const text = { format: "jpeg", data: "abc" } as never;
  await expect(readCompressed(text)).rejects.toThrow("no bytes");
});
