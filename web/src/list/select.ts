// Which bags are selected in the table: one by one, or all from one row to another.

export function withToggled(selected: ReadonlySet<string>, bag: string): Set<string> {
  const next = new Set(selected);
  if (!next.delete(bag)) next.add(bag);
  return next;
}

/** All from one to another, in the order of the table, besides those that were selected before. */
export function chosenTo(
  selected: ReadonlySet<string>,
  order: string[],
  from: string,
  to: string,
): Set<string> {
  const [a, b] = [order.indexOf(from), order.indexOf(to)];
  if (b < 0) return new Set(selected);
  if (a < 0) return new Set(selected).add(to);
  return new Set([...selected, ...order.slice(Math.min(a, b), Math.max(a, b) + 1)]);
}
