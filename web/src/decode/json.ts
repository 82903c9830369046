// JSON. A payload is taken in the order of its type. What the schema leaves open is read as other
// programs write it: bytes as base64 or as lists of numbers, NaN as null or as text. Integers of 64
// bits are exact, which JSON.parse alone would round.

import { bytesOfBase64 } from "./base64";
import { branchOf, defaultOf, isNumber, typedArrays } from "./type";
import type { Decode, List, NumberKind, Scalar, Struct, Type } from "./type";

export function json(type: Type): Decode {
  const decoder = new TextDecoder();
  return (payload) => valueOf(type, parsed(decoder.decode(payload)), "the message");
}

/** A number that JSON.parse would round is a text with this before it. */
const EXACT = "\0";
const LONG = /(?<![\d.])\d{16,}(?![\d.eE])/;
const TEXT_OR_LONG = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?<![\d.])\d{16,}(?![\d.eE])/gs;

function parsed(text: string): unknown {
  const isLong = LONG.test(text);
  const exact = (found: string) => (found.startsWith('"') ? found : `"\\u0000${found}"`);
  try {
    return JSON.parse(isLong ? text.replace(TEXT_OR_LONG, exact) : text);
  } catch (error) {
    throw new Error(`the message is not JSON: ${(error as Error).message}`);
  }
}

function valueOf(type: Type, value: unknown, name: string): unknown {
  switch (type.kind) {
    case "any":
      return anyOf(value);
    case "bool":
      if (typeof value !== "boolean") fail(name, "true or false", value);
      return value;
    case "text":
    case "wide_text":
      if (typeof value !== "string") fail(name, "a text", value);
      return value;
    case "struct":
      return type.isUnion ? choiceOf(type, value, name) : structOf(type, value, name);
    case "list":
      return listOf(type, value, name);
    case "float32":
    case "float64":
      return realOf(type.kind, value, name);
    default:
      return integerOf(type, type.kind, value, name);
  }
}

function fail(name: string, expected: string, value: unknown): never {
  const what = value === null ? "null" : Array.isArray(value) ? "a list" : typeof value;
  throw new Error(`${name}: expected ${expected}, got ${what}`);
}

/** Numbers that were kept exact, as numbers again. */
function anyOf(value: unknown): unknown {
  if (typeof value === "string" && value.startsWith(EXACT)) {
    const number = BigInt(value.slice(1));
    return BigInt(Number(number)) === number ? Number(number) : number;
  }
  if (Array.isArray(value)) return value.map(anyOf);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, anyOf(each)]));
}

const WORDS: Record<string, number> = { NaN: NaN, Infinity: Infinity, "-Infinity": -Infinity };

function realOf(kind: "float32" | "float64", value: unknown, name: string): number {
  if (value === null) return NaN;
  let number = typeof value === "number" ? value : undefined;
  if (typeof value === "string") {
    number = value.startsWith(EXACT) ? Number(value.slice(1)) : WORDS[value];
  }
  if (number === undefined) fail(name, "a number", value);
  return kind === "float32" ? Math.fround(number) : number;
}

function integerOf(
  { values }: Scalar,
  kind: NumberKind | "bool",
  value: unknown,
  name: string,
): number | bigint {
  const isExact = typeof value === "string" && value.startsWith(EXACT);
  if (!isExact && !Number.isInteger(value)) fail(name, "an integer", value);
  let fitting: number | bigint;
  let whole: number | bigint;
  if (kind === "int64" || kind === "uint64") {
    whole = BigInt(isExact ? (value as string).slice(1) : (value as number));
    fitting = kind === "int64" ? BigInt.asIntN(64, whole) : BigInt.asUintN(64, whole);
  } else {
    whole = isExact ? Number((value as string).slice(1)) : (value as number);
    const one = ones[kind as "int8"];
    one[0] = whole;
    fitting = one[0]!;
  }
  if (fitting !== whole) throw new Error(`${name}: ${whole} does not fit into ${kind}`);
  return values ? Number(fitting) : fitting;
}

/** What a number becomes in so few bits. */
const ones = {
  int8: new Int8Array(1),
  uint8: new Uint8Array(1),
  int16: new Int16Array(1),
  uint16: new Uint16Array(1),
  int32: new Int32Array(1),
  uint32: new Uint32Array(1),
};

function structOf({ fields }: Struct, value: unknown, name: string): Record<string, unknown> {
  const members = membersOf(value, name);
  const message: Record<string, unknown> = {};
  for (const field of fields) message[field.name] = memberOf(field, members);
  return message;
}

function choiceOf(type: Struct, value: unknown, name: string): Record<string, unknown> {
  const members = membersOf(value, name);
  const chooser = type.fields[0]!;
  const label = memberOf(chooser, members);
  const branch = branchOf(type, Number(label));
  const message: Record<string, unknown> = { [chooser.name]: label };
  if (branch) message[branch.name] = memberOf(branch, members);
  return message;
}

function membersOf(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    fail(name, "an object", value);
  }
  return value as Record<string, unknown>;
}

function memberOf(field: Struct["fields"][number], members: Record<string, unknown>): unknown {
  if (!Object.hasOwn(members, field.name)) return defaultOf(field);
  const value = members[field.name];
  return value === null && field.isOptional ? null : valueOf(field.type, value, field.name);
}

function listOf({ element, length }: List, value: unknown, name: string): unknown {
  let list: unknown;
  if (typeof value === "string" && element.kind === "uint8") {
    list = bytesOf(value, name);
  } else if (Array.isArray(value)) {
    const values = value.map((each) => valueOf(element, each, name));
    list = isNumber(element) ? new typedArrays[element.kind as "int8"](values as number[]) : values;
  } else {
    fail(name, "a list", value);
  }
  const count = (list as ArrayLike<unknown>).length;
  if (length === undefined || count === length) return list;
  throw new Error(`${name}: expected ${length} elements, got ${count}`);
}

function bytesOf(text: string, name: string): Uint8Array {
  try {
    return bytesOfBase64(text);
  } catch {
    throw new Error(`${name}: the text is not base64`);
  }
}
