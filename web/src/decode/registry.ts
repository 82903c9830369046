// All languages of schemas and all encodings of payloads that the page knows, a line each.

import { cdr } from "./cdr";
import { idl } from "./idl";
import { json } from "./json";
import { jsonSchema } from "./jsonschema";
import { protobuf } from "./protobuf";
import { descriptorSet } from "./descriptors";
import { ros1 } from "./ros1";
import { rosMessage } from "./rosmsg";
import { numberFields, type Decode, type NumberField, type Schema, type Type } from "./type";

const languages: Record<string, (schema: Schema) => Type> = {
  ros1msg: rosMessage,
  ros2msg: rosMessage,
  ros2idl: idl,
  omgidl: idl,
  protobuf: descriptorSet,
  jsonschema: jsonSchema,
};

const encodings: Record<string, (type: Type) => Decode> = { ros1, cdr, protobuf, json };

/** How payloads of a channel are decoded. Throws a sentence if that is not known. */
export function decoderOf(encoding: string, schema: Schema): Decode {
  const language = languages[schema.language];
  const decoder = encodings[encoding];
  if (decoder && language) return decoder(language(schema));
  if (encoding === "json" && !schema.language) return json({ kind: "any" });
  if (!encoding) throw new Error("The bag does not say in which encoding these messages are");
  if (decoder && !schema.language) {
    throw new Error(
      `The bag has no definition of these messages, so those in the encoding ${encoding} ` +
        "cannot be decoded; kitbag convert adds the definitions that it finds",
    );
  }
  const how = schema.language ? ` (${schema.language})` : "";
  throw new Error(`Messages in the encoding "${encoding}"${how} cannot be decoded here`);
}

/** All numbers in messages of a definition; none if nobody can read it: decoding says why. */
export function numbersOf(schema: Schema): NumberField[] {
  try {
    const type = languages[schema.language]?.(schema);
    return type ? numberFields(type) : [];
  } catch {
    return [];
  }
}
