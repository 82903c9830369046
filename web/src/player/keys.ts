// The keys of a player. Each does what it does in players and editors that people know.

import type { Player } from "./player";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20];

/** The next speed in a list that people expect. */
export function nextSpeed(speed: number, up: boolean): number {
  const faster = SPEEDS.find((each) => each > speed + 1e-9);
  const slower = SPEEDS.findLast((each) => each < speed - 1e-9);
  return (up ? faster : slower) ?? speed;
}

/** Does what a key says; returns whether it says something. `topic` is the focused one. */
export function onKey(
  event: KeyboardEvent,
  player: Player,
  topic: string | undefined,
  search: () => void,
): boolean {
  const { target } = event;
  if (event.ctrlKey || event.metaKey) return false;
  if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement) {
    if (event.key === "Escape") target.blur();
    return false;
  }
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
