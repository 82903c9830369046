// The desk on a large screen: dockview, in which one drags, splits, tabs and resizes. Dockview has
// a tree of its own; the desk's is the one that counts. What a person moves is read from dockview;
// what the desk changes is given to it as a whole, and panels that stay are kept as they are.

import {
  createDockview,
  type DockviewApi,
  type DockviewGroupPanel,
  type IContentRenderer,
  type IHeaderActionsRenderer,
  type ITabRenderer,
} from "dockview-core";
import { render, type ComponentChild } from "preact";
import { useEffect, useRef } from "preact/hooks";

import { isFocusByKeys } from "../player/focus";
import type { Player } from "../player/player";
import type { Desk } from "./desk";
import { isOurs, readDragged } from "./drag";
import "./dock.css";
import { move, panesOf, paneWith, resize, shapeText, type Edge } from "./model";
import { PaneActions, PaneView, showLate, titleOf } from "./pane";
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

/** An element that Preact draws in. */
class Mount {
  readonly element = document.createElement("div");
  constructor(name: string) {
    this.element.className = name;
  }
  draw(child: ComponentChild): void {
    render(child, this.element);
  }
  dispose(): void {
    render(null, this.element);
  }
}

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
  private readonly chosen = new Set<string>();
  private readonly unwatch: () => void;
  private shown = "";
  private isResized = false;
  private isTelling = false;

  constructor(
    private readonly host: HTMLElement,
    private readonly desk: Desk,
    private readonly player: Player,
  ) {
    this.api = createDockview(host, {
      theme: { name: "kitbag", className: "dock-theme", gap: 1, dndTabIndicator: "line" },
      disableFloatingGroups: true,
      disableTabsOverflowList: true,
      scrollbars: "native",
      createComponent: ({ id }) => this.content(id),
      createTabComponent: ({ id }) => this.tab(id),
      createRightHeaderActionComponent: (group) => this.actions(group),
      createWatermarkComponent: () => this.watermark(),
    });
    this.api.onUnhandledDragOver((event) => {
      const { nativeEvent } = event;
      if (nativeEvent instanceof DragEvent && isOurs(nativeEvent.dataTransfer)) event.accept();
    });
    this.api.onDidDrop((event) => {
      const { nativeEvent, position, group, panel } = event;
      if (!(nativeEvent instanceof DragEvent) || !nativeEvent.dataTransfer) return;
      const dragged = readDragged(nativeEvent.dataTransfer);
      const on = panel?.id ?? group?.activePanel?.id;
      if (dragged) this.desk.drop(dragged, on, position);
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

  private content(id: string): IContentRenderer {
    const mount = new Mount("pane");
    const { desk, player, chosen } = this;
    let isDrawn = false;
    return {
      element: mount.element,
      init: ({ api }) => {
        // What was never seen has nothing to draw yet.
        const draw = () => {
          if (isDrawn || !api.isVisible) return;
          isDrawn = true;
          const isVisible = () => api.isVisible;
          mount.draw(<PaneView {...{ id, desk, player, chosen, isVisible }} />);
        };
        api.onDidVisibilityChange(draw);
        queueMicrotask(draw);
      },
      dispose: () => mount.dispose(),
    };
  }

  private tab(id: string): ITabRenderer {
    const mount = new Mount("tab");
    mount.element.dataset.pane = id;
    const { desk } = this;
    const draw = () => {
      const place = paneWith(desk.layout, id)?.place;
      if (place) mount.draw(<span title={titleOf(place, desk)}>{titleOf(place, desk)}</span>);
    };
    const unwatch = desk.watch(draw);
    return {
      element: mount.element,
      init: draw,
      dispose: () => {
        unwatch();
        mount.dispose();
      },
    };
  }

  private actions(group: DockviewGroupPanel): IHeaderActionsRenderer {
    const mount = new Mount("head");
    const { desk, player, chosen, api } = this;
    const draw = () => {
      const id = group.activePanel?.id;
      if (id === undefined) return mount.draw(null);
      const isLarge = group.api.isMaximized();
      const enlarge = () => {
        if (isLarge) api.exitMaximizedGroup();
        else api.maximizeGroup(group.activePanel!);
      };
      const can = isLarge || api.groups.length > 1;
      const props = { id, desk, player, chosen, isLarge, enlarge: can ? enlarge : undefined };
      mount.draw(<PaneActions key={id} {...props} />);
    };
    const listeners = [
      api.onDidActivePanelChange(draw),
      api.onDidMaximizedGroupChange(draw),
      api.onDidLayoutChange(draw),
      group.model.onDidActivePanelChange(draw),
    ];
    return {
      element: mount.element,
      init: draw,
      dispose: () => {
        for (const each of listeners) each.dispose();
        mount.dispose();
      },
    };
  }

  private watermark() {
    const mount = new Mount("empty");
    const text = "Choose a topic on the left, or drag it here, to look at it.";
    return {
      element: mount.element,
      init: () => mount.draw(<p class="missing">{text}</p>),
      dispose: () => mount.dispose(),
    };
  }
}
