// The lines that give the data of a view: by curl, by kitbag where the bag is, and in Python. All
// three give the same messages, one a line.

import { bagPath, topicPattern } from "../api";
import { secondsText } from "../player/slice";
import { isServed, ownTopics, shownName, type Together } from "../source/source";
import { pythonText, shellFile, shellWord } from "./quote";

/** Messages from a time on, and before another one; seconds since the start of the bag. */
export interface Ask {
  /** "": all topics. */
  topic: string;
  /** None: all. */
  fields: string[];
  start: number;
  end: number;
}

export interface Bag {
  /** "http://127.0.0.1:8090" */
  root: string;
  name: string;
  /** When it begins, in ns since 1970. */
  origin: bigint;
  /** Of several bags that are shown as one. */
  together?: Together;
}

/** What is asked of one bag; times are seconds since the start of all. */
interface BagAsk extends Ask {
  bag: string;
}

export interface Code {
  curl: string;
  kitbag: string;
  python: string;
}

type Pairs = [name: string, value: string][];

export function codeOf(bag: Bag, asks: Ask[]): Code {
  const each = asks.map((ask) => asksByBag(bag, ask));
  const all = each.flat();
  const served = all.filter((ask) => isServed(ask.bag));
  const others = new Set(all.filter((ask) => !isServed(ask.bag)).map((ask) => ask.bag));
  const without = [...others].map((name) => {
    return `# without ${pythonText(shownName(name))}, which is not on the server`;
  });
  return {
    curl: [...without, ...served.map((ask) => curl(bag, ask))].join("\n"),
    kitbag: each.flatMap(byTopic).map((same) => kitbag(bag, same)).join("\n"),
    python: [...without, python(bag, served)].join("\n"),
  };
}

/** Of several bags, those that have the topic in this time or, if it is latched, before it; with
    the name that it has there. */
function asksByBag({ name, origin, together }: Bag, ask: Ask): BagAsk[] {
  if (!together) return [{ ...ask, bag: name }];
  return together.parts.flatMap((part) => {
    const begin = Number(part.origin - origin) / 1e9;
    const of = part.topics.filter((each) => !ask.topic || each.shownAs === ask.topic);
    const isLatched = of.some((each) => each.latched > 0);
    if (begin >= ask.end || (begin + part.length < ask.start && !isLatched)) return [];
    const topics = ask.topic ? ownTopics(part, [ask.topic]) : [""];
    return topics.map((topic) => ({ ...ask, topic, bag: part.name }));
  });
}

/** kitbag reads several bags at once. */
function byTopic(asks: BagAsk[]): BagAsk[][] {
  const topics = [...new Set(asks.map((ask) => ask.topic))];
  return topics.map((topic) => asks.filter((ask) => ask.topic === topic));
}

function queryOf(bag: Bag, { topic, fields, start, end }: Ask): Pairs {
  const query: Pairs = [
    ["start_time", secondsText(bag.origin, start)],
    ["end_time", secondsText(bag.origin, end)],
  ];
  if (topic) query.push(["topics", topicPattern(topic)]);
  if (fields.length) query.push(["fields", fields.join(",")]);
  query.push(["format", "ndjson"]);
  return query;
}

const urlOf = (bag: Bag, ask: BagAsk) => bag.root + bagPath(ask.bag, "player");

function curl(bag: Bag, ask: BagAsk): string {
  const pairs = queryOf(bag, ask).map(([name, value]) => {
    return `--data-urlencode ${shellWord(`${name}=${value}`)}`;
  });
  return [`curl -fsSG ${shellWord(urlOf(bag, ask))}`, ...pairs].join(" \\\n  ");
}

/** `asks`: the same of several bags. */
function kitbag(bag: Bag, asks: BagAsk[]): string {
  const { topic, fields, start, end } = asks[0]!;
  const words = ["kitbag cat", ...asks.map((ask) => shellFile(shownName(ask.bag)))];
  // With "=", a name that begins with "-" is no option.
  if (topic) words.push(`--topics=${shellWord(topicPattern(topic, false))}`);
  words.push(`--start ${secondsText(bag.origin, start)} --end ${secondsText(bag.origin, end)}`);
  if (fields.length) words.push(`--fields=${shellWord(fields.join(","))}`);
  return [...words, "--latched"].join(" ");
}

function python(bag: Bag, asks: BagAsk[]): string {
  const dict = (ask: Ask) =>
    queryOf(bag, ask)
      .map(([name, value]) => `${pythonText(name)}: ${pythonText(value)}`)
      .join(", ");
  return [
    "import json, urllib.parse, urllib.request",
    "messages = []",
    "for url, query in [",
    ...asks.map((ask) => `    (${pythonText(urlOf(bag, ask))}, {${dict(ask)}}),`),
    "]:",
    '    with urllib.request.urlopen(url + "?" + urllib.parse.urlencode(query)) as answer:',
    "        messages += [json.loads(line) for line in answer]",
  ].join("\n");
}
