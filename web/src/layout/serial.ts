// A layout as dockview writes it, and back. Dockview's tree has sizes in pixels, and the direction
// of a branch is never that of the branch around it, which `tidy` sees to.

import type { GroupviewPanelState, SerializedDockview } from "dockview-core";
import { Orientation } from "dockview-core";

import type { Place } from "../panels/panel";
import { isSplit, panesOf, splitOf, tidy, type Area, type Layout, type Pane } from "./model";

type Node = SerializedDockview["grid"]["root"];
interface Leaf {
  views: string[];
  activeView?: string;
  id: string;
}

export function toDock(
  layout: Area,
  size: { width: number; height: number },
  focused: string,
  titleOf: (place: Place) => string,
): SerializedDockview {
  let groups = 0;
  let activeGroup: string | undefined;
  const node = (area: Area, isInRow: boolean, width: number, height: number): Node => {
    const size = isInRow ? width : height;
    if (!isSplit(area)) {
      const id = `group${++groups}`;
      const views = area.panes.map((pane) => pane.id);
      if (views.includes(focused)) activeGroup = id;
      return { type: "leaf", size, data: { id, views, activeView: views[area.front]! } };
    }
    const data = area.areas.map((each, i) => {
      const part = area.sizes[i]!;
      return area.isRow
        ? node(each, true, width * part, height)
        : node(each, false, width, height * part);
    });
    return { type: "branch", size, data };
  };
  const { width, height } = size;
  const root = isSplit(layout) ? layout : splitOf(true, [layout]);
  const panels: Record<string, GroupviewPanelState> = {};
  for (const { id, place } of panesOf(layout)) {
    panels[id] = { id, contentComponent: "pane", tabComponent: "pane", title: titleOf(place) };
  }
  return {
    grid: {
      root: node(root, !root.isRow, width, height),
      width,
      height,
      orientation: root.isRow ? Orientation.HORIZONTAL : Orientation.VERTICAL,
    },
    panels,
    ...(activeGroup ? { activeGroup } : {}),
  };
}

export function fromDock(dock: SerializedDockview, placeOf: (id: string) => Place): Layout {
  const area = (node: Node, isRow: boolean): Area => {
    if (node.type === "leaf") {
      const { views, activeView } = node.data as unknown as Leaf;
      const panes: Pane[] = views.map((id) => ({ id, place: placeOf(id) }));
      return { panes, front: Math.max(0, views.indexOf(activeView ?? "")) };
    }
    const nodes = node.data as Node[];
    const areas = nodes.map((each) => area(each, !isRow));
    return splitOf(isRow, areas, nodes.map((each) => Math.max(each.size ?? 0, 1)));
  };
  return tidy(area(dock.grid.root, dock.grid.orientation === Orientation.HORIZONTAL));
}
