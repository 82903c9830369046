// A module that somebody else wrote, as a panel of the page. What it says is checked, and what it
// throws stays with it: a panel that fails in a function shows no topic any more, and says why
// where it stands.

import type { Topic } from "../api";
import type { Panel, Place } from "../panels/panel";
import type { Option, PanelModule } from "./panel";

const VERSION = 1;
const MOST_TEXT = 200;

/** A panel, or why there is none. */
export interface Outside {
  name: string;
  /** Undefined: it is on its way, or there is a problem. */
  module?: PanelModule;
  problem: string;
}

/** Why it is no panel; "": it is one. */
export function problemOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return "panel.js has no default export";
  const { version, title, shows, mount } = value as Partial<Record<keyof PanelModule, unknown>>;
  if (version !== VERSION) {
    return `it is made for version ${textOf(version)} of panels; this page has version ${VERSION}`;
  }
  if (typeof title !== "string" || !title) return "it has no title";
  if (typeof shows !== "function") return "it has no function shows()";
  if (typeof mount !== "function") return "it has no function mount()";
  return "";
}

/** What was thrown, which may be anything, in some words. */
export function textOf(what: unknown): string {
  try {
    const text = what instanceof Error ? what.message || what.name : String(what);
    return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)} …` : text;
  } catch {
    return "something without a text";
  }
}

/** What `call` returns; `otherwise` if it throws, which is the last time that it is called. */
function guarded<T>(outside: Outside, otherwise: T, call: (module: PanelModule) => T): T {
  if (!outside.module || outside.problem) return otherwise;
  try {
    return call(outside.module);
  } catch (error) {
    console.error(error);
    outside.problem = `it failed: ${textOf(error)}`;
    return otherwise;
  }
}

const isText = (value: unknown): value is string => typeof value === "string";
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter(isText) : []);

function checkedPlace(panel: string, value: unknown): Place | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { topic, fields, settings } = value as Partial<Record<keyof Place, unknown>>;
  if (!isText(topic)) return undefined;
  const chosen = Object.entries(settings ?? {}).filter(([, each]) => isText(each));
  return { panel, topic, fields: texts(fields), settings: Object.fromEntries(chosen) };
}

export function optionsOf({ options }: PanelModule): Option[] {
  if (!Array.isArray(options)) return [];
  return options
    .filter((each) => isText(each?.name) && isText(each.title))
    .map(({ name, title, values }) => ({ name, title, ...(values && { values: texts(values) }) }));
}

/** What a module says goes into the panel that the page has had since it knows the name. */
export function fill(panel: Panel, outside: Outside): void {
  const { module, name } = outside;
  if (!module) return;
  panel.title = module.title;
  panel.isOfBag = module.isOfBag === true;
  panel.shows = (topic) => {
    const fit = guarded(outside, 0, (each) => Number(each.shows(topic)));
    return fit > 0 ? Math.min(fit, 1) : 0;
  };
  if (module.fields) {
    panel.fields = (topic, numeric) =>
      guarded(outside, [], (each) => texts(each.fields!(topic, [...numeric])));
  }
  if (module.reads) {
    panel.reads = (place, topics: Topic[]) =>
      guarded(outside, [place.topic], (each) => texts(each.reads!(place, [...topics])));
  }
  if (module.take) {
    panel.take = (place, topic, field) =>
      guarded(outside, undefined, (each) => checkedPlace(name, each.take!(place, topic, field)));
  }
}
