// The state of everything that reports: of each name the last status up to an instant. A status is
// stale if nothing was said of it for five seconds, as in rqt_runtime_monitor, or if it says so
// itself; what it said then still shows. An error that is known is worse than a silence, so ERROR
// and WARN come before STALE.

import type { Message } from "../../player/store";

/** The worst first. */
export const levels = ["ERROR", "WARN", "STALE", "OK"] as const;
export type Level = (typeof levels)[number];

/** Seconds of silence. */
export const STALE_AFTER = 5;
/** Messages that are looked at, and statuses that are kept: a bag may say anything. */
const MOST_MESSAGES = 2000;
const MOST_STATUSES = 5000;
const MOST_VALUES = 200;

export interface Status {
  topic: string;
  name: string;
  /** What it said; a number that the definition does not have is an error. */
  said: Level;
  message: string;
  hardware: string;
  values: [key: string, value: string][];
  /** Values that are left out. */
  moreValues: number;
  /** Log time of the message, in seconds since the start of the bag. */
  time: number;
}

const known: Level[] = ["OK", "WARN", "ERROR", "STALE"]; // as DiagnosticStatus numbers them

type Fields = Record<string, unknown>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};
const textOf = (value: unknown): string => (value === undefined ? "" : String(value));
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function statusOf(value: unknown, topic: string, time: number): Status {
  const fields = fieldsOf(value);
  const values = listOf(fields.values);
  return {
    topic,
    name: textOf(fields.name),
    said: known[Number(fields.level)] ?? "ERROR",
    message: textOf(fields.message),
    hardware: textOf(fields.hardware_id),
    values: values.slice(0, MOST_VALUES).map((each) => {
      const { key, value } = fieldsOf(each);
      return [textOf(key), textOf(value)];
    }),
    moreValues: Math.max(0, values.length - MOST_VALUES),
    time,
  };
}

/** Of each name the last one in the messages of a topic. */
export function lastStatuses(messages: Message[]): Status[] {
  const last = new Map<string, Status>();
  for (const { topic, time, value } of messages.slice(-MOST_MESSAGES)) {
    for (const each of listOf(fieldsOf(value).status)) {
      const name = textOf(fieldsOf(each).name);
      if (last.has(name) || last.size < MOST_STATUSES) last.set(name, statusOf(each, topic, time));
    }
  }
  return [...last.values()];
}

export function isStale(status: Status, now: number): boolean {
  return status.said === "STALE" || now - status.time > STALE_AFTER;
}

export function levelOf(status: Status, now: number): Level {
  return isStale(status, now) ? "STALE" : status.said;
}

/** How many there are of each level. */
export function countLevels(statuses: Status[], now: number): Record<Level, number> {
  const counts = { ERROR: 0, WARN: 0, STALE: 0, OK: 0 };
  for (const each of statuses) ++counts[levelOf(each, now)];
  return counts;
}

/** The worst first, and by name; `hidden` levels and those without the word are left out. */
export function choose(
  statuses: Status[],
  now: number,
  hidden: ReadonlySet<string>,
  word: string,
): Status[] {
  const wanted = word.toLowerCase();
  const hasWord = (each: Status) =>
    !wanted ||
    [each.name, each.message, each.hardware, ...each.values.flat()].some((text) =>
      text.toLowerCase().includes(wanted),
    );
  const rank = (each: Status) => levels.indexOf(levelOf(each, now));
  return statuses
    .filter((each) => !hidden.has(levelOf(each, now)) && hasWord(each))
    .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
