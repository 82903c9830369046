// Where a bag comes from: the server, or a file of this machine that a worker reads. All that the
// page knows of a bag it asks one of the two, in the same words and with the same answers
// (docs/serving.md), so nothing else has to know which one it is.
//
// A local bag has a name that no bag of the server can have, since a file's name has no slash. What
// is asked about such a name never leaves the page, whether a local bag can answer it or not.

import type { SliceWorker } from "../player/loader";

export interface BagSource {
  /** The answer to "info", "topics", "timeline?buckets=9" ... */
  ask(what: string, signal?: AbortSignal): Promise<Response>;
  /** What reads and decodes slices. */
  slices(): Slices;
}

export interface Slices extends SliceWorker {
  terminate(): void;
}

const LOCAL = "local/";

export const isLocal = (bag: string) => bag.startsWith(LOCAL);
export const localName = (file: string) => LOCAL + file;
/** The name that people know: of a local bag, that of its file. */
export const shownName = (bag: string) => (isLocal(bag) ? bag.slice(LOCAL.length) : bag);

let opened: { name: string; source: BagSource } | null = null;

/** The local bag that the page has, if it has one. */
export function setLocal(name: string, source: BagSource): void {
  opened = { name, source };
}

export function localSource(bag: string): BagSource | null {
  return opened?.name === bag ? opened.source : null;
}

/** The answer of a local bag to a path of bagPath(); null: it is the path of another bag. */
export function askLocal(path: string, signal?: AbortSignal): Promise<Response> | null {
  const [, folder, bag = "", ...what] = path.split("/");
  if (folder !== "bags") return null;
  const name = decodeURIComponent(bag);
  if (!isLocal(name)) return null;
  const source = localSource(name);
  if (!source) return Promise.reject(new Error("the file has to be chosen again"));
  return source.ask(what.join("/"), signal);
}
