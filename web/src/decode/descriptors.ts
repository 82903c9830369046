// A FileDescriptorSet of protobuf, as a Type.

import {
  createFileRegistry,
  fromBinary,
  ScalarType,
  type DescField,
  type DescMessage,
} from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { FeatureSet_FieldPresence, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";

import { isNumber, type Field, type NumberKind, type Scalar, type Schema } from "./type";
import type { Struct, Type } from "./type";

/** How a field stands in a payload, where its type alone does not say it. */
export type Wire = "varint" | "zigzag" | "fixed" | "sized" | "group";
export interface ProtobufField extends Field {
  wire: Wire;
}

export function descriptorSet({ name, data }: Schema): Type {
  let registry;
  try {
    registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, data));
  } catch (error) {
    throw new Error(`The definition of ${name} cannot be read: ${(error as Error).message}`);
  }
  const message = registry.getMessage(name);
  if (!message) throw new Error(`The definition of ${name} is missing`);
  return new Types().of(message);
}

class Types {
  private readonly known = new Map<DescMessage, Struct>();

  of(message: DescMessage): Struct {
    const before = this.known.get(message);
    if (before) return before;
    const made: Struct = { kind: "struct", extensibility: "by_id", fields: [] };
    this.known.set(message, made); // before its fields, which may be of this type
    const fields = message.fields.map((field) => this.field(field));
    made.fields = fields;
    if (/^google\.protobuf\.(Timestamp|Duration)$/.test(message.typeName)) made.isTime = true;
    return made;
  }

  private field(field: DescField): ProtobufField {
    const declared = declaredOf(field);
    const element = this.element(field, declared);
    const isList = field.fieldKind === "list" || field.fieldKind === "map";
    const isSingle = field.presence === FeatureSet_FieldPresence.EXPLICIT && !isList;
    const made: ProtobufField = {
      name: field.name,
      id: field.number,
      type: isList ? { kind: "list", element, length: declared.length } : element,
      isOptional: isSingle && declared.isOptional,
      wire: wireOf(field),
    };
    if (!isList && element.kind === "list" && declared.length !== undefined) {
      made.type = { ...element, length: declared.length };
    }
    if (field.proto.defaultValue && "getDefaultValue" in field) {
      made.byDefault = field.getDefaultValue();
    }
    return made;
  }

  private element(field: DescField, { kind }: Declared): Type {
    if (field.fieldKind === "map") return this.entry(field);
    if (field.message) return this.of(field.message);
    if (field.enum) return { kind: "int32", values: field.enum.values.map((one) => one.number) };
    return scalarOf(field.scalar!, kind);
  }

  /** A map is a list of its entries. */
  private entry(field: DescField & { fieldKind: "map" }): Struct {
    const value: Type = field.message
      ? this.of(field.message)
      : field.enum
        ? { kind: "int32", values: field.enum.values.map((one) => one.number) }
        : scalarOf(field.scalar!);
    const isMessage = field.message !== undefined;
    const parts: ProtobufField[] = [
      { name: "key", id: 1, isOptional: false, type: scalarOf(field.mapKey), wire: "varint" },
      { name: "value", id: 2, isOptional: isMessage, type: value, wire: "sized" },
    ];
    parts[0]!.wire = scalarWire(field.mapKey);
    if (field.enum) parts[1]!.wire = "varint";
    else if (!field.message) parts[1]!.wire = scalarWire(field.scalar!);
    return { kind: "struct", extensibility: "by_id", fields: parts };
  }
}

function wireOf(field: DescField): Wire {
  if ("delimitedEncoding" in field && field.delimitedEncoding) return "group";
  if (field.fieldKind === "map" || field.message) return "sized";
  return field.enum ? "varint" : scalarWire(field.scalar!);
}

function scalarWire(scalar: ScalarType): Wire {
  switch (scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return "sized";
    case ScalarType.SINT32:
    case ScalarType.SINT64:
      return "zigzag";
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED32:
    case ScalarType.SFIXED64:
      return "fixed";
    default:
      return "varint";
  }
}

const kinds: Partial<Record<ScalarType, Scalar["kind"]>> = {
  [ScalarType.DOUBLE]: "float64",
  [ScalarType.FLOAT]: "float32",
  [ScalarType.BOOL]: "bool",
  [ScalarType.INT32]: "int32",
  [ScalarType.SINT32]: "int32",
  [ScalarType.SFIXED32]: "int32",
  [ScalarType.UINT32]: "uint32",
  [ScalarType.FIXED32]: "uint32",
  [ScalarType.INT64]: "int64",
  [ScalarType.SINT64]: "int64",
  [ScalarType.SFIXED64]: "int64",
  [ScalarType.UINT64]: "uint64",
  [ScalarType.FIXED64]: "uint64",
};

function scalarOf(scalar: ScalarType, declared?: NumberKind): Type {
  if (scalar === ScalarType.STRING) return { kind: "text" };
  if (scalar === ScalarType.BYTES) return { kind: "list", element: { kind: "uint8" } };
  return { kind: declared ?? kinds[scalar]! };
}

/** What kitbag notes about a field that it converted: "uint8[3]", "int16?". */
interface Declared {
  kind?: NumberKind;
  length?: number;
  isOptional: boolean;
}

const OPTION = 50317;

function declaredOf(field: DescField): Declared {
  const option = field.proto.options?.$unknown?.find((each) => each.no === OPTION);
  if (!option) return { isOptional: true };
  const text = new BinaryReader(option.data).string().split(" ", 1)[0]!;
  const [, word, length] = /^([\w]*)(?:<=\d+)?(?:\[(\d+)\])?/.exec(text)!;
  const declared: Declared = { isOptional: text.endsWith("?") };
  const type = { kind: word } as Type;
  if (isNumber(type)) declared.kind = type.kind;
  if (length) declared.length = Number(length);
  return declared;
}
