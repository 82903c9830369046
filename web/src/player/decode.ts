// Payloads as objects, by the definitions that the bag has. CDR is read by @foxglove's reader. The
// one of ROS 1 is here, because the library for it makes programs of the bag's text (new Function),
// which the page's policy forbids.

import { parse } from "@foxglove/rosmsg";
import type { MessageDefinition, MessageDefinitionField } from "@foxglove/message-definition";
import { MessageReader } from "@foxglove/rosmsg2-serialization";

export type Decode = (payload: Uint8Array) => unknown;

const text = new TextDecoder();

/** The definitions in a text. Throws what makes no sense of it. */
function definitionsOf(language: string, definition: string): MessageDefinition[] {
  // What bags before 2010 call roslib/Header is std_msgs/Header since.
  const text = definition.replace(/\broslib\/Header\b/g, "std_msgs/Header");
  return parse(text, { ros2: language === "ros2msg" });
}

/** How payloads of a channel are decoded. Throws if that is not known. */
export function decoderOf(encoding: string, language: string, definition: string): Decode {
  if (encoding === "ros1" && language === "ros1msg") {
    return ros1Decoder(definitionsOf(language, definition));
  }
  if (encoding === "cdr" && language === "ros2msg") {
    const reader = new MessageReader(definitionsOf(language, definition));
    return (payload) => reader.readMessage(payload);
  }
  throw new Error(`messages in the encoding "${encoding}" (${language}) cannot be decoded here`);
}

/** Paths of all numbers in messages of a definition, such as "pose.position.x". */
export function numericFields(language: string, definition: string): string[] {
  if (language !== "ros2msg" && language !== "ros1msg") return [];
  const definitions = definitionsOf(language, definition);
  const paths: string[] = [];
  const walk = (of: MessageDefinition | undefined, prefix: string, depth: number) => {
    for (const field of of?.definitions ?? []) {
      if (field.isConstant || field.isArray || depth > 8 || paths.length >= 500) continue;
      const path = prefix + field.name;
      if (field.isComplex) walk(named(definitions, field.type), `${path}.`, depth + 1);
      else if (/^(u?int\d+|float\d+|byte|char|bool)$/.test(field.type)) paths.push(path);
    }
  };
  walk(definitions[0], "", 0);
  return paths;
}

/** The value at "pose.position.x" as a number, or null. */
export function numberAt(value: unknown, path: string): number | null {
  for (const name of path.split(".")) {
    if (typeof value !== "object" || value === null) return null;
    value = (value as Record<string, unknown>)[name];
  }
  if (typeof value === "number") return value;
  if (typeof value === "bigint" || typeof value === "boolean") return Number(value);
  return null;
}

function named(definitions: MessageDefinition[], type: string): MessageDefinition | undefined {
  return definitions.find((each) => each.name === type);
}

/** A payload that is being read. Reading past its end throws a RangeError. */
class Cursor {
  readonly view: DataView;
  offset = 0;
  constructor(readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  take(size: number): number {
    const at = this.offset;
    if (size > this.bytes.byteLength - at) throw new RangeError("the message is too short");
    this.offset += size;
    return at;
  }
}

type Read = (from: Cursor) => unknown;

const time: Read = (from) => {
  const at = from.take(8);
  return { sec: from.view.getUint32(at, true), nsec: from.view.getUint32(at + 4, true) };
};
const duration: Read = (from) => {
  const at = from.take(8);
  return { sec: from.view.getInt32(at, true), nsec: from.view.getInt32(at + 4, true) };
};

const primitives: Record<string, Read> = {
  bool: (from) => from.view.getUint8(from.take(1)) !== 0,
  int8: (from) => from.view.getInt8(from.take(1)),
  uint8: (from) => from.view.getUint8(from.take(1)),
  int16: (from) => from.view.getInt16(from.take(2), true),
  uint16: (from) => from.view.getUint16(from.take(2), true),
  int32: (from) => from.view.getInt32(from.take(4), true),
  uint32: (from) => from.view.getUint32(from.take(4), true),
  int64: (from) => from.view.getBigInt64(from.take(8), true),
  uint64: (from) => from.view.getBigUint64(from.take(8), true),
  float32: (from) => from.view.getFloat32(from.take(4), true),
  float64: (from) => from.view.getFloat64(from.take(8), true),
  string: (from) => {
    const size = from.view.getUint32(from.take(4), true);
    const at = from.take(size);
    return text.decode(from.bytes.subarray(at, at + size));
  },
  time,
  duration,
};

const typedArrays = {
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  float32: Float32Array,
  float64: Float64Array,
};

function ros1Decoder(definitions: MessageDefinition[]): Decode {
  const readers = new Map<MessageDefinition, Read>();
  const readerOf = (definition: MessageDefinition): Read => {
    const known = readers.get(definition);
    if (known) return known;
    let fields: { name: string; read: Read }[] = [];
    const read: Read = (from) => {
      const message: Record<string, unknown> = {};
      for (const field of fields) message[field.name] = field.read(from);
      return message;
    };
    readers.set(definition, read);
    fields = definition.definitions
      .filter((field) => !field.isConstant)
      .map((field) => ({ name: field.name, read: fieldReader(field) }));
    return read;
  };
  const fieldReader = (field: MessageDefinitionField): Read => {
    const element = elementReader(field);
    if (!field.isArray) return element;
    const length: (from: Cursor) => number =
      field.arrayLength !== undefined
        ? () => field.arrayLength!
        : (from) => from.view.getUint32(from.take(4), true);
    const Typed = field.isComplex ? undefined : typedArrays[field.type as keyof typeof typedArrays];
    if (Typed) {
      return (from) => {
        const size = length(from) * Typed.BYTES_PER_ELEMENT;
        const at = from.take(size);
        return new Typed(from.bytes.slice(at, at + size).buffer);
      };
    }
    return (from) => {
      const count = length(from);
      // An element may have no bytes, so the payload alone does not bound the count.
      if (count > from.bytes.byteLength) throw new RangeError("the message is too short");
      return Array.from({ length: count }, () => element(from));
    };
  };
  const elementReader = (field: MessageDefinitionField): Read => {
    if (field.isComplex) {
      const definition = named(definitions, field.type);
      if (!definition) throw new Error(`the definition of ${field.type} is missing`);
      return readerOf(definition);
    }
    const read = primitives[field.type];
    if (!read) throw new Error(`${field.type} is no type of ROS 1`);
    return read;
  };
  const first = definitions.find((each) => each.name === undefined) ?? definitions[0];
  if (!first) throw new Error("the definition is empty");
  const read = readerOf(first);
  return (payload) => read(new Cursor(payload));
}
