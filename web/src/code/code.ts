// The lines that give the data of a view: by curl, by kitbag where the bag is, and in Python. All
// three give the same messages, one a line.

import { bagPath, topicPattern } from "../api";
import { secondsText } from "../player/slice";
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
}

export interface Code {
  curl: string;
  kitbag: string;
  python: string;
}

type Pairs = [name: string, value: string][];

export function codeOf(bag: Bag, asks: Ask[]): Code {
  return {
    curl: asks.map((ask) => curl(bag, ask)).join("\n"),
    kitbag: asks.map((ask) => kitbag(bag, ask)).join("\n"),
    python: python(bag, asks),
  };
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

const urlOf = (bag: Bag) => bag.root + bagPath(bag.name, "player");

function curl(bag: Bag, ask: Ask): string {
  const pairs = queryOf(bag, ask).map(([name, value]) => {
    return `--data-urlencode ${shellWord(`${name}=${value}`)}`;
  });
  return [`curl -fsSG ${shellWord(urlOf(bag))}`, ...pairs].join(" \\\n  ");
}

function kitbag(bag: Bag, { topic, fields, start, end }: Ask): string {
  const words = ["kitbag cat", shellFile(bag.name)];
  // With "=", a name that begins with "-" is no option.
  if (topic) words.push(`--topics=${shellWord(topicPattern(topic, false))}`);
  words.push(`--start ${secondsText(bag.origin, start)} --end ${secondsText(bag.origin, end)}`);
  if (fields.length) words.push(`--fields=${shellWord(fields.join(","))}`);
  return [...words, "--latched"].join(" ");
}

function python(bag: Bag, asks: Ask[]): string {
  const dict = (ask: Ask) =>
    queryOf(bag, ask)
      .map(([name, value]) => `${pythonText(name)}: ${pythonText(value)}`)
      .join(", ");
  return [
    "import json, urllib.parse, urllib.request",
    `url = ${pythonText(urlOf(bag))}`,
    "messages = []",
    "for query in [",
    ...asks.map((ask) => `    {${dict(ask)}},`),
    "]:",
    '    with urllib.request.urlopen(url + "?" + urllib.parse.urlencode(query)) as answer:',
    "        messages += [json.loads(line) for line in answer]",
  ].join("\n");
}
