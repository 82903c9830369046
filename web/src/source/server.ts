// Bags of the server that the page came from, and which source a bag has.

import { ask, bagPath, send } from "../api";
import { JoinedSource } from "./joined/joined";
import { namesIn, setSource, sourceInPage, type BagSource } from "./source";

function serverSource(bag: string): BagSource {
  return {
    ask: (what, signal) => ask(bagPath(bag, what), signal),
    send: (what, body, etag) => send(bagPath(bag, what), body, etag),
    slices: () =>
      new Worker(new URL("../player/worker.ts", import.meta.url), { type: "module" }),
  };
}

/** The source of a bag. For several bags, each call makes a new one. */
export function sourceOf(bag: string): BagSource {
  const names = namesIn(bag);
  if (names.length < 2) return sourceInPage(bag) ?? serverSource(bag);
  const joined = new JoinedSource(names.map((name) => ({ name, source: sourceOf(name) })));
  setSource(bag, joined);
  return joined;
}
