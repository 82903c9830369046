// What the server answers about a bag, of a local file: texts of JSON (docs/serving.md).

import { topicPattern, type Schema } from "../../api";
import { nsOf } from "../query";
import type { IndexedFile } from "./indexed";
import { readSeries } from "./series";
import type { Times } from "./times";

/** What is not here does without it: a local file has no events and no thumbnails. */
export async function answer(
  file: IndexedFile,
  times: Times,
  what: string,
  turn: () => Promise<void> | null = () => null,
): Promise<string> {
  const [path, search] = what.split("?", 2);
  const query = new URLSearchParams(search);
  switch (path) {
    case "info":
      // The times have more digits than a number of JavaScript.
      return `{"format": "${file.format}", "start_ns": ${times.start}, "end_ns": ${times.end},
        "messages": ${times.messages}}`;
    case "topics":
      return JSON.stringify(times.topics());
    case "schemas":
      return JSON.stringify(schemasOf(file));
    case "timeline":
      return JSON.stringify(times.timeline(Number(query.get("buckets") ?? 100)));
    case "series": {
      const end = query.get("end_time");
      const wanted = {
        topic: topicOf(file, query.get("topics") ?? ""),
        fields: (query.get("fields") ?? "").split(","),
        parts: Number(query.get("buckets") ?? 1000),
        start: nsOf(query.get("start_time")) ?? times.start,
        end: (end === null ? null : nsOf(end)) ?? times.end + 1n,
      };
      return JSON.stringify(await readSeries(file, wanted, turn));
    }
    case "events":
      return '{"events": []}';
  }
  throw new Error("a file that is not on the server does not have this");
}

/** The topic that a pattern of the page means. */
function topicOf(file: IndexedFile, pattern: string): string {
  const topics = [...file.channels.values()].map(({ topic }) => topic);
  return topics.find((topic) => topicPattern(topic) === pattern) ?? pattern;
}

/** Texts of one type may differ between topics. */
function schemasOf(file: IndexedFile): (Schema & { data_base64?: string })[] {
  const schemas = new Map<number, Schema & { data_base64?: string }>();
  for (const { topic, schemaId } of file.channels.values()) {
    const definition = file.definitions.get(schemaId);
    if (!definition) continue;
    const known = schemas.get(schemaId);
    if (known) {
      if (!known.topics.includes(topic)) known.topics.push(topic);
      continue;
    }
    const { name, language, data } = definition;
    schemas.set(schemaId, { name, language, ...textOrBase64(data), topics: [topic] });
  }
  return [...schemas.values()];
}

function textOrBase64(data: Uint8Array): { text: string } | { data_base64: string } {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(data);
    if (!text.includes("\0")) return { text };
  } catch {
    // It is no text.
  }
  let binary = "";
  for (const byte of data) binary += String.fromCharCode(byte);
  return { data_base64: btoa(binary) };
}
