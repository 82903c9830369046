// The panels of a bag on the screen: where they stand, which one has the focus, and what becomes of
// a topic that is opened or dropped. What shows it (dock.tsx, pager.tsx) tells the desk what a
// person moved, and draws again when the desk has changed.

import { useEffect, useState } from "preact/hooks";

import type { Topic } from "../api";
import type { Panel, Place } from "../panels/panel";
import { bestPanel, defaultPlaces, placeFor, topicsOf } from "../player/layout";
import { arrange } from "./arrange";
import type { Dragged } from "./drag";
import {
  addAtEdge,
  addBeside,
  addSomewhere,
  addTab,
  paneOf,
  panesOf,
  paneWith,
  raise,
  remove,
  setPlace,
  type Edge,
  type Layout,
} from "./model";

/** What a desk needs of the player. */
export interface Bag {
  topics: Topic[];
  topic(name: string): Topic | undefined;
  numeric(topic: Topic): string[];
  showTopics(topics: string[]): void;
}

export class Desk {
  layout: Layout = null;
  /** True until a person changes something. */
  isDefault = false;
  /** The pane that keys are for. */
  focused = "";
  /** The topics that panels show. */
  shown = new Set<string>();
  /** In pixels, of what shows it. */
  size = { width: 1000, height: 600 };
  /** How often it has changed. */
  changes = 0;
  private readonly watchers = new Set<() => void>();

  constructor(
    readonly bag: Bag,
    readonly panels: Panel[],
    layout: Layout | undefined,
  ) {
    if (layout === undefined) this.reset();
    else this.set(layout);
  }

  /** Calls `see` after each change, until the function that is returned is called. */
  watch(see: () => void): () => void {
    this.watchers.add(see);
    return () => this.watchers.delete(see);
  }

  private set(layout: Layout, focused = this.focused): void {
    this.layout = layout;
    const panes = panesOf(layout);
    this.focused = paneWith(layout, focused)?.id ?? panes[0]?.id ?? "";
    const { bag } = this;
    const read = panes.flatMap(({ place }) =>
      topicsOf(place, this.panel(place.panel), bag.topics),
    );
    this.shown = new Set(read);
    bag.showTopics(read);
    this.refresh();
  }

  /** Draws it again. */
  refresh(): void {
    ++this.changes;
    for (const see of this.watchers) see();
  }

  /** A person has changed it. */
  change(layout: Layout, focused?: string): void {
    this.isDefault = false;
    this.set(layout, focused);
  }

  reset(): void {
    const numeric = (topic: Topic) => this.bag.numeric(topic);
    this.isDefault = true;
    this.set(arrange(defaultPlaces(this.bag.topics, this.panels, numeric)));
  }

  panel(name: string): Panel | undefined {
    return this.panels.find((panel) => panel.name === name);
  }

  /** The topic of the focused panel. */
  get topic(): string | undefined {
    return paneWith(this.layout, this.focused)?.place.topic || undefined;
  }

  focus(id: string): void {
    if (id === this.focused) return;
    this.focused = id;
    this.refresh();
  }

  show(id: string): void {
    const layout = raise(this.layout, id);
    if (layout === this.layout) this.focus(id);
    else this.change(layout, id);
  }

  setPlace(id: string, place: Place): void {
    this.change(setPlace(this.layout, id, place));
  }

  close(id: string): void {
    this.change(remove(this.layout, id));
  }

  /** The panel that shows a topic best, or a plot of one of its fields. */
  private placeOf(topic: Topic, field?: string): Place | undefined {
    const plot = this.panel("plot");
    if (field !== undefined && plot) {
      return { panel: plot.name, topic: topic.topic, fields: [field], settings: {} };
    }
    const panel = bestPanel(topic, this.panels);
    return panel && placeFor(topic, panel, this.bag.numeric(topic));
  }

  /** Opens a topic or a field. One that the panel of the whole bag shows goes there. */
  open({ topic: name, field }: Dragged): void {
    const topic = this.bag.topic(name);
    const place = topic && this.placeOf(topic, field);
    if (!place) return;
    const panel = this.panel(place.panel)!;
    const same = panesOf(this.layout).find((pane) => pane.place.panel === panel.name);
    if (panel.isOfBag && same) {
      const taken = panel.take?.(same.place, topic, field) ?? same.place;
      return this.change(raise(setPlace(this.layout, same.id, taken), same.id), same.id);
    }
    this.add(place);
  }

  /** A panel of the whole bag. */
  openPanel(name: string): void {
    this.add({ panel: name, topic: "", fields: [], settings: {} });
  }

  private add(place: Place): void {
    const pane = paneOf(place);
    this.change(addSomewhere(this.layout, pane, this.size), pane.id);
  }

  /** On the middle of a panel, what takes the topic is that panel; if it does not, the right one
      opens as a tab of it. On an edge opens another panel; without `on`, at that of the whole. */
  drop(dragged: Dragged, on: string | undefined, edge: Edge | "center" | "tab"): void {
    const topic = this.bag.topic(dragged.topic);
    if (!topic) return;
    const target = on === undefined ? undefined : paneWith(this.layout, on);
    if (target && edge === "center") {
      const taken = this.panel(target.place.panel)?.take?.(target.place, topic, dragged.field);
      if (taken) return this.change(setPlace(this.layout, target.id, taken), target.id);
    }
    const place = this.placeOf(topic, dragged.field);
    if (!place) return;
    const pane = paneOf(place);
    if (edge === "center" || edge === "tab") {
      const beside = target?.id ?? this.focused;
      this.change(addTab(this.layout, beside, pane), pane.id);
    } else if (target) {
      this.change(addBeside(this.layout, target.id, edge, pane), pane.id);
    } else {
      this.change(addAtEdge(this.layout, edge, pane), pane.id);
    }
  }
}

/** Draws a component again when the desk has changed. */
export function useDesk(desk: Desk): void {
  const [, setDrawn] = useState(desk.changes);
  useEffect(() => {
    const draw = () => setDrawn(desk.changes);
    draw(); // it may have changed since this was drawn
    return desk.watch(draw);
  }, [desk]);
}
