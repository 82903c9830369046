// The bags that are shown together: what each of them has, and what its topics are called. A topic
// of the same name and type is one topic, as in `kitbag play a b` and `kitbag convert a b`. One of
// another type gets a name that says which bag it is from: the page shows a topic by the decoders
// and panels of its type.

import { topicPattern, type Schema, type Topic } from "../../api";
import {
  integerIn,
  isGrowing,
  isServed,
  ownTopics,
  shownName,
  type BagSource,
  type Part,
  type PartTopic,
} from "../source";

export interface Named {
  name: string;
  source: BagSource;
}

/** A bag that could be opened. */
export interface Opened extends Part {
  source: BagSource;
  /** The last message, in ns since 1970. */
  end: bigint;
  bytes: number;
  messages: number;
  schemas: Schema[];
  /** The server has it, and so what a local file does not have. */
  isServed: boolean;
  /** It is being recorded: there will be more of it. */
  isOpen: boolean;
}

export async function openPart({ name, source }: Named): Promise<Opened> {
  const [extent, topics, schemas] = await Promise.all([
    extentOf(source),
    source.ask("topics").then((response) => response.json() as Promise<Topic[]>),
    source.ask("schemas").then((response) => response.json() as Promise<Schema[]>),
  ]);
  // Its times would be those of 1970.
  if (extent.messages === 0) throw new Error("it has no messages");
  const shown = topics.map((each) => ({ ...each, shownAs: each.topic }));
  return { name, source, schemas, topics: shown, isServed: isServed(name), ...extent };
}

/** How far a bag has come. */
export async function extentOf(source: BagSource) {
  const response = await source.ask("info");
  const info = await response.text();
  const origin = integerIn(info, "start_ns");
  const end = integerIn(info, "end_ns");
  return {
    ...{ origin, end },
    length: Number(end - origin) / 1e9,
    messages: Number(integerIn(info, "messages")),
    bytes: Number(integerIn(info, "size_bytes")),
    isOpen: isGrowing(response),
  };
}

/** ROS 1 and ROS 2 have different names for one type. */
const plain = (type: string) => type.replace("/msg/", "/");

/** Gives topics the names that they are shown under; returns what to say of those that have
    another one than in their bag. */
export function nameTopics(parts: { name: string; topics: PartTopic[] }[]): string[] {
  const notes: string[] = [];
  const all = new Set(parts.flatMap(({ topics }) => topics.map((each) => each.topic)));
  /** By the name in the bags: the type that has it, and the names of the others. */
  const first = new Map<string, { type: string; from: string }>();
  const others = new Map<string, string>();
  for (const { name, topics } of parts) {
    const types = new Map<string, string[]>();
    for (const { topic, type } of topics) types.set(topic, [...(types.get(topic) ?? []), type]);
    for (const [topic, own] of types) {
      const known = first.get(topic);
      if (!known) first.set(topic, { type: own[0]!, from: name });
      if (!known || own.some((type) => plain(type) === plain(known.type))) continue;
      const type = own[0]!;
      const key = `${topic}\n${plain(type)}`;
      let shown = others.get(key);
      if (!shown) {
        shown = `${topic} (${shownName(name)})`;
        while (all.has(shown)) shown += "′";
        all.add(shown);
        others.set(key, shown);
      }
      notes.push(
        `${topic} of ${shownName(name)} is shown as ${shown}: its type is ${type}, that of ` +
          `${shownName(known.from)} is ${known.type}.`,
      );
      for (const each of topics) if (each.topic === topic) each.shownAs = shown;
    }
  }
  return notes;
}

/** All topics, by name; rates are those within the bags. */
export function unitedTopics(parts: Part[]): Topic[] {
  const united = new Map<string, Topic>();
  for (const { shownAs, ...own } of parts.flatMap(({ topics }) => topics)) {
    const key = `${shownAs}\n${plain(own.type)}`;
    const known = united.get(key);
    if (!known) {
      united.set(key, { ...own, topic: shownAs });
      continue;
    }
    const messages = known.messages + own.messages;
    const sum = (known.rate_hz ?? 0) * known.messages + (own.rate_hz ?? 0) * own.messages;
    if (sum > 0) known.rate_hz = sum / messages;
    known.messages = messages;
    known.latched += own.latched;
  }
  return [...united.values()].sort((a, b) => (a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : 0));
}

/** The definitions of all topics, each text once. */
export function unitedSchemas(parts: Pick<Opened, "topics" | "schemas">[]): Schema[] {
  const united = new Map<string, Schema>();
  for (const { topics: own, schemas } of parts) {
    for (const schema of schemas) {
      const { name, language, text, data_base64 } = schema;
      const key = JSON.stringify([name, language, text, data_base64]);
      const of = own.filter(({ topic, type }) => type === name && schema.topics.includes(topic));
      const topics = [...(united.get(key)?.topics ?? []), ...of.map((each) => each.shownAs)];
      united.set(key, { ...schema, topics: [...new Set(topics)] });
    }
  }
  return [...united.values()];
}

/** The bags that have any topic of some patterns of the page, and the patterns that mean these
    topics there. */
export function having(
  parts: Opened[],
  patterns: string[],
): { part: Opened; patterns: string }[] {
  return parts.flatMap((part) => {
    const shown = part.topics.map((each) => each.shownAs);
    const wanted = shown.filter((topic) => patterns.includes(topicPattern(topic)));
    const own = ownTopics(part, wanted).map((topic) => topicPattern(topic));
    return own.length ? [{ part, patterns: own.join(",") }] : [];
  });
}
