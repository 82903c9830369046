// The events of the bag, for the search in the head of the page.

import { instantText } from "../format";
import type { Source } from "../layout/find";
import type { Player } from "../player/player";
import { found } from "./events";

export function sourceOfEvents(player: Player): Source {
  return (typed, most) => {
    const word = typed.trim();
    if (!word) return [];
    return found(player.events.list, word)
      .slice(0, most)
      .map((event) => ({
        kind: "Event",
        text: event.label,
        note: instantText(player.origin, event.start, 1),
        open: () => player.seek(event.start),
      }));
  };
}
