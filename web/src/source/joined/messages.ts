// What is asked of single messages besides slices: their headers, of all bags; pictures and
// samples, which come from one bag.

import { nsOf } from "../query";
import { ownTopics } from "../source";
import { having, type Opened } from "./parts";

/** Lines of all bags that have something of the range, bag after bag. A line says which bag it is
    of, since each bag has sequence numbers of its own. */
export function headersOf(parts: Opened[], query: URLSearchParams, signal?: AbortSignal): Response {
  const start = nsOf(query.get("start_time")) ?? 0n;
  const end = nsOf(query.get("end_time")) ?? 0n;
  const asked = having(parts, patternsIn(query)).filter(
    ({ part }) => part.isServed && part.origin < end && part.end >= start,
  );
  async function* lines() {
    for (const { part, patterns } of asked) {
      const own = new URLSearchParams(query);
      own.set("topics", patterns);
      const response = await part.source.ask(`player?${own}`, signal);
      const body = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      const names = new Map(part.topics.map((each) => [each.topic, each.shownAs]));
      const mark = (line: string) => withBag(line, names, part.name);
      for (let rest = ""; ; ) {
        const { done, value } = await body.read();
        const all = (rest + (value ?? "")).split("\n");
        rest = done ? "" : all.pop()!;
        const text = all.filter(Boolean).map(mark).join("\n");
        if (text) yield `${text}\n`;
        if (done) break;
      }
    }
  }
  return new Response(streamOf(lines()));
}

const TOPIC = /^\{"topic":("(?:[^"\\]|\\.)*")/;

function withBag(line: string, names: Map<string, string>, bag: string): string {
  return line.replace(TOPIC, (_, text: string) => {
    const topic = JSON.parse(text) as string;
    return `{"topic":${JSON.stringify(names.get(topic) ?? topic)},"__bag":${JSON.stringify(bag)}`;
  });
}

function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}

/** The first messages of a topic from a time on, of the first bag that has any then. */
export async function sampleOf(
  parts: Opened[],
  query: URLSearchParams,
  signal?: AbortSignal,
): Promise<Response> {
  const start = nsOf(query.get("start_time")) ?? 0n;
  const all = having(parts, patternsIn(query)).filter(({ part }) => part.isServed);
  const later = all.filter(({ part }) => part.end >= start);
  const found = (later.length ? later : all).sort((a, b) => order(a.part, b.part))[0];
  if (!found) throw new Error("a file that is not on the server does not have this");
  const own = new URLSearchParams(query);
  own.set("topics", found.patterns);
  return found.part.source.ask(`player?${own}`, signal);
}

/** The last picture at or before a time, of the bag that began last before it; if that has none by
    then, of the one before. If there is none before, the first one after it. */
export async function pictureOf(
  parts: Opened[],
  query: URLSearchParams,
  signal?: AbortSignal,
): Promise<Response> {
  const shown = query.get("topic") ?? "";
  const time = nsOf(query.get("time")) ?? 0n;
  const all = parts
    .flatMap((part) => ownTopics(part, [shown]).map((topic) => ({ part, topic })))
    .filter(({ part }) => part.isServed)
    .sort((a, b) => order(a.part, b.part));
  const begun = all.filter(({ part }) => part.origin <= time);
  let later: Response | undefined;
  for (const { part, topic } of begun.length ? begun.reverse() : all.slice(0, 1)) {
    const own = new URLSearchParams(query);
    own.set("topic", topic);
    const response = await part.source.ask(`thumbnail?${own}`, signal);
    const at = nsOf(response.headers.get("Kitbag-Time"));
    if (at !== null && at <= time) return response;
    later = response;
  }
  if (!later) throw new Error("a file that is not on the server does not have this");
  return later;
}

const order = (a: Opened, b: Opened) =>
  a.origin < b.origin ? -1 : a.origin > b.origin ? 1 : 0;
const patternsIn = (query: URLSearchParams) => (query.get("topics") ?? "").split(",");
