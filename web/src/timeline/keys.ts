// The keys of the timeline: A and B, the loop between them, gaps, and events.

import type { Player } from "../player/player";
import { NO_MARKS, rangeOf, withA, withB } from "./marks";

/** Does what a key says; returns whether it says something. */
export function onTimelineKey(event: KeyboardEvent, player: Player): boolean {
  const { marks, time } = player;
  switch (event.key) {
    case "[":
      player.setMarks(withA(marks, time));
      return true;
    case "]":
      player.setMarks(withB(marks, time));
      return true;
    case "\\":
      player.setMarks({ ...marks, isLooping: !marks.isLooping });
      return true;
    case "g":
      player.setSkipsQuiet(!player.skipsQuiet);
      return true;
    case "m":
      beginEvent(player);
      return true;
    case "Escape":
      if (player.events.draft) player.events.begin(null);
      else player.setMarks(NO_MARKS);
      return true;
  }
  return false;
}

/** An event of the marked range, or else of this instant. */
export function beginEvent(player: Player): void {
  const range = rangeOf(player.marks, player.bag.length);
  player.events.begin(range ?? { start: player.time, end: null });
}
