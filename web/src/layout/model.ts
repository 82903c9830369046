// Where panels stand: a tree. A leaf is a stack of panes, of which one is in front and the others
// are tabs; a split holds areas side by side or one below the other. The tree is plain data that
// nothing changes: every function gives another one. What shows it (dockview on a desk, pages on a
// phone), the URL and the saved layouts know no more than this.

import type { Place } from "../panels/panel";

/** A place with a name of its own, by which a panel stays the same while it moves. */
export interface Pane {
  id: string;
  place: Place;
}

export interface Stack {
  panes: Pane[];
  /** Which of them is in front. */
  front: number;
}

export interface Split {
  isRow: boolean;
  areas: Area[];
  /** The parts of the whole that the areas have; their sum is 1. */
  sizes: number[];
}

export type Area = Stack | Split;
/** null: there is no panel. */
export type Layout = Area | null;

export type Edge = "left" | "right" | "top" | "bottom";

let lastId = 0;
export const paneOf = (place: Place): Pane => ({ id: `pane${++lastId}`, place });
export const stackOf = (...panes: Pane[]): Stack => ({ panes, front: 0 });
export const isSplit = (area: Area): area is Split => "areas" in area;

export function splitOf(isRow: boolean, areas: Area[], sizes?: number[]): Split {
  return { isRow, areas, sizes: sizes ?? areas.map(() => 1 / areas.length) };
}

export function stacksOf(layout: Layout): Stack[] {
  if (!layout) return [];
  return isSplit(layout) ? layout.areas.flatMap(stacksOf) : [layout];
}

export const panesOf = (layout: Layout): Pane[] => stacksOf(layout).flatMap(({ panes }) => panes);

export function stackWith(layout: Layout, id: string): Stack | undefined {
  return stacksOf(layout).find(({ panes }) => panes.some((pane) => pane.id === id));
}

export function paneWith(layout: Layout, id: string): Pane | undefined {
  return panesOf(layout).find((pane) => pane.id === id);
}

/** Without empty stacks, splits of one area, and splits in splits of the same direction. */
export function tidy(layout: Layout): Layout {
  if (!layout) return null;
  if (!isSplit(layout)) {
    if (!layout.panes.length) return null;
    const front = Math.min(Math.max(0, layout.front), layout.panes.length - 1);
    return front === layout.front ? layout : { ...layout, front };
  }
  const areas: Area[] = [];
  const sizes: number[] = [];
  layout.areas.forEach((each, i) => {
    const area = tidy(each);
    const size = layout.sizes[i] ?? 0;
    if (!area) return;
    if (isSplit(area) && area.isRow === layout.isRow) {
      areas.push(...area.areas);
      sizes.push(...area.sizes.map((part) => part * size));
    } else {
      areas.push(area);
      sizes.push(size);
    }
  });
  if (areas.length < 2) return areas[0] ?? null;
  const all = sizes.reduce((a, b) => a + b, 0);
  const part = (size: number) => (all > 0 ? size / all : 1 / sizes.length);
  return { ...layout, areas, sizes: sizes.map(part) };
}

/** With another area where a stack was. */
function exchange(layout: Layout, stack: Stack, by: (stack: Stack) => Area): Layout {
  const visit = (area: Area): Area => {
    if (isSplit(area)) return { ...area, areas: area.areas.map(visit) };
    return area === stack ? by(area) : area;
  };
  return layout && tidy(visit(layout));
}

export function setPlace(layout: Layout, id: string, place: Place): Layout {
  const stack = stackWith(layout, id);
  if (!stack) return layout;
  const panes = stack.panes.map((pane) => (pane.id === id ? { id, place } : pane));
  return exchange(layout, stack, () => ({ ...stack, panes }));
}

export function remove(layout: Layout, id: string): Layout {
  const stack = stackWith(layout, id);
  if (!stack) return layout;
  const at = stack.panes.findIndex((pane) => pane.id === id);
  const front = stack.front > at ? stack.front - 1 : stack.front;
  return exchange(layout, stack, () => ({
    panes: stack.panes.filter((pane) => pane.id !== id),
    front,
  }));
}

/** In front of its stack. */
export function raise(layout: Layout, id: string): Layout {
  const stack = stackWith(layout, id);
  if (!stack) return layout;
  const front = stack.panes.findIndex((pane) => pane.id === id);
  return front === stack.front ? layout : exchange(layout, stack, () => ({ ...stack, front }));
}

/** A pane in front of the stack that holds another one. */
export function addTab(layout: Layout, beside: string, pane: Pane): Layout {
  const stack = stackWith(layout, beside);
  if (!stack) return addAtEdge(layout, "right", pane);
  return exchange(layout, stack, () => ({
    panes: [...stack.panes, pane],
    front: stack.panes.length,
  }));
}

