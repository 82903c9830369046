// Layouts that a person gave a name to. The browser keeps them, for all bags; it may have no room,
// or not be allowed to.

import type { Layout } from "./model";
import { readLayout, writeLayout } from "./text";

export interface Saved {
  name: string;
  /** As it is in a URL. */
  text: string;
}

const KEY = "kitbag.layouts";
const MOST = 30;

type Keeper = Pick<Storage, "getItem" | "setItem">;

/** Undefined: this browser keeps nothing. */
export function keeper(): Keeper | undefined {
  try {
    return localStorage;
  } catch {
    return undefined;
  }
}

export function savedLayouts(keeper: Keeper | undefined): Saved[] {
  try {
    const all: unknown = JSON.parse(keeper?.getItem(KEY) ?? "[]");
    if (!Array.isArray(all)) return [];
    return all
      .filter((each) => typeof each?.name === "string" && typeof each?.text === "string")
      .slice(0, MOST);
  } catch {
    return [];
  }
}

/** Returns whether the browser keeps it. */
function keep(keeper: Keeper | undefined, all: Saved[]): boolean {
  try {
    keeper?.setItem(KEY, JSON.stringify(all));
    return keeper !== undefined;
  } catch {
    return false;
  }
}

/** In place of the one that has the name; returns why the browser does not keep it, or "". */
export function saveLayout(keeper: Keeper | undefined, name: string, layout: Layout): string {
  const query = new URLSearchParams();
  writeLayout(layout, query);
  const next = { name, text: query.toString() };
  const all = savedLayouts(keeper);
  const at = all.findIndex((each) => each.name === name);
  if (at < 0 && all.length >= MOST) return `There are ${MOST} layouts; delete one first.`;
  if (at < 0) all.push(next);
  else all[at] = next;
  return keep(keeper, all) ? "" : "This browser does not keep it. Share the link in its place.";
}

export function deleteLayout(keeper: Keeper | undefined, name: string): void {
  keep(keeper, savedLayouts(keeper).filter((each) => each.name !== name));
}

export function layoutOf(saved: Saved): Layout | undefined {
  return readLayout(new URLSearchParams(saved.text));
}
