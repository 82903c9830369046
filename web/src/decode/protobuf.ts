// The encoding of protobuf. A payload is read field by field and put in the order of the type, with
// the defaults of what is not there, as `kitbag cat` prints it. Of a field that comes twice, the
// last counts, but messages that come in pieces are one. Unknown fields are passed over.

import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

import { Cursor, scalars } from "./cursor";
import type { ProtobufField, Wire } from "./descriptors";
import { defaultOf, isNumber, typedArrays } from "./type";
import type { Decode, NumberKind, Scalar, Struct, Type } from "./type";

export function protobuf(type: Type): Decode {
  if (type.kind !== "struct") throw new Error("The definition is no message of protobuf");
  const plans = new Map<Struct, Plan>();
  return (payload) => readMessage(planOf(type, plans), payload, 0);
}

/** What stands behind a number of a field, and how it is read. */
interface Part {
  field: ProtobufField;
  at: number;
  element: Type;
  isList: boolean;
  type: WireType;
  plan: Plan | undefined;
}
interface Plan {
  parts: Part[];
  byNumber: Map<number, Part>;
}

function planOf(type: Struct, plans: Map<Struct, Plan>): Plan {
  const known = plans.get(type);
  if (known) return known;
  const plan: Plan = { parts: [], byNumber: new Map() };
  plans.set(type, plan);
  (type.fields as ProtobufField[]).forEach((field, at) => {
    const { type: whole, wire } = field;
    const isList = whole.kind === "list" && !isBytes(whole, wire);
    const element = isList ? whole.element : whole;
    const inner = element.kind === "struct" ? planOf(element, plans) : undefined;
    const part = { field, at, element, isList, type: wireTypeOf(wire, element), plan: inner };
    plan.parts.push(part);
    plan.byNumber.set(field.id, part);
  });
  return plan;
}

/** A list for the page, and one value for protobuf. */
function isBytes(type: Type, wire: Wire): boolean {
  return wire === "sized" && type.kind === "list" && type.element.kind === "uint8";
}

function wireTypeOf(wire: Wire, { kind }: Type): WireType {
  if (wire === "sized") return WireType.LengthDelimited;
  if (wire === "group") return WireType.StartGroup;
  if (wire !== "fixed") return WireType.Varint;
  return kind === "float64" || kind === "int64" || kind === "uint64"
    ? WireType.Bit64
    : WireType.Bit32;
}

const DEEPEST = 100;

function readMessage(plan: Plan, payload: Uint8Array, depth: number): Record<string, unknown> {
  if (depth > DEEPEST) throw new Error("messages are nested too deep");
  const found: unknown[] = new Array(plan.parts.length);
  const reader = new BinaryReader(payload);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    const part = plan.byNumber.get(number);
    const isPacked = part?.isList && type === WireType.LengthDelimited && part.type !== type;
    if (!part || (type !== part.type && !isPacked)) {
      reader.skip(type, number);
    } else if (part.isList) {
      const before = found[part.at];
      if (isPacked) found[part.at] = packed(part, reader.bytes(), before);
      else (found[part.at] = listOf(before)).push(value(part, reader, depth));
    } else if (part.plan) {
      // Pieces of a message are put together before they are read.
      (found[part.at] = listOf(found[part.at])).push(bytesOf(part, reader));
    } else {
      found[part.at] = value(part, reader, depth);
    }
  }
  const message: Record<string, unknown> = {};
  for (const part of plan.parts) message[part.field.name] = whole(part, found[part.at], depth);
  return message;
}

/** The value of a field from what was found of it. */
function whole(part: Part, found: unknown, depth: number): unknown {
  const { field, element } = part;
  if (part.isList) {
    const list = (found as unknown[] | undefined) ?? [];
    checkLength(field.type, list.length);
    if (ArrayBuffer.isView(list) || !isNumber(element)) return list;
    return new typedArrays[element.kind as "int8"](list as number[]);
  }
  if (found === undefined) {
    const isArray = field.type.kind === "list" && field.type.length !== undefined;
    if (isArray) throw new Error(`${field.name} is missing`);
    return defaultOf(field);
  }
  if (!part.plan) {
    if (found instanceof Uint8Array) checkLength(field.type, found.length);
    return found;
  }
  const pieces = found as Uint8Array[];
  return readMessage(part.plan, pieces.length === 1 ? pieces[0]! : joined(pieces), depth + 1);
}

function checkLength(type: Type, length: number): void {
  if (type.kind !== "list" || type.length === undefined || type.length === length) return;
  throw new Error(`expected ${type.length} elements, got ${length}`);
}

function joined(pieces: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** What a message consists of: behind its size, or up to the end of its group. */
function bytesOf(part: Part, reader: BinaryReader): Uint8Array {
  if (part.type === WireType.LengthDelimited) return reader.bytes();
  const content = reader.skip(WireType.StartGroup, part.field.id);
  let end = content.length - 1; // without the tag of its end
  while (end > 0 && content[end - 1]! & 0x80) --end;
  return content.subarray(0, end);
}

function value(part: Part, reader: BinaryReader, depth: number): unknown {
  const { element, plan } = part;
  if (plan) return readMessage(plan, bytesOf(part, reader), depth + 1);
  if (element.kind === "text") return reader.string();
  if (element.kind === "list") return reader.bytes().slice();
  return scalar(part.field.wire, element as Scalar, reader);
}

function scalar(wire: Wire, type: Scalar, reader: BinaryReader): number | bigint | boolean {
  const isZigzag = wire === "zigzag";
  const isFixed = wire === "fixed";
  switch (type.kind) {
    case "bool":
      return reader.bool();
    case "float32":
      return reader.float();
    case "float64":
      return reader.double();
    case "int64":
      return BigInt(isFixed ? reader.sfixed64() : isZigzag ? reader.sint64() : reader.int64());
    case "uint64":
      return BigInt(isFixed ? reader.fixed64() : reader.uint64());
    case "uint32":
      return isFixed ? reader.fixed32() : reader.uint32();
    case "int32":
      return isFixed ? reader.sfixed32() : isZigzag ? reader.sint32() : reader.int32();
    default:
      return narrow(type.kind, reader.int32());
  }
}

/** kitbag notes that a field has fewer bits than protobuf can say. */
function narrow(kind: NumberKind, value: number): number {
  const [fitting] = typedArrays[kind as "int8"].of(value);
  if (fitting !== value) throw new Error(`${value} does not fit into ${kind}`);
  return value;
}

/** Numbers of a list that stand behind one tag. */
function packed(part: Part, bytes: Uint8Array, before: unknown): unknown {
  const element = part.element as Scalar;
  if (part.field.wire === "fixed" && isNumber(element) && before === undefined) {
    return new Cursor(bytes).numbers(element.kind, bytes.length / scalars[element.kind].size);
  }
  const list = listOf(before);
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) list.push(scalar(part.field.wire, element, reader));
  return list;
}

function listOf(found: unknown): unknown[] {
  if (ArrayBuffer.isView(found)) return Array.from(found as Uint8Array);
  return (found as unknown[] | undefined) ?? [];
}
