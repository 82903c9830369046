// Messages as rows: a column for each field, with dots in its name, and what is in a cell as text.
// What is copied is what `kitbag cat` prints: byte arrays are base64, NaN is null.

import { numberText } from "../../format";

export interface Column {
  /** "pose.position.x" */
  name: string;
  path: string[];
}

const MOST_COLUMNS = 200;
const MOST_DEPTH = 8;
/** What is longer is shown in part. */
const MOST_TEXT = 200;
const MOST_ELEMENTS = 8;
/** A list that is longer is not copied. */
const MOST_COPIED = 100_000;
/** Columns that a table begins with. */
const FIRST_COLUMNS = 12;

type Fields = Record<string, unknown>;

/** A time or a duration, as ROS 1 or ROS 2 names its parts. */
function isTime(value: unknown): value is { sec: number; nsec?: number; nanosec?: number } {
  if (typeof value !== "object" || value === null) return false;
  return "sec" in value && ("nsec" in value || "nanosec" in value);
}

function isLeaf(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Array.isArray(value) || ArrayBuffer.isView(value) || isTime(value);
}

/** The columns that messages have, in the order of their fields. */
export function columnsOf(values: unknown[]): Column[] {
  const columns = new Map<string, Column>();
  const walk = (fields: Fields, path: string[]) => {
    for (const name in fields) {
      if (columns.size >= MOST_COLUMNS) return;
      const inner = [...path, name];
      const value = fields[name];
      if (isLeaf(value) || inner.length >= MOST_DEPTH) {
        const column = { name: inner.join("."), path: inner };
        if (!columns.has(column.name)) columns.set(column.name, column);
      } else walk(value as Fields, inner);
    }
  };
  for (const value of values) {
    if (!isLeaf(value)) walk(value as Fields, []);
  }
  return [...columns.values()];
}

/** Those that were chosen, by name; else the first ones. What every message has, its header, comes
    only if it is chosen. */
export function chosenColumns(columns: Column[], names: string[] | undefined): Column[] {
  if (names) return columns.filter((each) => names.includes(each.name));
  const own = columns.filter((each) => each.path[0] !== "header");
  return (own.length ? own : columns).slice(0, FIRST_COLUMNS);
}

export function valueAt(value: unknown, { path }: Column): unknown {
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) {
      return undefined;
    }
    value = (value as Fields)[name];
  }
  return value;
}

export function cellText(value: unknown, depth = 0): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "number") return numberText(value);
  if (typeof value === "string") return cut(value);
  if (typeof value !== "object") return String(value);
  if (isTime(value)) {
    const ns = value.nsec ?? value.nanosec ?? 0;
    return `${value.sec}.${String(ns).padStart(9, "0")}`;
  }
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const list = value as ArrayLike<unknown>;
    const first = Array.from({ length: Math.min(list.length, MOST_ELEMENTS) }, (_, i) => list[i]);
    const texts = depth < 2 ? first.map((each) => cellText(each, depth + 1)).join(", ") : "…";
    return cut(list.length > MOST_ELEMENTS ? `[${list.length}] ${texts}, …` : `[${texts}]`);
  }
  return "{…}";
}

function cut(text: string): string {
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text;
}

/** The last two parts of a name. */
export function shortName({ path }: Column): string {
  return path.slice(-2).join(".");
}

/** Whether one of the cells has a word, which is in lower case. */
export function hasWord(value: unknown, columns: Column[], word: string): boolean {
  return columns.some((each) => cellText(valueAt(value, each)).toLowerCase().includes(word));
}

/** What JSON can say of a value. */
function plain(value: unknown): unknown {
  if (typeof value === "bigint") {
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  }
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return value.length > MOST_COPIED ? left(value) : base64(value);
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const list = value as ArrayLike<unknown>;
    return list.length > MOST_COPIED ? left(list) : Array.from(list, plain);
  }
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

const left = (list: ArrayLike<unknown>) => `${list.length} elements are left out`;

function base64(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

export function jsonText(value: unknown): string {
  return JSON.stringify(plain(value)) ?? "null";
}

/** A cell as it is copied: texts and numbers bare, the rest as JSON. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (isTime(value)) return cellText(value);
  return typeof value === "object" ? jsonText(value) : String(value);
}

/** Lines of CSV (RFC 4180). */
export function csvText(lines: string[][]): string {
  const cell = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return lines.map((line) => line.map(cell).join(",")).join("\r\n");
}
