// Several bags on one timeline: a source made of sources. It answers what a bag is asked with the
// answers of all of them put together: the timeline goes from the first message of all to the last
// one, topics of the same name and type are one topic, messages come in the order of time. A bag
// that cannot be opened is left out, and the page says so.

import { TokenNeeded, type Schema, type SeriesAnswer, type Timeline, type Topic } from "../../api";
import { secondsText } from "../../player/slice";
import { nsOf } from "../query";
import { shownName, type BagSource, type Slices, type Together } from "../source";
import { JoinedEvents } from "./events";
import { headersOf, pictureOf, sampleOf } from "./messages";
import {
  extentOf,
  nameTopics,
  having,
  openPart,
  unitedSchemas,
  unitedTopics,
  type Named,
  type Opened,
} from "./parts";
import { FINER, MOST_PARTS, unitedSeries } from "./series";
import { JoinedSlices } from "./slices";
import { partsOfShare, spanOf, unitedTimeline } from "./timeline";

interface State extends Together {
  parts: Opened[];
}

export class JoinedSource implements BagSource {
  private state: Promise<State> | undefined;
  private readonly events = new JoinedEvents();
  /** Since their topics were read. */
  private readonly grown = new Set<Opened>();

  constructor(private readonly named: Named[]) {}

  together(): Promise<State> {
    this.state ??= this.open();
    return this.state;
  }

  private async open(): Promise<State> {
    const results = await Promise.allSettled(this.named.map(openPart));
    const parts: Opened[] = [];
    const problems: string[] = [];
    results.forEach((result, i) => {
      if (result.status === "fulfilled") return parts.push(result.value);
      const why = result.reason as Error;
      if (why instanceof TokenNeeded) throw why;
      return problems.push(`${shownName(this.named[i]!.name)} cannot be shown: ${why.message}`);
    });
    if (!parts.length) throw new Error(problems.join("; "));
    return { parts, problems, notes: nameTopics(parts) };
  }

  slices(): Slices {
    return new JoinedSlices(() => this.together().then(({ parts }) => parts));
  }

  async ask(what: string, signal?: AbortSignal): Promise<Response> {
    const { parts } = await this.together();
    const [path, search] = what.split("?", 2);
    const query = new URLSearchParams(search);
    switch (path) {
      case "info":
        return this.info(parts);
      case "topics":
        await this.readTopics(parts);
        return Response.json(unitedTopics(parts));
      case "schemas":
        return Response.json(unitedSchemas(parts));
      case "timeline":
        return Response.json(await timeline(parts, query, signal));
      case "series":
        return Response.json(await series(parts, query, signal));
      case "events":
        return this.events.read(parts);
      case "thumbnail":
        return pictureOf(parts, query, signal);
      case "player":
        if (query.get("format") === "ndjson") return headersOf(parts, query, signal);
        return sampleOf(parts, query, signal);
    }
    throw new Error("several bags together do not have this");
  }

  /** As far as the bags have come: those that are being recorded are asked again. */
  private async info(parts: Opened[]): Promise<Response> {
    const look = async (part: Opened) => {
      const extent = await extentOf(part.source);
      if (extent.messages !== part.messages) this.grown.add(part);
      Object.assign(part, extent);
    };
    await Promise.all(parts.filter((each) => each.isOpen).map(look));
    const isOpen = parts.some((each) => each.isOpen);
    return new Response(infoOf(parts), isOpen ? { headers: { "Cache-Control": "no-cache" } } : {});
  }

  /** Bags that have grown have more messages of their topics, and perhaps other topics. */
  private async readTopics(parts: Opened[]): Promise<void> {
    if (!this.grown.size) return;
    const look = async (part: Opened) => {
      const topics = (await (await part.source.ask("topics")).json()) as Topic[];
      if (topics.length !== part.topics.length) {
        part.schemas = (await (await part.source.ask("schemas")).json()) as Schema[];
      }
      part.topics = topics.map((each) => ({ ...each, shownAs: each.topic }));
    };
    const grown = [...this.grown];
    this.grown.clear();
    await Promise.all(grown.map(look));
    nameTopics(parts);
  }

  async send(what: string, body: string, etag?: string): Promise<Response> {
    const { parts } = await this.together();
    if (what !== "events") throw new Error("several bags together do not take this");
    return this.events.send(parts, body, etag);
  }
}

/** The times have more digits than a number of JavaScript. */
function infoOf(parts: Opened[]): string {
  const { origin, end } = spanOf(parts);
  const sum = (of: (part: Opened) => number) => parts.reduce((all, each) => all + of(each), 0);
  return `{"start_ns": ${origin}, "end_ns": ${end}, "messages": ${sum((each) => each.messages)},
    "size_bytes": ${sum((each) => each.bytes)}}`;
}

async function timeline(parts: Opened[], query: URLSearchParams, signal?: AbortSignal) {
  const buckets = Number(query.get("buckets") ?? 100);
  const { origin, end } = spanOf(parts);
  const pieces = parts.map(async (part) => {
    const share = Number(part.end - part.origin) / Math.max(1, Number(end - origin));
    const own = new URLSearchParams(query);
    own.set("buckets", String(partsOfShare(buckets, share, parts.length)));
    const response = await part.source.ask(`timeline?${own}`, signal);
    return { part, timeline: (await response.json()) as Timeline };
  });
  return unitedTimeline(await Promise.all(pieces), buckets);
}

async function series(
  parts: Opened[],
  query: URLSearchParams,
  signal?: AbortSignal,
): Promise<SeriesAnswer> {
  const whole = spanOf(parts);
  const start = nsOf(query.get("start_time")) ?? whole.origin;
  const end = nsOf(query.get("end_time")) ?? whole.end + 1n;
  const buckets = Number(query.get("buckets") ?? 1000);
  const all = having(parts, (query.get("topics") ?? "").split(","));
  const asked = all.filter(({ part }) => part.origin < end && part.end >= start);
  // Where nothing is, the first bag says so in its own words.
  const used = asked.length ? asked : all.slice(0, 1);
  const results = await Promise.allSettled(
    used.map(async ({ part, patterns }) => {
      const from = part.origin > start ? part.origin : start;
      const to = part.end < end ? part.end + 1n : end;
      const share = Number(to - from) / Math.max(1, Number(end - start));
      const fine = Math.min(MOST_PARTS, Math.max(1, Math.ceil(FINER * buckets * share)));
      const own = new URLSearchParams(query);
      own.set("topics", patterns);
      if (used.length > 1) {
        own.set("start_time", secondsText(from, 0));
        own.set("end_time", secondsText(to, 0));
        own.set("buckets", String(fine));
      }
      const response = await part.source.ask(`series?${own}`, signal);
      const answer = (await response.json()) as SeriesAnswer;
      const names = new Map(part.topics.map((each) => [each.topic, each.shownAs]));
      for (const each of answer.series) each.topic = names.get(each.topic) ?? each.topic;
      return answer;
    }),
  );
  const answers = results.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const failed = results.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  // The definition of a type may have changed from bag to bag: one of them may lack the field.
  const why = failed.find((error) => !answers.length || !/ a field /.test(error.message));
  if (why) throw why;
  if (answers.length === 1) return answers[0]!;
  return unitedSeries(answers, { start: Number(start) / 1e9, end: Number(end) / 1e9, buckets });
}
