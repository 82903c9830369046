// CDR, the encoding of ROS 2 and DDS, in all of its forms (XTypes 1.3, 7.4): both byte orders,
// versions 1 and 2, plain, delimited and as lists of parameters. Numbers begin at multiples of
// their size, counted from behind the header of the payload or of the parameter they are in.

import { Cursor, scalars } from "./cursor";
import {
  branchOf,
  defaultOf,
  isNumber,
  type Decode,
  type Field,
  type List,
  type NumberKind,
  type Struct,
  type Type,
} from "./type";

type Read = (from: Payload) => unknown;

export function cdr(type: Type): Decode {
  const read = new Readers().of(type);
  return (bytes) => {
    const payload = new Payload(bytes, type);
    const value = read(payload);
    if (payload.left > MOST_PADDING) {
      throw new Error(`${payload.left} bytes remain behind the message`);
    }
    return value;
  };
}

/** Middlewares fill payloads up to 4 or 8 bytes. */
const MOST_PADDING = 7;
const HEADER = 4;
/** Forms by the second byte of the payload, without the bit of the byte order. */
const PLAIN_1 = 0x00;
const LIST_1 = 0x02;
const PLAIN_2 = [0x06, 0x10];
const DELIMITED_2 = [0x08, 0x14];
const LIST_2 = [0x0a, 0x12];

interface Member {
  id: number;
  begin: number;
  end: number;
}

class Payload extends Cursor {
  readonly isVersion2: boolean;
  /** Whether types that could be delimited, or lists of parameters, are. */
  private readonly heedsOpen: boolean;
  private readonly heedsIds: boolean;
  private origin = HEADER;

  constructor(bytes: Uint8Array, outermost: Type) {
    super(bytes);
    this.take(HEADER);
    const [high, low] = [bytes[0]!, bytes[1]!];
    this.isLittle = (low & 1) === 1;
    const form = high === 0 ? low & 0xfe : -1;
    const isDelimited = DELIMITED_2.includes(form);
    const isList = form === LIST_1 || LIST_2.includes(form);
    this.isVersion2 = PLAIN_2.includes(form) || isDelimited || LIST_2.includes(form);
    if (form !== PLAIN_1 && form !== LIST_1 && !this.isVersion2) {
      throw new Error("The payload does not begin as CDR does");
    }
    // A writer that does not delimit the outermost type, although it could, delimits none.
    const how = outermost.kind === "struct" ? outermost.extensibility : "fixed";
    this.heedsOpen = how !== "open" || isDelimited || isList;
    this.heedsIds = how !== "by_id" || isList;
  }

  isDelimited({ extensibility: how }: Struct): boolean {
    return this.isVersion2 && ((how === "open" && this.heedsOpen) || this.hasMembers(how));
  }
  hasMembers(how: Struct["extensibility"]): boolean {
    return how === "by_id" && this.heedsIds;
  }

  align(size: number): void {
    const to = this.isVersion2 ? Math.min(size, 4) : size;
    const past = (this.at - this.origin) % to;
    if (past > 0) this.take(to - past);
  }

  scalar(kind: NumberKind | "bool"): number | bigint | boolean {
    const { size, read } = scalars[kind];
    this.align(size);
    return read(this, this.take(size));
  }
  uint32(): number {
    return this.scalar("uint32") as number;
  }

  /** Ends the payload behind what a number says, while `read` reads. */
  delimited<T>(read: () => T): T {
    const size = this.uint32();
    const begin = this.take(size);
    return this.within({ id: 0, begin, end: begin + size }, read);
  }

  /** Restricts `read` to a member, and goes on behind it. */
  within<T>(member: Member, read: () => T): T {
    const outer = { end: this.end, origin: this.origin };
    this.at = member.begin;
    this.end = member.end;
    if (!this.isVersion2) this.origin = member.begin;
    const value = read();
    this.at = member.end;
    this.end = outer.end;
    this.origin = outer.origin;
    return value;
  }

  /** A parameter of version 1; undefined at the end of their list. */
  parameter(): Member | undefined {
    this.align(4);
    let id = (this.scalar("uint16") as number) & 0x3fff;
    let size = this.scalar("uint16") as number;
    if (id === 0x3f02) return undefined;
    if (id === 0x3f01) {
      id = this.uint32();
      size = this.uint32();
    }
    const begin = this.take(size);
    return { id, begin, end: begin + size };
  }

  /** All members of a structure; of those with one id, the first counts. */
  members(): Map<number, Member> {
    const found = new Map<number, Member>();
    const add = (member: Member) => {
      if (!found.has(member.id)) found.set(member.id, member);
    };
    if (this.isVersion2) {
      while (this.left >= 4) add(this.member());
    } else {
      for (let next; (next = this.parameter()); ) add(next);
    }
    return found;
  }

  /** A member of version 2 (7.4.3.4.2). */
  private member(): Member {
    const head = this.uint32();
    const code = (head >>> 28) & 7;
    const id = head & 0x0fffffff;
    if (code < 4) {
      const begin = this.take(1 << code);
      return { id, begin, end: this.at };
    }
    const length = this.uint32() * (code === 6 ? 4 : code === 7 ? 8 : 1);
    const begin = code >= 5 ? this.at - 4 : this.at; // the length is its own first number, too
    this.take(length);
    return { id, begin, end: this.at };
  }

