// Chunks are compressed; each library has a way of its own to decompress them.

import { decompress as zstd } from "fzstd";
import lz4 from "lz4js";
import bzip2 from "seek-bzip";

/** The part of Node's Buffer that seek-bzip uses. */
class Bytes extends Uint8Array {
  copy(to: Uint8Array, at = 0, from = 0, end = this.length): void {
    to.set(this.subarray(from, end), at);
  }
  /** In hexadecimal digits. */
  override toString(): string {
    return Array.from(this, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
}
(globalThis as { Buffer?: unknown }).Buffer ??= Bytes;

/** More than a chunk ever has: what claims more is damaged. */
const MOST_BYTES = 1 << 30;

type Decompress = (bytes: Uint8Array, size: number) => Uint8Array;

function exact(decompress: Decompress): Decompress {
  return (bytes, size) => {
    if (size > MOST_BYTES) throw new Error(`a chunk of ${size} bytes is too large`);
    const plain = decompress(bytes, size);
    if (plain.length !== size) throw new Error("a chunk is damaged");
    return plain;
  };
}

/** Of ROS 1 bags. */
export const rosbagDecompress = {
  bz2: exact((bytes, size) => bzip2.decode(bytes, size)),
  lz4: exact((bytes, size) => lz4.decompress(bytes, size)),
};

/** Of MCAP files. */
export const mcapDecompress = {
  zstd: (bytes: Uint8Array, size: bigint) =>
    exact((from, most) => zstd(from, new Uint8Array(most)))(bytes, Number(size)),
  lz4: (bytes: Uint8Array, size: bigint) => rosbagDecompress.lz4(bytes, Number(size)),
};
