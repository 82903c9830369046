import type { Bag } from "../api";
import { dateText } from "../format";

export type SortKey = "filename" | "start_time" | "duration" | "size_bytes" | "topics" | "messages";

/** Those with the word in their name or time; live ones first, whatever the order is. */
export function sortBags(bags: Bag[], word: string, key: SortKey, isDown: boolean): Bag[] {
  const wanted = word.trim().toLowerCase();
  const text = (bag: Bag) =>
    `${bag.filename} ${bag.start_time === undefined ? "" : dateText(bag.start_time)}`.toLowerCase();
  const compare = (a: Bag, b: Bag) => {
    const [left, right] = [a[key] ?? -Infinity, b[key] ?? -Infinity];
    return left < right ? -1 : left > right ? 1 : 0;
  };
  return bags
    .filter((bag) => text(bag).includes(wanted))
    .sort(
      (a, b) =>
        Number(b.recording ?? false) - Number(a.recording ?? false) ||
        (isDown ? compare(b, a) : compare(a, b)) ||
        a.filename.localeCompare(b.filename),
    );
}
