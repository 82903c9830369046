// What is searched for: words, all of which a bag must have. "topic:/odom", "type:Image",
// "name:drive" and "time:2023-10" look in one place, a plain word looks in all of them.

import type { Bag } from "../api";
import { dateText } from "../format";

/** What of a bag's topics is searched. */
export interface Named {
  topic: string;
  type: string;
}

const PLACES = ["name", "time", "topic", "type"] as const;
type Part = (typeof PLACES)[number];

export interface Word {
  /** null: anywhere. */
  place: Part | null;
  text: string;
}

export function readWords(search: string): Word[] {
  return search
    .toLowerCase()
    .split(/\s+/)
    .map((word): Word => {
      const place = PLACES.find((each) => word.startsWith(`${each}:`)) ?? null;
      return { place, text: place ? word.slice(place.length + 1) : word };
    })
    .filter(({ text }) => text !== "");
}

/** Whether a bag has all words; undefined: its topics, which are not known, decide. */
export function hasWords(
  bag: Bag,
  words: Word[],
  topics: Named[] | undefined,
): boolean | undefined {
  let answer: boolean | undefined = true;
  for (const word of words) {
    const has = hasWord(bag, word, topics);
    if (has === false) return false;
    answer &&= has;
  }
  return answer;
}

function hasWord(bag: Bag, { place, text }: Word, topics: Named[] | undefined) {
  const looksIn = (part: Part) => place === null || place === part;
  const has = (value: string) => value.toLowerCase().includes(text);
  if (looksIn("name") && has(bag.filename)) return true;
  if (looksIn("time") && bag.start_time !== undefined && has(dateText(bag.start_time))) return true;
  if (place === "name" || place === "time") return false;
  if (!topics) return bag.topics === undefined || bag.topics === 0 ? false : undefined;
  return topics.some(
    (each) => (looksIn("topic") && has(each.topic)) || (looksIn("type") && has(each.type)),
  );
}
