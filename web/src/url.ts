// The URL holds what is on the screen, so that a copy of it shows a colleague the same: the bag,
// the time in it, and the panels with what they show.

import type { Place } from "./panels/panel";

export interface Screen {
  bag: string | null;
  /** Seconds since the start of the bag; null: where a bag is opened. */
  time: number | null;
  /** null: the default layout. */
  places: Place[] | null;
}

export function readScreen(search: string): Screen {
  const query = new URLSearchParams(search);
  const time = Number(query.get("t") ?? NaN);
  const places = query.getAll("panel").map(readPlace);
  return {
    bag: query.get("bag"),
    time: Number.isFinite(time) && time >= 0 ? time : null,
    places: places.length ? places.filter((place) => place !== null) : null,
  };
}

/** A place is its panel, topic, fields and settings ("name=value"), each escaped, with spaces
    between. */
function readPlace(text: string): Place | null {
  const [panel, topic, ...others] = text.split(" ");
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

function writePlace({ panel, topic, fields, settings }: Place): string {
  const chosen = Object.entries(settings).map((pair) => pair.map(encodeURIComponent).join("="));
  return [...[panel, topic, ...fields].map(encodeURIComponent), ...chosen].join(" ");
}

export function writeScreen(screen: Screen): string {
  const query = new URLSearchParams();
  if (screen.bag !== null) {
    query.set("bag", screen.bag);
    if (screen.time !== null) query.set("t", String(Number(screen.time.toFixed(3))));
    for (const place of screen.places ?? []) query.append("panel", writePlace(place));
  }
  const text = query.toString();
  return text ? `?${text}` : "";
}
