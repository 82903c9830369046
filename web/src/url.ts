// The URL holds what is on the screen, so that a copy of it shows a colleague the same: the bag,
// the time in it, and the panels with what they show and where they stand.

import type { Layout } from "./layout/model";
import { readLayout, writeLayout } from "./layout/text";

/** Servers refuse longer ones; it is the default layout then. */
const MOST = 12_000;

export interface Screen {
  bag: string | null;
  /** Seconds since the start of the bag; null: where a bag is opened. */
  time: number | null;
  /** undefined: the default layout. */
  layout: Layout | undefined;
}

export function readScreen(search: string): Screen {
  const query = new URLSearchParams(search);
  const time = Number(query.get("t") ?? NaN);
  return {
    bag: query.get("bag"),
    time: Number.isFinite(time) && time >= 0 ? time : null,
    layout: readLayout(query),
  };
}

export function writeScreen(screen: Screen): string {
  const query = new URLSearchParams();
  if (screen.bag !== null) {
    query.set("bag", screen.bag);
    if (screen.time !== null) query.set("t", String(Number(screen.time.toFixed(3))));
    if (screen.layout !== undefined) {
      const short = new URLSearchParams(query);
      writeLayout(screen.layout, query);
      if (query.toString().length > MOST) return `?${short}`;
    }
  }
  const text = query.toString();
  return text ? `?${text}` : "";
}
