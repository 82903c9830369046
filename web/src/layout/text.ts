// A layout as text in a URL. Each place is a `panel` parameter, in the order of the tree; `layout`
// says how they stand, in the words of the tree from its root on: "r620-380" is a row whose areas
// have 620 and 380 thousandths, and the areas follow; "c" is a column, "t3-1" a stack of three
// panes of which the second is in front. So
//
//     panel=image+/camera&panel=log+/rosout&panel=plot+/odom+x&layout=1.r620-380.c700-300.t1.t1.t1
//
// A URL is typed, cut and sent by anybody: what makes no sense is left out, and without a `layout`
// that fits, the places stand as those of a default layout do.

import type { Place } from "../panels/panel";
import { arrange } from "./arrange";
import { isSplit, paneOf, panesOf, splitOf, tidy, type Area, type Layout } from "./model";

const VERSION = "1";
const MOST_PLACES = 40;
const MOST_PARTS = 64; // fields and settings of a place
const MOST_TEXT = 4000; // of a place
const MOST_DEPTH = 12;

/** undefined: the text has no layout. */
export function readLayout(query: URLSearchParams): Layout | undefined {
  const places = query
    .getAll("panel")
    .slice(0, MOST_PLACES)
    .map(readPlace)
    .filter((place) => place !== null);
  const text = query.get("layout") ?? "";
  if (!places.length) return text === `${VERSION}.` ? null : undefined;
  return readTree(text, places) ?? arrange(places);
}

export function writeLayout(layout: Layout, query: URLSearchParams): void {
  for (const { place } of panesOf(layout)) query.append("panel", writePlace(place));
  query.set("layout", `${VERSION}.${layout ? words(layout).join(".") : ""}`);
}

function words(area: Area): string[] {
  if (!isSplit(area)) return [`t${area.panes.length}${area.front ? `-${area.front}` : ""}`];
  const sizes = area.sizes.map((size) => Math.max(1, Math.round(size * 1000)));
  return [(area.isRow ? "r" : "c") + sizes.join("-"), ...area.areas.flatMap(words)];
}

/** undefined: the text is not a tree of these places. */
function readTree(text: string, places: Place[]): Layout | undefined {
  const [version, ...words] = text.split(".");
  if (version !== VERSION || words.length > 2 * MOST_PLACES) return undefined;
  const left = [...places];
  const area = (depth: number): Area => {
    const word = words.shift() ?? "";
    const numbers = word.slice(1).split("-").map(Number);
    if (!/^[rct]\d{1,4}(-\d{1,4})*$/.test(word) || depth > MOST_DEPTH) throw new Error(word);
    if (word[0] === "t") {
      const panes = left.splice(0, numbers[0]).map(paneOf);
      if (panes.length !== numbers[0] || !panes.length) throw new Error(word);
      return { panes, front: numbers[1] ?? 0 };
    }
    return splitOf(word[0] === "r", numbers.map(() => area(depth + 1)), numbers);
  };
  try {
    const all = area(0);
    return words.length || left.length ? undefined : tidy(all);
  } catch {
    return undefined;
  }
}

/** A place is its panel, topic, fields and settings ("name=value"), each escaped, with spaces
    between. */
function readPlace(text: string): Place | null {
  if (text.length > MOST_TEXT) return null;
  const [panel, topic, ...others] = text.split(" ");
  if (others.length > MOST_PARTS) return null;
  const fields = others.filter((each) => !each.includes("="));
  const settings = others.filter((each) => each.includes("=")).map((each) => each.split("=", 2));
  try {
    return panel
      ? {
          panel: decodeURIComponent(panel),
          topic: decodeURIComponent(topic ?? ""),
          fields: fields.map(decodeURIComponent),
          settings: Object.fromEntries(settings.map((pair) => pair.map(decodeURIComponent))),
        }
      : null;
  } catch {
    return null;
  }
}

/** Only what has a meaning here: the query escapes the rest. */
const escape = (text: string) => text.replace(/[ %=]/g, encodeURIComponent);

function writePlace({ panel, topic, fields, settings }: Place): string {
  const chosen = Object.entries(settings).map((pair) => pair.map(escape).join("="));
  return [...[panel, topic, ...fields].map(escape), ...chosen].join(" ");
}
