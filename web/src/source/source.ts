// Where a bag comes from: the server, a file of this machine that a worker reads, or several of
// these that are shown as one. All that the page knows of a bag it asks its source, in the same
// words and with the same answers (docs/serving.md), so nothing else has to know which one it is.
//
// What the server does not have has a name that no bag of the server can have, since a file's name
// has no slash. What is asked about such a name is answered in the page, or not at all.

import type { Topic } from "../api";
import type { SliceWorker } from "../player/loader";

export interface BagSource {
  /** The answer to "info", "topics", "timeline?buckets=9" ... */
  ask(what: string, signal?: AbortSignal): Promise<Response>;
  /** Sends JSON. `etag`: the state that it is to replace; else it is added. */
  send(what: string, body: string, etag?: string): Promise<Response>;
  /** What reads and decodes slices. */
  slices(): Slices;
  /** Which bags it is made of, and what there is to say of them; undefined: it is one. */
  together?(): Promise<Together>;
}

export interface Slices extends SliceWorker {
  terminate(): void;
}

/** A bag of those that are shown together. */
export interface Part {
  name: string;
  /** When it begins, in ns since 1970. */
  origin: bigint;
  /** In seconds. */
  length: number;
  topics: PartTopic[];
}

export interface PartTopic extends Topic {
  /** What it is called beside those of the other bags. */
  shownAs: string;
}

export interface Together {
  parts: Part[];
  /** Bags that could not be opened: which ones, and why. */
  problems: string[];
  /** What is not as in the bags themselves. */
  notes: string[];
}

const LOCAL = "local/";
/** Between the names of bags that are shown together: no name has two slashes side by side. */
const BETWEEN = "//";

export const isLocal = (bag: string) => bag.startsWith(LOCAL) && !bag.includes(BETWEEN);
export const localName = (file: string) => LOCAL + file;

/** The name of several bags together; null: there is none. */
export function nameOf(bags: string[]): string | null {
  return [...new Set(bags.filter(Boolean))].join(BETWEEN) || null;
}
/** The bags that a name stands for: often only itself. */
export const namesIn = (bag: string) => bag.split(BETWEEN).filter(Boolean);
/** Whether the server has it, or a part of it. */
export const isServed = (bag: string) => namesIn(bag).some((name) => !isLocal(name));

/** What stands before the name of the file in names of bags of a catalog: their content. */
const CONTENT = /^[0-9a-f]{16}~/;

/** The name that people know: of a local bag, or one of a catalog, that of its file. */
export function shownName(bag: string): string {
  return namesIn(bag)
    .map((name) => (isLocal(name) ? name.slice(LOCAL.length) : name.replace(CONTENT, "")))
    .join(" + ");
}

const inPage = new Map<string, BagSource>();

/** Makes the page answer what is asked about a bag; null: no longer. */
export function setSource(name: string, source: BagSource | null): void {
  if (source) inPage.set(name, source);
  else inPage.delete(name);
}

/** What in the page answers about a bag; null: nothing does. */
export const sourceInPage = (bag: string) => inPage.get(bag) ?? null;

const CHOSEN_AGAIN: BagSource = {
  ask: () => Promise.reject(new Error("the file has to be chosen again")),
  send: () => Promise.reject(new Error("the file has to be chosen again")),
  slices: () => {
    throw new Error("the file has to be chosen again");
  },
};

/** Who answers to a path of bagPath(), and what it is asked; null: the server. */
export function answererOf(path: string): { source: BagSource; what: string } | null {
  const [, folder, bag = "", ...what] = path.split("/");
  if (folder !== "bags" || bag.startsWith("?")) return null; // a list
  const name = decodeURIComponent(bag);
  if (!name.includes("/")) return null;
  return { source: sourceInPage(name) ?? CHOSEN_AGAIN, what: what.join("/") };
}

/** The bags that one is made of, or the bag itself, which then is the only part. */
export function partsOf(bag: {
  name: string;
  origin: bigint;
  length: number;
  topics: Topic[];
  together?: Together;
}): Part[] {
  if (bag.together) return bag.together.parts;
  const topics = bag.topics.map((each) => ({ ...each, shownAs: each.topic }));
  return [{ ...bag, topics }];
}

/** What a part calls the topics that are shown under these names; those that it does not have are
    left out. */
export function ownTopics(part: Part, shown: string[]): string[] {
  const own = part.topics.filter((each) => shown.includes(each.shownAs));
  return [...new Set(own.map((each) => each.topic))];
}

/** Whether an answer is about a bag that grows: one about a complete bag may be kept. */
export const isGrowing = (answer: Response) =>
  /no-cache/.test(answer.headers.get("Cache-Control") ?? "");

/** An integer of a text of JSON, which JSON.parse would round. */
export function integerIn(json: string, key: string): bigint {
  return BigInt(new RegExp(`"${key}": *(\\d+)`).exec(json)?.[1] ?? 0);
}
