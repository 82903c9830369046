// How the places of a default layout stand. What is looked at (3D, pictures, the map) is large, on
// the left; what is read (log, messages) is below it; more pictures and the plots, which are wide
// and low, are a column on the right:
//
//     ┌──────────────┬─────────┐
//     │              │ picture │
//     │ 3D           ├─────────┤
//     │              │ plot    │
//     ├───────┬──────┼─────────┤
//     │ log   │ tree │ plot    │
//     └───────┴──────┴─────────┘
//
// Without pictures, the plots are large. What there is no room for is a tab.

import type { Place } from "../panels/panel";
import { paneOf, splitOf, stackOf, tidy, type Area, type Layout, type Stack } from "./model";

/** What is looked at, the largest first. */
const SEEN = ["scene", "image", "map"];
const DRAWN = ["plot", "states"];
/** What is read; those that are named stand in front of the others. */
const READ = ["log", "tree", "diagnostics", "statistics", "table", "tf"];

const MOST_RIGHT = 4;
const MOST_BELOW = 2;

export function arrange(places: Place[]): Layout {
  const of = (names: string[]) =>
    places
      .filter(({ panel }) => names.includes(panel))
      .sort((a, b) => names.indexOf(a.panel) - names.indexOf(b.panel));
  const seen = of(SEEN);
  const drawn = of(DRAWN);
  const others = places.filter(({ panel }) => ![...SEEN, ...DRAWN, ...READ].includes(panel));
  const read = [...of(READ), ...others];

  if (!seen.length && !drawn.length) return tidy(splitOf(true, stacks(read, MOST_BELOW)));
  if (!seen.length) {
    const left = splitOf(false, stacks(drawn, MOST_RIGHT));
    const right = splitOf(false, stacks(read, MOST_BELOW));
    return tidy(splitOf(true, [left, right], [0.6, 0.4]));
  }
  const [main, ...more] = seen;
  // Plots share what the pictures leave of the column, but they have one area at least.
  const areas = stacks(more, drawn.length ? MOST_RIGHT - 1 : MOST_RIGHT);
  const right: Area[] = [...areas, ...stacks(drawn, MOST_RIGHT - areas.length)];
  const weights = right.map((_, i) => (i < areas.length ? 3 : 2));
  const below = splitOf(true, stacks(read, MOST_BELOW), read.length > 1 ? [0.6, 0.4] : [1]);
  const left = splitOf(false, [stackOf(paneOf(main!)), below], [0.64, 0.36]);
  return tidy(splitOf(true, [left, splitOf(false, right, weights)], [0.62, 0.38]));
}

/** At most so many stacks; the first places are in front of them. */
function stacks(places: Place[], most: number): Stack[] {
  const all: Stack[] = places.slice(0, most).map((place) => stackOf(paneOf(place)));
  places.slice(most).forEach((place, i) => all[i % most]!.panes.push(paneOf(place)));
  return all;
}