const joined = (area: Area, edge: Edge, pane: Pane, part: number): Area => {
  const isFirst = edge === "left" || edge === "top";
  const isRow = edge === "left" || edge === "right";
  return isFirst
    ? splitOf(isRow, [stackOf(pane), area], [part, 1 - part])
    : splitOf(isRow, [area, stackOf(pane)], [1 - part, part]);
};

/** A pane at an edge of the stack that holds another one, which gives half of its area. */
export function addBeside(layout: Layout, beside: string, edge: Edge, pane: Pane): Layout {
  const stack = stackWith(layout, beside);
  if (!stack) return addAtEdge(layout, edge, pane);
  return exchange(layout, stack, () => joined(stack, edge, pane, 0.5));
}

/** A pane at an edge of the whole. */
export function addAtEdge(layout: Layout, edge: Edge, pane: Pane): Layout {
  return layout ? tidy(joined(layout, edge, pane, 1 / 3)) : stackOf(pane);
}

/** Moves a pane by keys: out of its stack to an edge of that, or, if it is alone, into the stack of
    its neighbour there, or to the edge of the whole. */
export function move(layout: Layout, id: string, edge: Edge, neighbour?: string): Layout {
  const stack = stackWith(layout, id);
  const pane = paneWith(layout, id);
  if (!stack || !pane) return layout;
  const rest = remove(layout, id);
  const other = stack.panes.find((each) => each.id !== id);
  if (other) return addBeside(rest, other.id, edge, pane);
  if (!rest) return layout;
  return neighbour === undefined ? addAtEdge(rest, edge, pane) : addTab(rest, neighbour, pane);
}

const LEAST_SIZE = 0.08;

/** Makes the area of a pane wider, or higher, by a part of the row, or column, that it is in. */
export function resize(layout: Layout, id: string, isRow: boolean, by: number): Layout {
  const visit = (area: Area): Area => {
    if (!isSplit(area)) return area;
    const at = area.areas.findIndex((each) => stackWith(each, id));
    if (at < 0) return area;
    const inner = visit(area.areas[at]!);
    if (inner !== area.areas[at]) return { ...area, areas: area.areas.with(at, inner) };
    if (area.isRow !== isRow) return area;
    const beside = at + 1 < area.areas.length ? at + 1 : at - 1;
    const both = area.sizes[at]! + area.sizes[beside]!;
    const least = Math.min(LEAST_SIZE, both / 2);
    const size = Math.min(both - least, Math.max(least, area.sizes[at]! + by));
    if (size === area.sizes[at]) return area;
    return { ...area, sizes: area.sizes.with(at, size).with(beside, both - size) };
  };
  return layout && visit(layout);
}

/** What is narrower or lower than this is not split again. */
const LEAST = { width: 280, height: 150 };

/** A pane where there is most room: the largest area is split, if it is large enough; if not, the
    pane is a tab there. */
export function addSomewhere(
  layout: Layout,
  pane: Pane,
  size: { width: number; height: number },
): Layout {
  let best: { stack: Stack; width: number; height: number } | undefined;
  const visit = (area: Area, width: number, height: number): void => {
    if (isSplit(area)) {
      area.areas.forEach((each, i) => {
        const part = area.sizes[i]!;
        visit(each, area.isRow ? width * part : width, area.isRow ? height : height * part);
      });
    } else if (!best || width * height > best.width * best.height) {
      best = { stack: area, width, height };
    }
  };
  if (!layout) return stackOf(pane);
  visit(layout, size.width, size.height);
  const { stack, width, height } = best!;
  const beside = stack.panes[0]!.id;
  const isWide = width >= height && width / 2 >= LEAST.width;
  if (isWide) return addBeside(layout, beside, "right", pane);
  if (height / 2 >= LEAST.height) return addBeside(layout, beside, "bottom", pane);
  return addTab(layout, beside, pane);
}

/** The same for layouts in which the same panes stand in the same way; `sizes` says whether their
    sizes count. */
export function shapeText(layout: Layout, sizes: boolean): string {
  if (!layout) return "";
  if (!isSplit(layout)) return `${layout.panes.map(({ id }) => id).join(" ")}:${layout.front}`;
  const inner = layout.areas.map((area, i) => {
    const size = sizes ? layout.sizes[i]!.toFixed(3) : "";
    return `${size}(${shapeText(area, sizes)})`;
  });
  return `${layout.isRow ? "row" : "column"}${inner.join("")}`;
}
