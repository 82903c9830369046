// What the search in the head of the page finds: topics, their fields, panels of the whole bag. A
// source is a function of what was typed; whatever else can be found is one source more.

import type { Desk } from "./desk";
import type { Dragged } from "./drag";

export interface Found {
  kind: string;
  text: string;
  /** What tells it from others of the same name. */
  note: string;
  open(): void;
  /** What one drags, if it can be dragged. */
  dragged?: Dragged;
}

/** At most so many things that hold a word, the best ones first. */
export type Source = (word: string, most: number) => Found[];

/** How well a name fits a word: 0 is best; -1: it does not. */
export function rank(name: string, word: string): number {
  const at = name.toLowerCase().indexOf(word);
  if (at < 0) return -1;
  if (name.length === word.length) return 0;
  const isBegin = at === 0 || /[^a-z0-9]/i.test(name[at - 1]!);
  return isBegin ? 1 : 2;
}

export function sourceOf(desk: Desk): Source {
  return (typed, most) => {
    const word = typed.trim().toLowerCase();
    if (!word) return [];
    const found: { rank: number; found: Found }[] = [];
    const add = (name: string, less: number, make: () => Found) => {
      const fits = rank(name, word);
      if (fits >= 0) found.push({ rank: fits + less, found: make() });
    };
    for (const topic of desk.bag.topics) {
      const dragged = { topic: topic.topic };
      const open = () => desk.open(dragged);
      const make = () => ({ kind: "Topic", text: topic.topic, note: topic.type, open, dragged });
      add(topic.topic, 0, make);
      if (rank(topic.topic, word) < 0) add(topic.type, 0.5, make);
      for (const field of desk.bag.numeric(topic)) {
        const dragged = { topic: topic.topic, field };
        const open = () => desk.open(dragged);
        const note = topic.topic;
        add(field, 0.7, () => ({ kind: "Field", text: field, note, open, dragged }));
      }
    }
    for (const panel of desk.panels) {
      if (!panel.isOfBag) continue;
      const open = () => desk.openPanel(panel.name);
      add(panel.title, 0.2, () => ({ kind: "Panel", text: panel.title, note: "", open }));
    }
    return found
      .sort((a, b) => a.rank - b.rank)
      .slice(0, most)
      .map((each) => each.found);
  };
}