  /** Its length is in characters in version 1, in bytes in version 2. */
  wideText(): string {
    const count = this.uint32();
    const size = this.isVersion2 ? 2 : this.wideUnit(count);
    const bytes = this.isVersion2 ? count : count * size;
    const begin = this.take(bytes);
    let text = "";
    for (let at = begin; at + size <= begin + bytes; at += size) {
      // Halves of characters are put together by JavaScript, whose texts consist of them.
      text +=
        size === 4
          ? String.fromCodePoint(this.view.getUint32(at, this.isLittle))
          : String.fromCharCode(this.view.getUint16(at, this.isLittle));
    }
    return text;
  }

  /** ROS 2 gives four bytes to a character, others two: four, if that makes characters. */
  private wideUnit(count: number): number {
    if (this.left / 4 < count) return 2;
    for (let i = 0; i < count; ++i) {
      if (this.view.getUint32(this.at + 4 * i, this.isLittle) > 0x10ffff) return 2;
    }
    return 4;
  }
}

class Readers {
  private readonly known = new Map<Struct, Read>();

  of(type: Type): Read {
    switch (type.kind) {
      case "struct":
        return this.struct(type);
      case "list":
        return this.list(type);
      case "text":
        return (from) => {
          const text = from.text(from.uint32());
          return text.endsWith("\0") ? text.slice(0, -1) : text;
        };
      case "wide_text":
        return (from) => from.wideText();
      case "any":
        throw new Error("CDR has no values of this type");
      default:
        if (type.values) return enumerated(type.kind, type.values);
        return (from) => from.scalar(type.kind);
    }
  }

  private struct(type: Struct): Read {
    const before = this.known.get(type);
    if (before) return before;
    let readers: Read[] = [];
    const content: Read = (from) => {
      if (from.hasMembers(type.extensibility)) return byId(type, readers, from);
      if (type.isUnion) return chosen(type, readers, from);
      return inOrder(type, readers, from);
    };
    const read: Read = (from) => {
      return from.isDelimited(type) ? from.delimited(() => content(from)) : content(from);
    };
    this.known.set(type, read);
    readers = type.fields.map((field) => this.of(field.type));
    return read;
  }

  private list({ element, length }: List): Read {
    const isPlain = (element.kind === "bool" || isNumber(element)) && !element.values;
    const read = this.of(element);
    const elements: Read = (from) => {
      const count = length ?? from.uint32();
      // A list of numbers that is empty has no padding for them.
      if (isNumber(element) && !element.values) {
        if (count) from.align(scalars[element.kind].size);
        return from.numbers(element.kind, count);
      }
      // An element may have no bytes, so the payload alone does not bound the count.
      if (count > from.left) throw new RangeError("the message is too short");
      return Array.from({ length: count }, () => read(from));
    };
    return (from) => {
      return from.isVersion2 && !isPlain ? from.delimited(() => elements(from)) : elements(from);
    };
  }
}

function enumerated(kind: NumberKind | "bool", values: number[]): Read {
  return (from) => {
    const value = Number(from.scalar(kind));
    if (!values.includes(value)) throw new Error(`${value} is not a value of the enumeration`);
    return value;
  };
}

/** Fields that an older version of the type did not have may be missing at the end. */
function inOrder(type: Struct, readers: Read[], from: Payload): unknown {
  const mayEnd = from.isDelimited(type);
  if (type.fields.length === 0 && !mayEnd) from.take(1); // ROS 2 gives such a message a byte
  const message: Record<string, unknown> = {};
  type.fields.forEach((field, i) => {
    if (mayEnd && from.left === 0) message[field.name] = defaultOf(field);
    else if (field.isOptional) message[field.name] = optional(readers[i]!, from);
    else message[field.name] = readers[i]!(from);
  });
  return message;
}

function optional(read: Read, from: Payload): unknown {
  if (from.isVersion2) return from.scalar("bool") ? read(from) : null;
  const member = from.parameter();
  if (!member || member.begin === member.end) return null;
  return from.within(member, () => read(from));
}

function chosen(type: Struct, readers: Read[], from: Payload): unknown {
  const label = readers[0]!(from);
  const message: Record<string, unknown> = { [type.fields[0]!.name]: label };
  const branch = branchOf(type, Number(label));
  if (branch) message[branch.name] = readers[type.fields.indexOf(branch)]!(from);
  return message;
}

/** Members may come in any order; a message has them in the order of the type. */
function byId(type: Struct, readers: Read[], from: Payload): unknown {
  const found = from.members();
  const behind = from.at;
  const message: Record<string, unknown> = {};
  const take = (field: Field) => {
    const member = found.get(field.id);
    const isThere = member && member.begin < member.end;
    const read = readers[type.fields.indexOf(field)]!;
    message[field.name] = isThere ? from.within(member, () => read(from)) : defaultOf(field);
  };
  if (type.isUnion) {
    take(type.fields[0]!);
    const branch = branchOf(type, Number(message[type.fields[0]!.name]));
    if (branch) take(branch);
  } else {
    type.fields.forEach(take);
  }
  from.at = behind;
  return message;
}
