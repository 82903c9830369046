// The URL holds what is on the screen, so that a copy of it shows a colleague the same: the bags,
// the time in it, and the panels with what they show and where they stand.

import type { Layout } from "./layout/model";
import { readLayout, writeLayout } from "./layout/text";
import { nameOf, namesIn } from "./source/source";
import { readMarks, writeMarks, type Marks } from "./timeline/marks";

/** Servers refuse longer ones; it is the default layout then. */
const MOST = 12_000;

export interface Screen {
  /** Of several bags, the name of all together. */
  bag: string | null;
  /** Seconds since the start of the bag; null: where a bag is opened. */
  time: number | null;
  /** undefined: the default layout. */
  layout: Layout | undefined;
  /** The range that is marked, and whether it is played again and again. */
  marks?: Marks;
  /** The topics with a row in the timeline; null: nobody has chosen. */
  pins?: string[] | null;
}

export function readScreen(search: string): Screen {
  const query = new URLSearchParams(search);
  const time = Number(query.get("t") ?? NaN);
  return {
    bag: nameOf(query.getAll("bag")),
    time: Number.isFinite(time) && time >= 0 ? time : null,
    layout: readLayout(query),
    marks: readMarks(query),
    pins: query.has("pin") ? query.getAll("pin").filter((topic) => topic !== "") : null,
  };
}

export function writeScreen(screen: Screen): string {
  const query = new URLSearchParams();
  if (screen.bag !== null) {
    for (const name of namesIn(screen.bag)) query.append("bag", name);
    if (screen.time !== null) query.set("t", String(Number(screen.time.toFixed(3))));
    if (screen.marks) writeMarks(screen.marks, query);
    // No topic at all is a choice, too.
    for (const topic of screen.pins?.length === 0 ? [""] : (screen.pins ?? [])) {
      query.append("pin", topic);
    }
    if (screen.layout !== undefined) {
      const short = new URLSearchParams(query);
      writeLayout(screen.layout, query);
      if (query.toString().length > MOST) return `?${short}`;
    }
  }
  const text = query.toString();
  return text ? `?${text}` : "";
}
