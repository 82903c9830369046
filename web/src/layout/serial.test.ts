import { expect, test } from "vitest";

import { panesOf, shapeText, splitOf, stackOf, type Area, type Pane } from "./model";
import { fromDock, toDock } from "./serial";

const pane = (id: string): Pane => ({
  id,
  place: { panel: "tree", topic: `/${id}`, fields: [], settings: {} },
});

test("dockview gets a layout and gives it back", () => {
  const stack = { panes: [pane("b"), pane("c")], front: 1 };
  const column = splitOf(false, [stackOf(pane("a")), stack], [0.7, 0.3]);
  const layouts: Area[] = [
    stackOf(pane("a")),
    column,
    splitOf(true, [column, stackOf(pane("d"))], [0.62, 0.38]),
  ];
  for (const layout of layouts) {
    const dock = toDock(layout, { width: 900, height: 500 }, "c", (place) => place.topic);
    expect(dock.panels["a"]!.title).toBe("/a");
    const places = new Map(panesOf(layout).map(({ id, place }) => [id, place]));
    const again = fromDock(dock, (id) => places.get(id)!);
    expect(shapeText(again, true)).toBe(shapeText(layout, true));
    expect(panesOf(again)).toEqual(panesOf(layout));
  }
});
