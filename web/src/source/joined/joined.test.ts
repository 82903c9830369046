import { expect, test } from "vitest";

import type { SeriesAnswer, Timeline, Topic } from "../../api";
import type { Slice } from "../../player/slice";
import type { Message } from "../../player/store";
import type { FromWorker, ToWorker } from "../../player/worker";
import { ownTopics, type BagSource, type Slices } from "../source";
import { JoinedSource } from "./joined";

const SECOND = 1_000_000_000n;
const START = 1_767_225_600n;

interface Bag {
  /** In seconds since START, as all times here. */
  start: number;
  end: number;
  topics: Topic[];
  answers?: Record<string, unknown>;
}

const topic = (name: string, type = "a/B", messages = 10, latched = 0): Topic => ({
  topic: name,
  type,
  messages,
  rate_hz: 2,
  latched,
});

/** A bag whose worker is the test. */
class FakeBag implements BagSource {
  asked: string[] = [];
  sent: { body: string; etag: string | undefined }[] = [];
  read: (ToWorker & { read: Slice }) | null = null;
  cancelled = 0;
  events = { etag: '"1"', text: '{"events": []}' };
  private reader: Slices | null = null;

  constructor(private readonly bag: Bag | null) {}

  async ask(what: string): Promise<Response> {
    this.asked.push(what);
    if (!this.bag) throw new Error("nothing of it can be read");
    const { start, end, topics, answers = {} } = this.bag;
    const [path] = what.split("?");
    const ns = (seconds: number) => (START + BigInt(seconds)) * SECOND;
    const messages = topics.reduce((sum, each) => sum + each.messages, 0);
    if (path === "info") {
      return new Response(
        `{"start_ns": ${ns(start)}, "end_ns": ${ns(end)}, "messages": ${messages},
          "size_bytes": 1000}`,
      );
    }
    if (path === "topics") return Response.json(topics);
    if (path === "schemas") {
      const schemas = topics.map(({ topic: name, type }) => ({
        ...{ name: type, language: "ros1msg", text: `# ${type}`, topics: [name] },
      }));
      return Response.json(schemas);
    }
    if (path === "events") {
      return new Response(this.events.text, { headers: { ETag: this.events.etag } });
    }
    return Response.json(answers[path!]);
  }
  async send(_: string, body: string, etag?: string): Promise<Response> {
    this.sent.push({ body, etag });
    return new Response("{}");
  }
  slices(): Slices {
    this.reader = {
      onmessage: null,
      postMessage: (message) => {
        if ("read" in message) this.read = message;
        else ++this.cancelled;
      },
      terminate: () => {},
    };
    return this.reader;
  }
  answer(data: FromWorker): void {
    this.reader!.onmessage!({ data } as MessageEvent<FromWorker>);
  }
}

function joined(bags: Record<string, Bag | null>) {
  const fakes = Object.entries(bags).map(([name, bag]) => ({ name, source: new FakeBag(bag) }));
  const source = new JoinedSource(fakes);
  const json = async (what: string) => (await (await source.ask(what)).json()) as unknown;
  return { source, json, bags: fakes.map((each) => each.source) };
}

const two = (more: Partial<Bag>[] = [{}, {}]) =>
  joined({
    "a.bag": { start: 0, end: 10, topics: [topic("/x"), topic("/map", "m/M", 1, 1)], ...more[0] },
    "b.bag": { start: 20, end: 30, topics: [topic("/x", "a/B", 30)], ...more[1] },
  });

/** Slices of several bags, and what they give. */
async function reading(of: ReturnType<typeof joined>, slice: Partial<Slice>) {
  const slices = of.source.slices();
  const told: FromWorker[] = [];
  slices.onmessage = ({ data }) => void told.push(data);
  const read = { bag: "", topics: ["/x", "/map"], origin: START * SECOND, state: [], ...slice };
  slices.postMessage({ id: 7, read: read as Slice });
  await of.source.together();
  await Promise.resolve();
  const messages = () => told.flatMap((each) => ("messages" in each ? each.messages : []));
  return { told, messages, values: () => messages().map((each) => each.value), slices };
}

const message = (name: string, time: number, value: unknown): Message => ({
  ...{ topic: name, time, value, bytes: 1 },
});

test("the whole goes from the first message to the last one", async () => {
  const { source } = two();
  const info = await (await source.ask("info")).text();
  expect(info).toContain(`"start_ns": ${START * SECOND}`);
  expect(info).toContain(`"end_ns": ${(START + 30n) * SECOND}`);
  expect(JSON.parse(info)).toMatchObject({ messages: 41, size_bytes: 2000 });
});

