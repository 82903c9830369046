// Of a long table only the rows on the screen are made. All of them are equally high.

export interface Shown {
  from: number;
  /** Behind the last one. */
  to: number;
}

/** Made above and below the screen, so that scrolling does not show holes. */
const SPARE = 6;

export function shownRows(count: number, rowPx: number, topPx: number, heightPx: number): Shown {
  const first = Math.floor(topPx / rowPx) - SPARE;
  const last = Math.ceil((topPx + heightPx) / rowPx) + SPARE;
  const from = Math.min(Math.max(0, first), Math.max(0, count - 1));
  return { from, to: Math.min(count, Math.max(last, from)) };
}
