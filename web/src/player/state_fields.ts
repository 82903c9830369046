// The fields of a message that are states: flags, enumerations and other integers, and texts; with
// the names of their values. ROS has no enumerations, but constants that stand in the same
// definition, and a convention: POWER_SUPPLY_STATUS_FULL is a value of power_supply_status. Where
// the names do not say it, constants of the field's type belong to it, which stand around it.

import { parse } from "@foxglove/rosmsg";
import type { MessageDefinition, MessageDefinitionField } from "@foxglove/message-definition";

export interface Constant {
  /** Without what it has in common with the field. */
  name: string;
  value: number | string;
}

export interface StateField {
  path: string;
  kind: "flag" | "integer" | "text";
  constants: Constant[];
}

const MOST_FIELDS = 500;
const MOST_DEPTH = 8;

function kindOf(type: string): StateField["kind"] | undefined {
  if (type === "bool") return "flag";
  if (/^u?int(8|16|32|64)$/.test(type)) return "integer";
  return type === "string" || type === "wstring" ? "text" : undefined;
}

/** Of a definition that cannot be read, none. */
export function stateFields(language: string, definition: string): StateField[] {
  if (language !== "ros2msg" && language !== "ros1msg") return [];
  let definitions: MessageDefinition[];
  try {
    // What bags before 2010 call roslib/Header is std_msgs/Header since.
    const text = definition.replace(/\broslib\/Header\b/g, "std_msgs/Header");
    definitions = parse(text, { ros2: language === "ros2msg" });
  } catch {
    return []; // the panels say so
  }
  const fields: StateField[] = [];
  const walk = (of: MessageDefinition | undefined, prefix: string, depth: number) => {
    if (!of || depth > MOST_DEPTH) return;
    const constants = constantsOf(of.definitions);
    for (const field of of.definitions) {
      if (field.isConstant || field.isArray || fields.length >= MOST_FIELDS) continue;
      const path = prefix + field.name;
      const kind = kindOf(field.type);
      const inner = definitions.find((each) => each.name === field.type);
      if (field.isComplex) walk(inner, `${path}.`, depth + 1);
      else if (kind) fields.push({ path, kind, constants: constants.get(field) ?? [] });
    }
  };
  walk(definitions.find((each) => each.name === undefined) ?? definitions[0], "", 0);
  return fields;
}

/** Which constants of a definition belong to which of its fields. */
function constantsOf(all: MessageDefinitionField[]): Map<MessageDefinitionField, Constant[]> {
  const found = new Map<MessageDefinitionField, Constant[]>();
  const free = new Set(all.filter((each) => each.isConstant));
  const fields = all.filter((each) => !each.isConstant && !each.isArray && !each.isComplex);
  const give = (field: MessageDefinitionField, own: MessageDefinitionField[], prefix: number) => {
    own.forEach((each) => free.delete(each));
    found.set(field, own.map((each) => constantOf(each, prefix)));
  };
  const isInteger = ({ type }: MessageDefinitionField) => kindOf(type) === "integer";
  for (const field of fields) {
    if (!kindOf(field.type)) continue;
    // COVARIANCE_TYPE_KNOWN is a value of position_covariance_type, too.
    const words = field.name.toUpperCase().split("_");
    for (let skip = 0; skip < words.length; ++skip) {
      const prefix = `${words.slice(skip).join("_")}_`;
      const own = [...free].filter(
        (each) =>
          each.name.startsWith(prefix) &&
          (each.type === field.type || (isInteger(each) && isInteger(field))),
      );
      if (own.length < (skip === 0 ? 1 : 2)) continue;
      give(field, own, prefix.length);
      break;
    }
  }
  for (const field of fields) {
    if (found.has(field) || kindOf(field.type) !== "integer") continue;
    const alike = fields.filter((each) => each.type === field.type && !found.has(each));
    const place = all.indexOf(field);
    const before = alike.findLast((each) => all.indexOf(each) < place);
    const from = before ? all.indexOf(before) : -1;
    const own = [...free].filter(
      (each) =>
        each.type === field.type &&
        (alike.length === 1 || (all.indexOf(each) > from && all.indexOf(each) < place)),
    );
    if (own.length > 1) give(field, own, 0);
  }
  return found;
}

function constantOf({ name, value }: MessageDefinitionField, prefix: number): Constant {
  const isText = typeof value === "string";
  return { name: name.slice(prefix) || name, value: isText ? value : Number(value) };
}

/** Those of a message, where nothing is known of its definition. */
export function stateFieldsIn(value: unknown): StateField[] {
  const fields: StateField[] = [];
  const walk = (of: unknown, prefix: string, depth: number) => {
    if (typeof of !== "object" || of === null) return;
    if (ArrayBuffer.isView(of) || Array.isArray(of)) return;
    for (const [name, each] of Object.entries(of)) {
      if (fields.length >= MOST_FIELDS) return;
      const path = prefix + name;
      const kind =
        typeof each === "boolean"
          ? "flag"
          : typeof each === "string"
            ? "text"
            : typeof each === "bigint" || Number.isInteger(each)
              ? "integer"
              : undefined;
      if (kind) fields.push({ path, kind, constants: [] });
      else if (depth < MOST_DEPTH) walk(each, `${path}.`, depth + 1);
    }
  };
  walk(value, "", 0);
  return fields;
}