test("topics of one name and type are one; another type has a name of its own", async () => {
  const { source, json } = joined({
    "a.bag": { start: 0, end: 9, topics: [topic("/x", "a/B", 10), topic("/y", "t/Int")] },
    "b.mcap": { start: 9, end: 19, topics: [topic("/x", "a/msg/B", 30), topic("/y", "t/Text")] },
    "c.bag": { start: 9, end: 19, topics: [topic("/y", "t/Text", 5), topic("/y (b.mcap)")] },
  });
  const topics = (await json("topics")) as Topic[];
  expect(topics.map((each) => [each.topic, each.type, each.messages])).toEqual([
    ["/x", "a/B", 40],
    ["/y", "t/Int", 10],
    ["/y (b.mcap)", "a/B", 10],
    ["/y (b.mcap)′", "t/Text", 15],
  ]);
  const { parts, notes } = await source.together();
  expect(parts.map((part) => ownTopics(part, ["/y (b.mcap)′"]))).toEqual([[], ["/y"], ["/y"]]);
  expect(notes).toHaveLength(2);
  expect(notes[0]).toContain("/y of b.mcap is shown as /y (b.mcap)′: its type is t/Text");
  const schemas = (await json("schemas")) as { name: string; topics: string[] }[];
  expect(schemas.find(({ name }) => name === "t/Text")!.topics).toEqual(["/y (b.mcap)′"]);
});

test("a bag that cannot be opened is named, and the others are shown", async () => {
  const { source, json } = joined({
    "a.bag": { start: 0, end: 9, topics: [topic("/x")] },
    "bad.bag": null,
    "empty.bag": { start: 0, end: 0, topics: [] },
  });
  const { parts, problems } = await source.together();
  expect(parts.map(({ name }) => name)).toEqual(["a.bag"]);
  expect(problems).toEqual([
    "bad.bag cannot be shown: nothing of it can be read",
    "empty.bag cannot be shown: it has no messages",
  ]);
  expect(await json("topics")).toHaveLength(1);
  await expect(joined({ "bad.bag": null }).source.ask("info")).rejects.toThrow("bad.bag");
});

test("messages come in the order of time, of equal times the first bag's before", async () => {
  const of = two([{}, { start: 5 }]);
  const [a, b] = of.bags;
  const { told, values } = await reading(of, { start: 5, end: 8 });
  b!.answer({ id: 7, messages: [message("/x", 5, "b5"), message("/x", 6, "b6")] });
  expect(told).toEqual([]); // a may have something before
  a!.answer({ id: 7, messages: [message("/x", 5, "a5"), message("/x", 6, "a6")] });
  expect(values()).toEqual(["a5", "b5", "a6"]); // a may have more at 6
  a!.answer({ id: 7, messages: [message("/x", 6, "a6 too")] });
  expect(values()).toEqual(["a5", "b5", "a6", "a6 too"]);
  a!.answer({ id: 7, done: true, damage: ["torn"] });
  expect(values()).toEqual(["a5", "b5", "a6", "a6 too", "b6"]);
  b!.answer({ id: 7, done: true });
  expect(told.at(-1)).toEqual({ id: 7, done: true, damage: ["a.bag: torn"] });
});

test("after a seek, the earlier bag has the state that the later one has not", async () => {
  const of = two();
  const [a, b] = of.bags;
  const state = ["/x", "/map"];
  const { values } = await reading(of, { start: 25, end: 26, state });
  expect(a!.read!.read).toMatchObject({ bag: "a.bag", state, origin: START * SECOND });
  expect(b!.read!.read).toMatchObject({ bag: "b.bag", topics: ["/x"], state: ["/x"] });
  b!.answer({ id: 7, messages: [message("/x", 24.5, "b")] });
  a!.answer({ id: 7, messages: [message("/map", 0, "map"), message("/x", 9.5, "a")] });
  a!.answer({ id: 7, done: true });
  b!.answer({ id: 7, done: true });
  expect(values()).toEqual(["map", "a", "b"]);
});

test("only bags that have something in a slice are asked; of a gap, none", async () => {
  const of = two();
  const [a, b] = of.bags;
  const { told } = await reading(of, { start: 2, end: 4, state: ["/x"] });
  expect(a!.read).not.toBeNull();
  expect(b!.read).toBeNull();
  a!.answer({ id: 7, error: "gone", needsToken: false });
  expect(told).toEqual([{ id: 7, error: "a.bag: gone", needsToken: false }]);
  const gap = await reading(two(), { start: 12, end: 14 });
  expect(gap.told).toEqual([{ id: 7, done: true, damage: [] }]);
});

test("another slice cancels what is on its way", async () => {
  const of = two();
  const { slices, told } = await reading(of, { start: 2, end: 4 });
  slices.postMessage({ id: 7, cancel: true });
  expect(of.bags[0]!.cancelled).toBe(1);
  of.bags[0]!.answer({ id: 7, messages: [message("/x", 2, 0)] });
  expect(told).toEqual([]);
});

