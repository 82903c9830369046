// The encoding of ROS 1: values one behind the other, without padding. It is read here and not by a
// library, because the library for it makes programs of the bag's text (new Function), which the
// page's policy forbids.

import { Cursor, scalars } from "./cursor";
import { isNumber, type Decode, type List, type Struct, type Type } from "./type";

type Read = (from: Cursor) => unknown;

export function ros1(type: Type): Decode {
  const read = new Readers().of(type);
  return (payload) => read(new Cursor(payload));
}

const lengthOf = (from: Cursor) => from.view.getUint32(from.take(4), true);

class Readers {
  private readonly known = new Map<Struct, Read>();

  of(type: Type): Read {
    switch (type.kind) {
      case "struct":
        return this.struct(type);
      case "list":
        return this.list(type);
      case "text":
        return (from) => from.text(lengthOf(from));
      case "wide_text":
      case "any":
        throw new Error("ROS 1 has no values of this type");
      default: {
        const { size, read } = scalars[type.kind];
        return (from) => read(from, from.take(size));
      }
    }
  }

  private struct(type: Struct): Read {
    const before = this.known.get(type);
    if (before) return before;
    let fields: { name: string; read: Read }[] = [];
    const read: Read = (from) => {
      const message: Record<string, unknown> = {};
      for (const field of fields) message[field.name] = field.read(from);
      return message;
    };
    this.known.set(type, read);
    fields = type.fields.map((field) => ({ name: field.name, read: this.of(field.type) }));
    return read;
  }

  private list({ element, length }: List): Read {
    const count = length === undefined ? lengthOf : () => length;
    if (isNumber(element)) return (from) => from.numbers(element.kind, count(from));
    const read = this.of(element);
    return (from) => {
      const elements = count(from);
      // An element may have no bytes, so the payload alone does not bound the count.
      if (elements > from.bytes.byteLength) throw new RangeError("the message is too short");
      return Array.from({ length: elements }, () => read(from));
    };
  }
}
