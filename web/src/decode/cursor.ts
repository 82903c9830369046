// A payload that is being read from its beginning to its end. Reading past the end is an error, so
// a list cannot claim memory that its payload does not have.

import { typedArrays, type NumberKind } from "./type";

const utf8 = new TextDecoder();

export class Cursor {
  readonly view: DataView;
  at = 0;
  end: number;
  isLittle = true;

  constructor(readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.end = bytes.byteLength;
  }

  get left(): number {
    return this.end - this.at;
  }

  /** Passes over so many bytes; gives where they begin. */
  take(size: number): number {
    const { at } = this;
    if (size > this.end - at) throw new RangeError("the message is too short");
    this.at += size;
    return at;
  }

  text(size: number): string {
    const at = this.take(size);
    return utf8.decode(this.bytes.subarray(at, at + size));
  }

  /** A list of numbers, with a buffer of its own. */
  numbers(kind: NumberKind, count: number): ArrayBufferView {
    const Typed = typedArrays[kind];
    const size = count * Typed.BYTES_PER_ELEMENT;
    if (!Number.isInteger(count)) throw new RangeError("a list ends within a number");
    const at = this.take(size);
    const own = this.bytes.slice(at, at + size);
    if (!this.isLittle) {
      for (let i = 0; i < size; i += Typed.BYTES_PER_ELEMENT) {
        own.subarray(i, i + Typed.BYTES_PER_ELEMENT).reverse();
      }
    }
    return new Typed(own.buffer);
  }
}

type ReadNumber = (from: Cursor, at: number) => number | bigint | boolean;

/** Scalars at a place in a payload. */
export const scalars: Record<NumberKind | "bool", { size: number; read: ReadNumber }> = {
  bool: { size: 1, read: ({ view }, at) => view.getUint8(at) !== 0 },
  int8: { size: 1, read: ({ view }, at) => view.getInt8(at) },
  uint8: { size: 1, read: ({ view }, at) => view.getUint8(at) },
  int16: { size: 2, read: ({ view, isLittle }, at) => view.getInt16(at, isLittle) },
  uint16: { size: 2, read: ({ view, isLittle }, at) => view.getUint16(at, isLittle) },
  int32: { size: 4, read: ({ view, isLittle }, at) => view.getInt32(at, isLittle) },
  uint32: { size: 4, read: ({ view, isLittle }, at) => view.getUint32(at, isLittle) },
  int64: { size: 8, read: ({ view, isLittle }, at) => view.getBigInt64(at, isLittle) },
  uint64: { size: 8, read: ({ view, isLittle }, at) => view.getBigUint64(at, isLittle) },
  float32: { size: 4, read: ({ view, isLittle }, at) => view.getFloat32(at, isLittle) },
  float64: { size: 8, read: ({ view, isLittle }, at) => view.getFloat64(at, isLittle) },
};