test("series are merged: count, least, greatest, mean and last", async () => {
  const at = (start: number, part: number, rows: (number | null)[][]): SeriesAnswer => ({
    start_time: Number(START) + start,
    bucket_duration: part,
    buckets: rows.length,
    series: [
      {
        topic: "/x",
        field: "f",
        count: rows.map((row) => row[0]!),
        min: rows.map((row) => row[1]!),
        max: rows.map((row) => row[2]!),
        mean: rows.map((row) => row[3]!),
        last: rows.map((row) => row[4]!),
      },
    ],
  });
  const of = two([
    { end: 10, answers: { series: at(0, 5, [[2, 1, 3, 2, 3], [1, null, null, null, null]]) } },
    { start: 0, answers: { series: at(0, 2, [[6, -1, 9, 6, 4], [0, null, null, null, null]]) } },
  ]);
  const query = new URLSearchParams({
    ...{ topics: "/x", fields: "f", buckets: "2" },
    ...{ start_time: `${START}.000000000`, end_time: `${START + 10n}.000000000` },
  });
  const answer = (await of.json(`series?${query}`)) as SeriesAnswer;
  expect(answer).toMatchObject({ start_time: Number(START), bucket_duration: 5, buckets: 2 });
  expect(answer.series[0]).toMatchObject({
    count: [8, 1],
    min: [-1, null], // an infinite number
    max: [9, null],
    mean: [5, null],
    last: [3, null],
  });
  // Finer than what was asked for, and no more than the range that the bag has.
  const asked = new URLSearchParams(of.bags[0]!.asked.find((what) => what.startsWith("series"))!);
  expect(asked.get("buckets")).toBe("8");
  // Of one bag alone, its own answer.
  query.set("end_time", `${START + 40n}.000000000`);
  query.set("start_time", `${START + 15n}.000000000`);
  expect(((await of.json(`series?${query}`)) as SeriesAnswer).buckets).toBe(2);
  expect(of.bags[1]!.asked.at(-1)).toContain("buckets=2");
});

test("counts are those of all; gaps are where no bag has a message for long", async () => {
  const timeline = (start: number, gaps: [number, number][]): Timeline => ({
    start_time: Number(START) + start,
    bucket_duration: 5,
    topics: [
      {
        ...{ topic: "/x", type: "a/B", messages: 20, counts: [12, 8], median_period: 0.1 },
        gaps: gaps.map(([from, to]) => ({
          start_time: Number(START) + from,
          end_time: Number(START) + to,
        })),
      },
    ],
  });
  const of = two([
    { answers: { timeline: timeline(0, [[2, 4]]) } },
    { answers: { timeline: timeline(20, []) } },
  ]);
  const answer = (await of.json("timeline?buckets=3")) as Timeline;
  expect(answer.topics[0]).toMatchObject({ topic: "/x", messages: 40, counts: [20, 0, 20] });
  const since = ({ start_time, end_time }: { start_time: number; end_time: number }) =>
    [start_time, end_time].map((time) => Math.round(time - Number(START)));
  expect(answer.topics[0]!.gaps!.map(since)).toEqual([[2, 4], [10, 20]]);
  expect(of.bags[0]!.asked.at(-1)).toBe("timeline?buckets=1"); // a third of the whole
  expect(answer.pieces!.map((each) => each.topics[0]!.counts)).toEqual([[12, 8], [12, 8]]);
});

test("events are those of all; a change goes to the bag that it is about", async () => {
  const of = two();
  const [a, b] = of.bags;
  const event = (second: number, label: string) =>
    `{"start_time": ${START + BigInt(second)}.123456789, "label": "${label}"}`;
  a!.events = { etag: '"a"', text: `{"events": [${event(1, "one")}, ${event(3, "two")}]}` };
  b!.events = { etag: '"b"', text: `{"events": [${event(22, "three")}]}` };
  const response = await of.source.ask("events");
  const etag = response.headers.get("ETag")!;
  const text = await response.text();
  expect(text.match(/"label":"\w+"/g)).toHaveLength(3);
  expect(text).toContain(`${START + 22n}.123456789`);
  // Renamed in the second; the first is left alone.
  await of.source.send("events", text.replace("three", "four"), etag);
  expect(a!.sent).toEqual([]);
  expect(b!.sent).toHaveLength(1);
  const [sent] = b!.sent;
  expect(sent!.etag).toBe('"b"');
  const wanted = event(22, "four").replaceAll(": ", ":").replace(", ", ",");
  expect(sent!.body).toBe(`{"events":[${wanted}]}`);
  // Of what has been read since then, the version is another one.
  await expect(of.source.send("events", text, etag)).rejects.toThrow("changed since");
});

test("a new event goes to the first bag that has its time", async () => {
  const of = two([{}, { start: 5 }]);
  const send = (from: number, to?: number) => {
    const end = to === undefined ? "" : `"end_time": ${START + BigInt(to)}.5,`;
    const start = `"start_time": ${START + BigInt(from)}.5,`;
    return of.source.send("events", `{${start} ${end} "label": "x"}`);
  };
  const counts = () => of.bags.map((bag) => bag.sent.length);
  await send(7);
  expect(counts()).toEqual([1, 0]);
  await send(7, 12); // only the second one has all of it
  expect(counts()).toEqual([1, 1]);
  await send(15);
  expect(counts()).toEqual([1, 2]);
  await expect(send(40)).rejects.toThrow("none of the bags has this time");
});
