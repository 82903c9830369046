// What a payload consists of, whatever language defined it. A language makes a Type of a schema, an
// encoding reads payloads by it; so each language can be had in each encoding, and what asks about
// the fields of a message asks its Type.

export type NumberKind =
  | "int8"
  | "uint8"
  | "int16"
  | "uint16"
  | "int32"
  | "uint32"
  | "int64"
  | "uint64"
  | "float32"
  | "float64";

export interface Scalar {
  kind: NumberKind | "bool";
  /** Of an enumeration: what its values may be, the first one before the others. */
  values?: number[];
}
export interface Text {
  kind: "text" | "wide_text";
}
export interface List {
  kind: "list";
  element: Type;
  /** Exactly so many elements; undefined: any number. */
  length?: number | undefined;
}
export interface Struct {
  kind: "struct";
  /** "open": versions to come may have more fields at the end; "by_id": they have numbers. */
  extensibility: "fixed" | "open" | "by_id";
  fields: Field[];
  /** The first field tells which one of the others is there. */
  isUnion?: true;
  /** A point in time, or a length of it: a number to people, not two. */
  isTime?: true;
}
/** The payload says itself what it is. */
export interface Any {
  kind: "any";
}
export type Type = Scalar | Text | List | Struct | Any;

export interface Field {
  name: string;
  type: Type;
  /** Its number in protobuf, its member id in IDL. */
  id: number;
  isOptional: boolean;
  /** Of the definition; undefined: none. */
  byDefault?: unknown;
  /** In a union: the values of the first field that choose this one. */
  labels?: number[];
  /** In a union: chosen by all other values. */
  isElse?: boolean;
}

export type Decode = (payload: Uint8Array) => unknown;

export interface Schema {
  name: string;
  language: string;
  data: Uint8Array;
}

export const typedArrays = {
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

/** Lists of these are typed arrays. */
export function isNumber(type: Type): type is Scalar & { kind: NumberKind } {
  return type.kind in typedArrays;
}

const DEEPEST = 64;

/** A value that is not there and has no default. */
export function zeroOf(type: Type, depth = 0): unknown {
  if (depth > DEEPEST) throw new Error("the default value of a field is nested too deep");
  switch (type.kind) {
    case "bool":
      return false;
    case "text":
    case "wide_text":
      return "";
    case "any":
      return null;
    case "list":
      return zerosOf(type, depth);
    case "struct": {
      const chosen = type.isUnion ? branchOf(type, 0) : undefined;
      const shown = type.isUnion ? [type.fields[0]!, ...(chosen ? [chosen] : [])] : type.fields;
      return Object.fromEntries(shown.map((each) => [each.name, defaultOf(each, depth + 1)]));
    }
    case "int64":
    case "uint64":
      return 0n;
    default:
      return type.values?.[0] ?? 0;
  }
}

function zerosOf({ element, length = 0 }: List, depth: number): unknown {
  if (isNumber(element)) return new typedArrays[element.kind](length);
  return Array.from({ length }, () => zeroOf(element, depth + 1));
}

export function defaultOf(field: Field, depth = 0): unknown {
  if (field.byDefault !== undefined) return field.byDefault;
  return field.isOptional ? null : zeroOf(field.type, depth);
}

/** The field of a union that a value of the first one chooses. */
export function branchOf({ fields }: Struct, label: number): Field | undefined {
  const others = fields.slice(1);
  const chosen = others.find((each) => each.labels?.includes(label));
  return chosen ?? others.find((each) => each.isElse);
}

export interface NumberField {
  /** "pose.position.x" */
  path: string;
  /** Jumps from value to value and is nothing between them. */
  isStep: boolean;
}

const MOST_FIELDS = 500;
const MOST_DEPTH = 8;

/** All numbers in messages of a type, but those in lists. */
export function numberFields(type: Type): NumberField[] {
  const found: NumberField[] = [];
  const walk = (of: Type, path: string, depth: number) => {
    if (found.length >= MOST_FIELDS || depth > MOST_DEPTH) return;
    if (of.kind === "struct") {
      if (of.isTime) return;
      const prefix = path && `${path}.`;
      for (const field of of.fields) walk(field.type, prefix + field.name, depth + 1);
    } else if (of.kind === "bool" || isNumber(of)) {
      found.push({ path, isStep: of.kind === "bool" || of.values !== undefined });
    }
  };
  walk(type, "", 0);
  return found.filter((each) => each.path);
}

const MOST_ELEMENTS = 32;

/** Numbers in the lists of a message, "position[3]", the first ones of each: how long a list is,
    only messages say. */
export function elementPaths(value: unknown): string[] {
  const found: string[] = [];
  const walk = (of: unknown, path: string, isInList: boolean, depth: number) => {
    if (found.length >= MOST_FIELDS || depth > MOST_DEPTH) return;
    if (typeof of === "number" || typeof of === "bigint" || typeof of === "boolean") {
      if (isInList) found.push(path);
    } else if (Array.isArray(of) || ArrayBuffer.isView(of)) {
      const list = of as unknown as ArrayLike<unknown>;
      const count = Math.min(MOST_ELEMENTS, list.length ?? 0);
      for (let i = 0; i < count; ++i) walk(list[i], `${path}[${i}]`, true, depth + 1);
    } else if (typeof of === "object" && of !== null) {
      const prefix = path && `${path}.`;
      for (const [name, each] of Object.entries(of)) {
        walk(each, prefix + name, isInList, depth + 1);
      }
    }
  };
  walk(value, "", false, 0);
  return found;
}

/** "position", "3" and "x" of "position[3].x". */
function namesIn(path: string): string[] {
  return path.includes("[") ? path.split(/[.[\]]+/).filter(Boolean) : path.split(".");
}

/** The value at "pose.position.x" or "position[3]" as a number, or null. */
export function numberAt(value: unknown, path: string): number | null {
  for (const name of namesIn(path)) {
    if (typeof value !== "object" || value === null) return null;
    value = (value as Record<string, unknown>)[name];
  }
  if (typeof value === "number") return value;
  if (typeof value === "bigint" || typeof value === "boolean") return Number(value);
  return null;
}
