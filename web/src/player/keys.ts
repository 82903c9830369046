// The keys of a player. Each does what it does in players and editors that people know.

import { onTimelineKey } from "../timeline/keys";
import { isFocusByKeys } from "./focus";
import type { Player } from "./player";

export const SPEEDS = [0.1, 0.2, 0.5, 1, 2, 3, 5, 10, 20];

/** The next speed in a list that people expect. */
export function nextSpeed(speed: number, up: boolean): number {
  const faster = SPEEDS.find((each) => each > speed + 1e-9);
  const slower = SPEEDS.findLast((each) => each < speed - 1e-9);
  return (up ? faster : slower) ?? speed;
}

/** What the keys do, for people to read. */
export const KEYS: [keys: string, what: string][] = [
  ["Space K", "play and pause"],
  ["← →", "100 ms back and ahead; with Shift 1 s, with Alt 10 ms"],
  ["J L", "10 s back and ahead"],
  [", .", "to the message before or after, of the focused panel"],
  ["Home End", "to the start, to the end"],
  ["+ −", "faster, slower"],
  ["[ ]", "A and B here: the range"],
  ["\\", "play the range again and again"],
  ["G", "leave out long gaps while playing"],
  ["M", "name an event here, or for the range"],
  ["Esc", "no range"],
  ["/", "search"],
  ["1 … 9", "the saved layouts"],
  ["Shift+← ↑ → ↓", "on a panel's tab: move the panel"],
  ["Alt+← ↑ → ↓", "on a panel's tab: smaller and larger"],
  ["Delete", "on a panel's tab: close the panel"],
  ["Ctrl+Alt+D", "what the page costs: frames, memory, requests"],
  ["?", "all keys"],
];

/** Also in the shadow tree of a panel. */
const targetOf = (event: KeyboardEvent) => event.composedPath()[0];

/** A key belongs to what one types in, and Space to the button that Tab has chosen. */
export function isForElement(event: KeyboardEvent): boolean {
  const { key } = event;
  const target = targetOf(event);
  if (!(target instanceof Element)) return false;
  if (target.closest("input, select, textarea, dialog")) return true;
  return key === " " && isFocusByKeys() && target.closest("button, a, [role=tab]") !== null;
}

/** Does what a key says; returns whether it says something. `topic` is the focused one. */
export function onKey(
  event: KeyboardEvent,
  player: Player,
  topic: string | undefined,
  search: () => void,
): boolean {
  const target = targetOf(event);
  // With many keyboards, [ and \ are typed with AltGr, which looks like Ctrl and Alt.
  if ((event.ctrlKey || event.metaKey) && !event.getModifierState("AltGraph")) return false;
  if (isForElement(event)) {
    const isField = target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
    if (event.key === "Escape" && isField) target.blur();
    return false;
  }
  if (onTimelineKey(event, player)) return true;
  const step = event.shiftKey ? 1 : event.altKey ? 0.01 : 0.1;
  switch (event.key) {
    case " ":
    case "k":
      player.toggle();
      return true;
    case "ArrowLeft":
      player.seek(player.time - step);
      return true;
    case "ArrowRight":
      player.seek(player.time + step);
      return true;
    case ",":
    case ".":
      if (topic) player.step(topic, event.key === ".");
      return true;
    case "j":
      player.seek(player.time - 10);
      return true;
    case "l":
      player.seek(player.time + 10);
      return true;
    case "Home":
      player.seek(0);
      return true;
    case "End":
      player.seek(player.bag.length);
      return true;
    case "+":
    case "-":
      player.setSpeed(nextSpeed(player.clock.speed, event.key === "+"));
      return true;
    case "/":
      search();
      return true;
  }
  return false;
}
