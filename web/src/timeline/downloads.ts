// Downloads of a range: links that the server answers with the messages of the range and the state
// before it, so that a map that came earlier is there, too.

import { bagPath, topicPattern, type Topic } from "../api";
import { lengthText } from "../format";
import type { Range } from "../player/feed";
import type { LoadedBag } from "../player/loader";
import { secondsText } from "../player/slice";
import { isServed, ownTopics, partsOf, shownName } from "../source/source";
import { mayHavePictures } from "./thumbnails";

export interface Download {
  format: string;
  title: string;
  href: string;
  /** What the browser calls the file. */
  name: string;
  /** Why there is none. */
  problem?: string;
}

const FORMATS = [
  { format: "mcap", title: "MCAP" },
  { format: "bag", title: "rosbag" },
  { format: "json", title: "JSON" },
  { format: "ndjson", title: "NDJSON" },
  { format: "csv", title: "CSV" },
  { format: "parquet", title: "Parquet" },
];

/** The ends of a range as the server takes them: it leaves out the end, and a range that goes to
    the end of the bag has its last message. */
function timesOf(origin: bigint, range: Range, length: number): { start: string; end: string } {
  const end = range.end >= length ? length + 1e-6 : range.end;
  return { start: secondsText(origin, range.start), end: secondsText(origin, end) };
}

/** `topics`: null stands for all. A video shows one topic, so each camera has one of its own. */
export function downloadsOf(
  bag: { name: string; origin: bigint; length: number; topics: Topic[] },
  range: Range,
  topics: string[] | null,
): Download[] {
  const { start, end } = timesOf(bag.origin, range, bag.length);
  const types = new Set(
    bag.topics.filter((each) => !topics || topics.includes(each.topic)).map((each) => each.type),
  );
  const when = [range.start, range.end].map((time) => lengthText(time, 1).replaceAll(":", "m"));
  const base = `${bag.name.replace(/\.(bag|mcap|db3)$/, "")}_${when.join("-")}`;
  const linkOf = (format: string, title: string, of: string[] | null) => {
    const query = new URLSearchParams({ start_time: start, end_time: end, format });
    if (of) query.set("topics", of.map((topic) => topicPattern(topic)).join(","));
    return { format, title, href: bagPath(bag.name, `player?${query}`) };
  };
  const cameras = bag.topics.filter(
    (each) => mayHavePictures(each) && (!topics || topics.includes(each.topic)),
  );
  const videos = [...new Set(cameras.map(({ topic }) => topic))].map((topic) => {
    const name = `${base}_${topic.replace(/^\//, "").replaceAll("/", "_")}.mp4`;
    return { ...linkOf("mp4", `MP4 of ${topic}`, [topic]), name };
  });
  const tables = FORMATS.map(({ format, title }) => {
    const link = linkOf(format, title, topics);
    const name = `${base}.${format}`;
    if (topics?.length === 0) return { ...link, name, problem: "no topic is shown" };
    if (format !== "csv" || types.size === 1) return { ...link, name };
    return { ...link, name, problem: "a table needs topics of one type" };
  });
  return [...tables, ...videos];
}

/** What there is to download of one of several bags that are shown together. */
export interface BagDownloads {
  title: string;
  /** Its part of the range, in seconds since the start of all. */
  range: Range;
  links: Download[];
}

/** The server makes a download of one bag, so each bag that has something of a range has links of
    its own. Bags alone are the only one. */
export function downloadsByBag(
  bag: LoadedBag,
  range: Range,
  topics: string[] | null,
): BagDownloads[] {
  return partsOf(bag).flatMap((part) => {
    const begin = Number(part.origin - bag.origin) / 1e9;
    const start = Math.max(range.start, begin);
    const end = Math.min(range.end, begin + part.length);
    if (start > end) return [];
    const title = shownName(part.name);
    const within = { start: start - begin, end: end - begin };
    const own = topics && ownTopics(part, topics);
    const links = isServed(part.name) ? downloadsOf(part, within, own) : [];
    return [{ title, range: { start, end }, links }];
  });
}

/** The payload of a range, about; null: nobody knows. `known`: bytes of a message of a topic, as
    far as messages of it have been seen. */
export function sizeOf(
  topics: string[],
  countOf: (topic: string) => number,
  known: (topic: string) => number | null,
): number | null {
  let size = 0;
  for (const topic of topics) {
    const count = countOf(topic);
    if (count < 0.5) continue;
    const bytes = known(topic);
    if (bytes === null) return null;
    size += count * bytes;
  }
  return size;
}
