// The desk on a large screen: dockview, in which one drags, splits, tabs and resizes. Dockview has
// a tree of its own; the desk's is the one that counts. What a person moves is read from dockview;
// what the desk changes is given to it as a whole, and panels that stay are kept as they are.

import { createDockview, type DockviewApi } from "dockview-core";
import { useEffect, useRef } from "preact/hooks";

import { isFocusByKeys } from "../player/focus";
import type { Player } from "../player/player";
import type { Desk } from "./desk";
import { isOurs, readDragged } from "./drag";
import "./dock.css";
import { actionsOf, contentOf, tabOf, watermark } from "./dock_parts";
import { move, panesOf, paneWith, resize, shapeText, type Edge } from "./model";
import { showLate, titleOf } from "./pane";
import { fromDock, toDock } from "./serial";

export function Dock({ desk, player }: { desk: Desk; player: Player }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const dock = new DockOf(host.current!, desk, player);
    const endLate = showLate(player, host.current!);
    return () => {
      endLate();
      dock.end();
    };
  }, [desk, player]);
  return <main class="places dock" ref={host} />;
}

const HEAD = ".dv-tabs-and-actions-container";
const STEP = 0.05;

const ARROWS: Record<
  string,
  { edge: Edge; direction: "left" | "right" | "up" | "down"; isRow: boolean; by: number }
> = {
  ArrowLeft: { edge: "left", direction: "left", isRow: true, by: -STEP },
  ArrowRight: { edge: "right", direction: "right", isRow: true, by: STEP },
  ArrowUp: { edge: "top", direction: "up", isRow: false, by: -STEP },
  ArrowDown: { edge: "bottom", direction: "down", isRow: false, by: STEP },
};

class DockOf {
  private readonly api: DockviewApi;
  private readonly unwatch: () => void;
  private shown = "";
  private isResized = false;
  private isTelling = false;

  constructor(
    private readonly host: HTMLElement,
    private readonly desk: Desk,
    player: Player,
  ) {
    const dealt = { desk, player, chosen: new Set<string>() };
    this.api = createDockview(host, {
      theme: { name: "kitbag", className: "dock-theme", gap: 1, dndTabIndicator: "line" },
      disableFloatingGroups: true,
      disableTabsOverflowList: true,
      scrollbars: "native",
      createComponent: ({ id }) => contentOf(id, dealt),
      createTabComponent: ({ id }) => tabOf(id, dealt),
      createRightHeaderActionComponent: (group) => actionsOf(group, this.api, dealt),
      createWatermarkComponent: watermark,
    });
    this.api.onUnhandledDragOver((event) => {
      const { nativeEvent } = event;
      if (nativeEvent instanceof DragEvent && isOurs(nativeEvent.dataTransfer)) event.accept();
    });
    this.api.onDidDrop(({ nativeEvent, position, group, panel }) => {
      if (!(nativeEvent instanceof DragEvent) || !nativeEvent.dataTransfer) return;
      const dragged = readDragged(nativeEvent.dataTransfer);
      if (!dragged) return;
      // Dockview does not tell a head from the panel below it.
      const { target } = nativeEvent;
      const head = target instanceof Element ? target.closest(HEAD) : null;
      const tab = head?.querySelector<HTMLElement>("[data-pane]");
      if (tab) desk.drop(dragged, tab.dataset.pane, "tab");
      else desk.drop(dragged, panel?.id ?? group?.activePanel?.id, position);
    });
    this.api.onDidLayoutChange(() => this.moved());
    this.api.onDidActivePanelChange(({ panel }) => {
      if (panel && !this.isTelling) this.desk.focus(panel.id);
    });
    // Only a border that was dragged changes sizes; another size of the window does not.
    host.addEventListener("pointerdown", this.press, true);
    host.addEventListener("keydown", this.key, true);
    this.unwatch = desk.watch(() => this.show());
    this.show();
  }

  end(): void {
    this.unwatch();
    this.host.removeEventListener("pointerdown", this.press, true);
    this.host.removeEventListener("keydown", this.key, true);
    this.api.dispose();
  }

  private readonly press = (event: PointerEvent) => {
    if ((event.target as Element).closest?.(".dv-sash")) this.isResized = true;
  };

  /** On a tab that the Tab key has chosen, arrows with Shift move its panel, and those with Alt
      resize it. Without them they are dockview's, if there are several tabs. All other keys, and
      those after a click, are the player's. */
  private readonly key = (event: KeyboardEvent) => {
    const { desk, api } = this;
    const tab = event.target instanceof Element ? event.target.closest("[role=tab]") : null;
    const id = tab?.querySelector<HTMLElement>("[data-pane]")?.dataset.pane;
    if (!tab || !id) return;
    const { key } = event;
    const arrow = ARROWS[key];
    const isChosen = isFocusByKeys();
    if (!isChosen || !arrow || event.shiftKey === event.altKey) {
      const isAlone = tab.parentElement!.querySelectorAll("[role=tab]").length === 1;
      const isAlong = arrow || key === "Home" || key === "End";
      if (key !== "Tab" && key !== "Delete" && (!isChosen || (isAlone && isAlong))) {
        event.preventDefault();
        event.stopPropagation();
        dispatchEvent(new KeyboardEvent("keydown", event));
      }
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    const { edge, direction, isRow, by } = arrow;
    const group = api.getPanel(id)?.group;
    const next = group && api.adjacentGroupInDirection(group, direction);
    if (event.altKey) desk.change(resize(desk.layout, id, isRow, by), id);
    else desk.change(move(desk.layout, id, edge, next?.activePanel?.id), id);
    const moved = this.host.querySelector(`[data-pane="${id}"]`)?.closest("[role=tab]");
    if (moved instanceof HTMLElement) moved.focus();
  };

  private show(): void {
    const { desk, host, api } = this;
    desk.size = { width: host.clientWidth || 1000, height: host.clientHeight || 600 };
    const shape = shapeText(desk.layout, true);
    const title = (id: string) => {
      const pane = paneWith(desk.layout, id);
      return pane ? titleOf(pane.place, desk) : "";
    };
    this.isTelling = true;
    if (shape !== this.shown) {
      this.shown = shape;
      const json = desk.layout && toDock(desk.layout, desk.size, desk.focused, (place) =>
        titleOf(place, desk),
      );
      if (json) api.fromJSON(json, { reuseExistingPanels: true });
      else api.clear();
      api.layout(desk.size.width, desk.size.height, true);
    }
    for (const panel of api.panels) {
      if (panel.title !== title(panel.id)) panel.setTitle(title(panel.id));
    }
    const focused = api.getPanel(desk.focused);
    if (focused && !focused.api.isActive) focused.api.setActive();
    this.isTelling = false;
  }

  /** A person has moved something, or the window has another size. */
  private moved(): void {
    const { desk, api } = this;
    if (api.hasMaximizedGroup()) return;
    const places = new Map(panesOf(desk.layout).map(({ id, place }) => [id, place]));
    const json = api.toJSON();
    if (Object.keys(json.panels).some((id) => !places.has(id))) return; // it is about to be told
    const layout = api.totalPanels ? fromDock(json, (id) => places.get(id)!) : null;
    const isSame = shapeText(layout, false) === shapeText(desk.layout, false);
    if (isSame && !this.isResized) return;
    this.isResized = false;
    const shape = shapeText(layout, true);
    if (shape === shapeText(desk.layout, true)) return;
    this.shown = shape;
    desk.change(layout, api.activePanel?.id);
  }
}
