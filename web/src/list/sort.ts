import type { Bag } from "../api";

export type SortKey = "filename" | "start_time" | "duration" | "size_bytes" | "topics" | "messages";

/** Live ones come first, whatever the order is. */
export function sortBags(bags: Bag[], key: SortKey, isDown: boolean): Bag[] {
  const compare = (a: Bag, b: Bag) => {
    const [left, right] = [a[key] ?? -Infinity, b[key] ?? -Infinity];
    return left < right ? -1 : left > right ? 1 : 0;
  };
  return [...bags].sort(
    (a, b) =>
      Number(b.recording ?? false) - Number(a.recording ?? false) ||
      (isDown ? compare(b, a) : compare(a, b)) ||
      a.filename.localeCompare(b.filename),
  );
}
