// The names and colours of states.

import { numberText } from "../../format";
import type { StateField } from "../../player/state_fields";
import type { State } from "./segments";

export function nameOf(field: StateField | undefined, state: State | null | undefined): string {
  if (state === undefined) return "–";
  if (state === null) return "several";
  if (field?.kind === "flag") return state ? "true" : "false";
  const constant = field?.constants.find((each) => each.value === state);
  if (constant) return constant.name;
  if (typeof state === "number") return numberText(state);
  // A line, whatever the text has in it.
  return state.replace(/\s+/g, " ") || "(empty)";
}

/** 0 is for what is off, the others tell states apart that are near each other. */
export function colourOf(field: StateField | undefined, state: State): number {
  if (field?.kind === "flag") return state ? 1 : 0;
  const at = field?.constants.findIndex((each) => each.value === state) ?? -1;
  if (at >= 0) return at;
  if (typeof state === "number") return Number.isFinite(state) ? Math.abs(Math.trunc(state)) : 0;
  let hash = 0;
  for (let i = 0; i < state.length; ++i) hash = (hash * 31 + state.charCodeAt(i)) >>> 0;
  return state === "" ? 0 : 1 + (hash % 7);
}
