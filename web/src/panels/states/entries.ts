// Which rows a place has: the fields of its topic by their paths, those of other topics with the
// topic and a space in front. A path that is empty stands for the usual fields of the topic, and so
// does a place without fields.

import type { StateField } from "../../player/state_fields";
import type { Place } from "../panel";

export interface Entry {
  topic: string;
  path: string;
}

/** Rows that a topic begins with. */
const FIRST = 8;
const FIRST_PLAIN = 3;

export function entryOf(place: Place, text: string): Entry {
  const space = text.lastIndexOf(" ");
  if (space < 0) return { topic: place.topic, path: text };
  return { topic: text.slice(0, space), path: text.slice(space + 1) };
}

export function textOf(place: Place, { topic, path }: Entry): string {
  return topic === place.topic && path ? path : `${topic} ${path}`;
}

/** Those whose values have names; if there is none, some that count or say something. */
export function usualFields(fields: StateField[]): StateField[] {
  const named = fields.filter((each) => each.kind === "flag" || each.constants.length > 0);
  if (named.length) return named.slice(0, FIRST);
  const own = fields.filter((each) => !/(^|\.)(seq|frame_id|sec|nsec|nanosec)$/.test(each.path));
  return own.slice(0, FIRST_PLAIN);
}

export function topicsOf(place: Place): string[] {
  const topics = place.fields.map((each) => entryOf(place, each).topic);
  return [...new Set([place.topic, ...topics])].filter((each) => each);
}

/** All rows, with the usual fields of a topic by name. */
export function entriesOf(place: Place, fieldsOf: (topic: string) => StateField[]): Entry[] {
  const usual = textOf(place, { topic: place.topic, path: "" });
  const texts = place.fields.length ? place.fields : [usual];
  return texts.flatMap((text) => {
    const entry = entryOf(place, text);
    if (entry.path) return [entry];
    return usualFields(fieldsOf(entry.topic)).map(({ path }) => ({ topic: entry.topic, path }));
  });
}

/** The place with one row more. */
export function withEntry(place: Place, entry: Entry): Place {
  if (!place.topic) return { ...place, topic: entry.topic, fields: entry.path ? [entry.path] : [] };
  const text = textOf(place, entry);
  if (place.fields.includes(text)) return place;
  const usual = textOf(place, { topic: place.topic, path: "" });
  const now = place.fields.length ? place.fields : [usual];
  return text === usual ? place : { ...place, fields: [...now, text] };
}
