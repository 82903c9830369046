// IDL, as ROS 2 (`ros2idl`) and DDS (`omgidl`) use it, as Types.

import {
  parseIDL,
  type IDLMessageDefinition,
  type IDLMessageDefinitionField,
} from "@foxglove/omgidl-parser";

import type { Field, Schema, Scalar, Struct, Type } from "./type";

/** ROS 2 puts this before each file. */
const FILE = /^={3,}\r?\nIDL: .*$/gm;
const TIME = /^builtin_interfaces::msg::(Time|Duration)$/;
const NUMBER = /^(u?int(8|16|32|64)|float(32|64)|bool)$/;

export function idl({ name, language, data }: Schema): Type {
  const text = new TextDecoder().decode(data).replace(FILE, "");
  if (/@bit_bound/.test(text)) throw new Error("The page cannot read @bit_bound in IDL");
  const definitions = new Map(parseIDL(text).map((each) => [each.name ?? "", each]));
  const root = definitions.get(name.replaceAll("/", "::")) ?? definitions.get(name);
  if (!root) throw new Error(`The definition of ${name} is missing`);
  return new Types(definitions, language === "omgidl" ? "open" : "fixed").of(root);
}

type Annotations = NonNullable<IDLMessageDefinition["annotations"]>;

class Types {
  private readonly known = new Map<IDLMessageDefinition, Struct>();

  constructor(
    private readonly definitions: Map<string, IDLMessageDefinition>,
    private readonly byDefault: Struct["extensibility"],
  ) {}

  of(definition: IDLMessageDefinition): Struct {
    const before = this.known.get(definition);
    if (before) return before;
    const made: Struct = {
      kind: "struct",
      extensibility: this.extensibilityOf(definition.annotations ?? {}),
      fields: [],
    };
    this.known.set(definition, made); // before its fields, which may be of this type
    if (definition.aggregatedKind === "union") {
      made.isUnion = true;
      made.fields = this.branches(definition);
    } else {
      made.fields = this.members(definition.definitions.filter((each) => !each.isConstant));
      if (TIME.test(definition.name ?? "")) made.isTime = true;
    }
    return made;
  }

  private extensibilityOf(annotations: Annotations): Struct["extensibility"] {
    if ("mutable" in annotations) return "by_id";
    if ("appendable" in annotations) return "open";
    if ("final" in annotations) return "fixed";
    const named = valueOf(annotations, "extensibility");
    if (named === undefined) return this.byDefault;
    return named === "MUTABLE" ? "by_id" : named === "APPENDABLE" ? "open" : "fixed";
  }

  private members(definitions: IDLMessageDefinitionField[]): Field[] {
    let next = 0;
    return definitions.map((each) => {
      const annotations = each.annotations ?? {};
      if ("hashid" in annotations) throw new Error("The page cannot read @hashid in IDL");
      const id = Number(valueOf(annotations, "id") ?? next);
      next = id + 1;
      const isOptional = "optional" in annotations && valueOf(annotations, "optional") !== false;
      return { ...this.field(each), id, isOptional };
    });
  }

  private branches(definition: IDLMessageDefinition & { aggregatedKind: "union" }): Field[] {
    const { switchType, cases, defaultCase } = definition;
    const type: Scalar = { kind: switchType as Scalar["kind"] };
    const chooser: Field = { name: "$discriminator", type, id: 0, isOptional: false };
    const branches = cases.map((each) => {
      return { ...this.field(each.type), labels: each.predicates.map(Number) };
    });
    const others = defaultCase ? [{ ...this.field(defaultCase), isElse: true }] : [];
    return [chooser, ...[...branches, ...others].map((each, i) => ({ ...each, id: i + 1 }))];
  }

  private field(definition: IDLMessageDefinitionField): Field {
    const { name, isArray, arrayLengths, defaultValue } = definition;
    let type = this.element(definition);
    if (isArray && !arrayLengths) type = { kind: "list", element: type };
    for (const length of [...(arrayLengths ?? [])].reverse()) {
      type = { kind: "list", element: type, length };
    }
    const field: Field = { name, type, id: 0, isOptional: false };
    if (defaultValue !== undefined) field.byDefault = defaultValue;
    return field;
  }

  private element({ type, isComplex, enumType }: IDLMessageDefinitionField): Type {
    if (isComplex) {
      const definition = this.definitions.get(type);
      if (!definition) throw new Error(`The definition of ${type} is missing`);
      return this.of(definition);
    }
    if (enumType) return { kind: "int32", values: this.valuesOf(enumType) };
    if (NUMBER.test(type)) return { kind: type as Scalar["kind"] };
    if (type === "wchar") return { kind: "uint16" };
    if (type === "string") return { kind: "text" };
    if (type === "wstring") return { kind: "wide_text" };
    throw new Error(`The page cannot read the type ${type} in IDL`);
  }

  private valuesOf(name: string): number[] {
    const definition = this.definitions.get(name);
    if (!definition || definition.aggregatedKind === "union") return [];
    return definition.definitions.map((each) => Number(each.value));
  }
}

/** What stands in brackets behind an annotation. */
function valueOf(annotations: Annotations, name: string): unknown {
  const annotation = annotations[name];
  if (annotation?.type === "const-param") {
    const { value } = annotation;
    return typeof value === "object" ? value.name : value;
  }
  return annotation?.type === "named-params" ? annotation.namedParams.value : undefined;
}
