// The texts of .msg files of ROS 1 and ROS 2, as Types.

import { parse } from "@foxglove/rosmsg";
import type { MessageDefinition, MessageDefinitionField } from "@foxglove/message-definition";

import type { NumberKind, Schema, Struct, Type } from "./type";

const NUMBER = /^(u?int(8|16|32|64)|float(32|64)|bool)$/;

export function rosMessage({ name, language, data }: Schema): Type {
  const isRos2 = language === "ros2msg";
  const text = messageOf(name, new TextDecoder().decode(data))
    // What bags before 2010 call roslib/Header is std_msgs/Header since.
    .replace(/\broslib\/Header\b/g, "std_msgs/Header")
    // A byte has a sign in ROS 1, and none in ROS 2; the parser knows one of them.
    .replace(/^(\s*)byte\b/gm, isRos2 ? "$1uint8" : "$1int8");
  const definitions = parse(text, { ros2: isRos2 });
  const first = definitions.find((each) => each.name === undefined) ?? definitions[0];
  if (!first) throw new Error("the definition is empty");
  return structOf(first, definitions, isRos2);
}

const SEPARATOR = `\n${"=".repeat(80)}\nMSG: `;
const EVENT_INFO = `service_msgs/ServiceEventInfo
uint8 event_type
builtin_interfaces/Time stamp
uint8[16] client_gid
int64 sequence_number`;

/** rosbag2 gives the text of a service in place of the messages that are made of it. */
function messageOf(name: string, text: string): string {
  const [, type, part] = /^(.*)_(Event|Request|Response)$/.exec(name) ?? [];
  const [request, response] = text.split(/^---[ \t]*$/m);
  if (!type || !part || request === undefined || response === undefined) return text;
  if (part === "Request") return request;
  if (part === "Response") return response;
  const short = type.replace("/srv/", "/");
  const event = "service_msgs/ServiceEventInfo info\n" +
    `${short}_Request[<=1] request\n${short}_Response[<=1] response`;
  const [answer, ...others] = response.split(/^={80}\nMSG: /m);
  const parts = [`${short}_Request\n${request}`, `${short}_Response\n${answer}`, EVENT_INFO];
  return [event, ...parts, ...others].join(SEPARATOR);
}

function structOf(root: MessageDefinition, definitions: MessageDefinition[], isRos2: boolean) {
  const known = new Map<MessageDefinition, Struct>();
  const made = (definition: MessageDefinition): Struct => {
    const before = known.get(definition);
    if (before) return before;
    const struct: Struct = { kind: "struct", extensibility: "fixed", fields: [] };
    known.set(definition, struct); // before its fields, which may be of this type
    struct.fields = definition.definitions
      .filter((field) => !field.isConstant)
      .map((field, id) => ({ name: field.name, id, isOptional: false, type: typeOf(field) }));
    return struct;
  };
  const typeOf = (field: MessageDefinitionField): Type => {
    const element = elementOf(field);
    return field.isArray ? { kind: "list", element, length: field.arrayLength } : element;
  };
  const elementOf = ({ type, isComplex }: MessageDefinitionField): Type => {
    if (isComplex) {
      const definition = definitions.find((each) => each.name === type);
      if (!definition) throw new Error(`The definition of ${type} is missing`);
      return made(definition);
    }
    if (NUMBER.test(type)) return { kind: type as NumberKind | "bool" };
    if (type === "string") return { kind: "text" };
    if (type === "wstring") return { kind: "wide_text" };
    if (type === "time") return timeOf(isRos2, isRos2 ? "int32" : "uint32");
    if (type === "duration") return timeOf(isRos2, "int32");
    throw new Error(`${type} is no type of ROS`);
  };
  return made(root);
}

function timeOf(isRos2: boolean, seconds: NumberKind): Struct {
  const fraction: NumberKind = isRos2 ? "uint32" : seconds;
  const field = (name: string, id: number, kind: NumberKind) => {
    return { name, id, isOptional: false, type: { kind } };
  };
  const parts = [field("sec", 0, seconds), field(isRos2 ? "nanosec" : "nsec", 1, fraction)];
  return { kind: "struct", extensibility: "fixed", isTime: true, fields: parts };
}
