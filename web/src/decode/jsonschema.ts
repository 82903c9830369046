// JSON Schema, as Types. kitbag says by `format` how many bits a number has, and by
// `contentEncoding` that a text is bytes; other schemas leave that open.

import { isNumber, type Field, type NumberKind, type Schema, type Type } from "./type";

type Json = Record<string, unknown>;

const DEEPEST = 64;

export function jsonSchema({ data }: Schema): Type {
  let root: unknown;
  try {
    root = JSON.parse(new TextDecoder().decode(data));
  } catch (error) {
    throw new Error(`The definition is not JSON: ${(error as Error).message}`);
  }
  return typeOf(root, root, 0);
}

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;

function typeOf(schema: unknown, root: unknown, depth: number): Type {
  if (!isObject(schema)) return { kind: "any" }; // `true` is a schema, too
  if (depth > DEEPEST) throw new Error("The definition is nested too deep");
  if (typeof schema.$ref === "string") {
    return schema.$ref.startsWith("#")
      ? typeOf(referred(schema.$ref, root), root, depth + 1)
      : { kind: "any" }; // in another file
  }
  const { name } = nameOf(schema);
  if (name === "object" && isObject(schema.properties)) return structOf(schema, root, depth);
  if (name === "array") return listOf(schema, root, depth);
  if (name === "string") return textOf(schema);
  if (name === "boolean") return { kind: "bool" };
  const kind = { kind: schema.format } as Type;
  if (name === "number") {
    return { kind: kind.kind === "float32" ? "float32" : "float64" };
  }
  if (name !== "integer") return { kind: "any" };
  const isInteger = isNumber(kind) && !kind.kind.startsWith("float");
  const integer: NumberKind = isInteger ? kind.kind : "int64";
  if (!Array.isArray(schema.oneOf)) return { kind: integer };
  const values = schema.oneOf.map((one) => Number(isObject(one) ? one.const : NaN));
  return { kind: integer, values };
}

/** The type, or the one beside "null" in a list of two. */
function nameOf({ type, properties }: Json): { name: unknown; mayBeNull: boolean } {
  if (type === undefined) return { name: properties && "object", mayBeNull: false };
  if (!Array.isArray(type)) return { name: type, mayBeNull: false };
  const others = type.filter((each) => each !== "null");
  const name = others.length === 1 ? others[0] : undefined;
  return { name, mayBeNull: others.length < type.length };
}

function referred(reference: string, root: unknown): unknown {
  let found = root;
  for (const part of reference.slice(1).split("/").slice(1)) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  }
  if (found === undefined) throw new Error(`${reference} is missing from the definition`);
  return found;
}

function textOf({ contentEncoding, format }: Json): Type {
  if (contentEncoding !== "base64") return { kind: "text" };
  const length = /^\w+\[(\d+)\]$/.exec(String(format))?.[1]; // "uint8[16]"
  return { kind: "list", element: { kind: "uint8" }, length: length && Number(length) } as Type;
}

function listOf({ items, minItems, maxItems }: Json, root: unknown, depth: number): Type {
  const element = items === undefined ? { kind: "any" as const } : typeOf(items, root, depth + 1);
  const isFixed = typeof maxItems === "number" && minItems === maxItems;
  return { kind: "list", element, length: isFixed ? maxItems : undefined };
}

function structOf(schema: Json, root: unknown, depth: number): Type {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = Object.entries(schema.properties as Json).map(([name, each], id): Field => {
    const isOptional = !required.includes(name) || (isObject(each) && nameOf(each).mayBeNull);
    return { name, id, isOptional, type: typeOf(each, root, depth + 1) };
  });
  const isTime = schema.format === "time" || schema.format === "duration";
  const type: Type = { kind: "struct", extensibility: "fixed", fields };
  return isTime && fields.length === 2 ? { ...type, isTime } : type;
}
