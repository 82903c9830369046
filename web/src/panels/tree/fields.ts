// The fields of a message, whatever it is: their paths, their texts, and where a word is in them. A
// message may be as large as a map of millions of cells: nothing here looks at all of it but the
// JSON that a person asks for.

import { dateText, numberText } from "../../format";

/** A list up to this long is open at first. */
const OPEN = 4;
const OPEN_DEPTH = 4;
const MOST_CHARACTERS = 1000;
/** Fields that a search looks at. */
export const MOST_SEARCHED = 20_000;

type List = ArrayLike<unknown>;

export function isInner(value: unknown): value is object {
  return typeof value === "object" && value !== null && !isTime(value);
}

/** undefined: it is no list. */
export function lengthOf(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length;
  return ArrayBuffer.isView(value) && "length" in value ? Number(value.length) : undefined;
}

export function isOpenAtFirst(value: unknown, depth: number): boolean {
  return depth < OPEN_DEPTH && (lengthOf(value) ?? 0) <= OPEN;
}

/** "pose.position.x", "ranges[3]". */
export function pathOf(parent: string, name: string, isInList: boolean): string {
  if (isInList) return `${parent}[${name}]`;
  return parent ? `${parent}.${name}` : name;
}

/** The first `most` of them. */
export function entriesOf(value: object, most: number): [string, unknown][] {
  const length = lengthOf(value);
  if (length === undefined) return Object.entries(value).slice(0, most);
  const list = value as List;
  return Array.from({ length: Math.min(length, most) }, (_, i) => [String(i), list[i]]);
}

export function countOf(value: object): number {
  return lengthOf(value) ?? Object.keys(value).length;
}

interface Time {
  seconds: number;
  ns: number;
}

/** A time or a duration, as ROS 1, ROS 2 and protobuf name its parts. */
function timeOf(value: unknown): Time | null {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return null;
  const parts = value as Record<string, unknown>;
  const seconds = Number(parts.sec ?? parts.seconds ?? NaN);
  const ns = Number(parts.nsec ?? parts.nanosec ?? parts.nanos ?? NaN);
  if (!Number.isInteger(seconds) || !Number.isInteger(ns)) return null;
  return Object.keys(parts).length === 2 ? { seconds, ns } : null;
}

export function isTime(value: unknown): boolean {
  return timeOf(value) !== null;
}

/** Seconds since 1970 that are a date of a robot's life, not a duration. */
const LEAST_DATE = 500_000_000;

function timeText({ seconds, ns }: Time): string {
  const exact = `${seconds}.${String(ns).padStart(9, "0")} s`;
  if (seconds < LEAST_DATE) return exact;
  return `${dateText(seconds)}.${String(Math.floor(ns / 1e6)).padStart(3, "0")}  (${exact})`;
}

export function leafText(value: unknown): string {
  const time = timeOf(value);
  if (time) return timeText(time);
  if (typeof value === "number") return numberText(value);
  if (typeof value === "string" && value.length > MOST_CHARACTERS) {
    return `${value.slice(0, MOST_CHARACTERS)}… (${value.length} characters)`;
  }
  return String(value);
}

/** Paths of what has a word in its name or value, and of what these are in. */
export function search(root: unknown, word: string): Set<string> {
  const wanted = word.toLowerCase();
  const found = new Set<string>();
  let left = MOST_SEARCHED;
  const walk = (value: object, path: string): boolean => {
    const isList = lengthOf(value) !== undefined;
    let isFound = false;
    for (const [name, each] of entriesOf(value, Math.max(0, left))) {
      if (--left < 0) break;
      const inner = pathOf(path, name, isList);
      const isNamed = !isList && name.toLowerCase().includes(wanted);
      const isHere = isInner(each)
        ? walk(each, inner) || isNamed
        : isNamed || leafText(each).toLowerCase().includes(wanted);
      if (!isHere) continue;
      found.add(inner);
      isFound = true;
    }
    return isFound;
  };
  if (isInner(root)) walk(root, "");
  return found;
}

/** As `kitbag cat` prints it: bytes in base64, NaN as null. Integers that a number would round are
    texts. */
export function jsonOf(value: unknown): string {
  const plain = (each: unknown): unknown => {
    if (typeof each === "bigint") {
      const number = Number(each);
      return Number.isSafeInteger(number) ? number : String(each);
    }
    if (each instanceof Uint8Array) return base64(each);
    if (ArrayBuffer.isView(each)) return Array.from(each as unknown as List, plain);
    if (Array.isArray(each)) return each.map(plain);
    if (typeof each !== "object" || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, inner]) => [name, plain(inner)]));
  };
  return JSON.stringify(plain(value), null, 2) ?? "null";
}

function base64(bytes: Uint8Array): string {
  let text = "";
  const PART = 0x2000; // more arguments may be too many for a call
  for (let at = 0; at < bytes.length; at += PART) {
    text += String.fromCharCode(...bytes.subarray(at, at + PART));
  }
  return btoa(text);
}

/** What is at "pose.position.x" or "ranges[3]"; undefined: nothing. */
export function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const name of path.match(/[^.[\]]+/g) ?? []) {
    if (typeof value !== "object" || value === null) return undefined;
    if (!Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** A text as it is, all else as JSON. */
export function valueText(value: unknown): string {
  return typeof value === "string" ? value : jsonOf(value);
}
