// Panels outside the page: the server lists them, and the page imports their modules from it. What
// does not come in time is waited for no longer; it is shown when it is there.

import { askJson } from "../api";
import type { Panel } from "../panels/panel";
import { fill, optionsOf, problemOf, textOf, type Outside } from "./module";
import { optionsViewOf, viewOf } from "./view";

const PATIENCE_MS = 2000;

let known: Promise<Panel[]> | undefined;

/** All of them, once they are there, or most of them. `taken` are the names of the page's own. */
export function outsidePanels(taken: string[]): Promise<Panel[]> {
  known ??= load(taken);
  return known;
}

async function load(taken: string[]): Promise<Panel[]> {
  const panels: Panel[] = [];
  const coming: Promise<void>[] = [];
  for (const name of await namesOf()) {
    if (taken.includes(name)) {
      console.warn(`The panel ${name} is left out: the page has one of this name.`);
      continue;
    }
    const outside: Outside = { name, problem: "" };
    // Until it is there it shows no topic, but can stand anywhere and say how it is.
    const panel: Panel = { name, title: name, shows: () => 0, isOfBag: true, View: () => null };
    const isThere = importModule(outside).then(() => {
      fill(panel, outside);
      const { module } = outside;
      if (module && optionsOf(module).length) panel.Options = optionsViewOf(outside);
    });
    panel.View = viewOf(outside, isThere);
    panels.push(panel);
    coming.push(isThere);
  }
  const late = new Promise((end) => setTimeout(end, coming.length ? PATIENCE_MS : 0));
  await Promise.race([Promise.all(coming), late]);
  return panels;
}

/** None where the server knows nothing of panels. */
async function namesOf(): Promise<string[]> {
  try {
    return (await askJson<{ name: string }[]>("/panels/")).map(({ name }) => name);
  } catch {
    return [];
  }
}

async function importModule(outside: Outside): Promise<void> {
  const path = `/panels/${encodeURIComponent(outside.name)}/panel.js`;
  try {
    const { default: module } = await import(/* @vite-ignore */ path);
    outside.problem = problemOf(module);
    if (!outside.problem) outside.module = module;
  } catch (error) {
    outside.problem = `it could not be loaded: ${textOf(error)}`;
  }
}
