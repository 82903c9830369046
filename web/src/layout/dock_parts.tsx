// What dockview shows of a stack of panes, as elements that Preact draws in.

import type {
  DockviewApi,
  DockviewGroupPanel,
  IContentRenderer,
  IHeaderActionsRenderer,
  ITabRenderer,
} from "dockview-core";
import { render, type ComponentChild } from "preact";

import type { Player } from "../player/player";
import type { Desk } from "./desk";
import { paneWith } from "./model";
import { PaneActions, PaneView, titleOf } from "./pane";

/** What all of them are about. */
export interface Dealt {
  desk: Desk;
  player: Player;
  /** The panes whose choices are open. */
  chosen: Set<string>;
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

/** The panel. */
export function contentOf(id: string, { desk, player, chosen }: Dealt): IContentRenderer {
  const mount = new Mount("pane");
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

/** The title in its head. */
export function tabOf(id: string, { desk }: Dealt): ITabRenderer {
  const mount = new Mount("tab");
  mount.element.dataset.pane = id;
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

/** What is at the end of the head of a stack, for the panel in front. */
export function actionsOf(
  group: DockviewGroupPanel,
  api: DockviewApi,
  { desk, player, chosen }: Dealt,
): IHeaderActionsRenderer {
  const mount = new Mount("head");
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

/** Where there is no panel. */
export function watermark() {
  const mount = new Mount("empty");
  const text = "Choose a topic on the left, or drag it here, to look at it.";
  return {
    element: mount.element,
    init: () => mount.draw(<p class="missing">{text}</p>),
    dispose: () => mount.dispose(),
  };
}
