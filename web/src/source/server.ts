// Bags of the server that the page came from.

import { ask, bagPath } from "../api";
import { localSource, type BagSource } from "./source";

function serverSource(bag: string): BagSource {
  return {
    ask: (what, signal) => ask(bagPath(bag, what), signal),
    slices: () =>
      new Worker(new URL("../player/worker.ts", import.meta.url), { type: "module" }),
  };
}

export function sourceOf(bag: string): BagSource {
  return localSource(bag) ?? serverSource(bag);
}
