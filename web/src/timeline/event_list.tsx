// The events of the bag, below its topics: a click seeks, and each can be renamed and deleted.

import { useEffect, useState } from "preact/hooks";

import { instantText, timeStyle } from "../format";
import type { Player } from "../player/player";
import type { BagEvent } from "./events";

/** More than this make no list; the search finds the others. */
const MOST_SHOWN = 200;

export function EventList({ player }: { player: Player }) {
  const { events } = player;
  const [, redraw] = useState("");
  useEffect(() => player.onFrame(() => redraw(`${events.version} ${timeStyle()}`)), [player]);
  const { list } = events;
  if (!list.length) return null;
  return (
    <section class="events" aria-label="Events">
      <h2 class="quiet">Events {list.length}</h2>
      <ul>
        {list.slice(0, MOST_SHOWN).map((each) => (
          <Entry key={`${each.start} ${each.label}`} event={each} player={player} />
        ))}
      </ul>
      {list.length > MOST_SHOWN && (
        <p class="quiet">{list.length - MOST_SHOWN} more; search for them</p>
      )}
    </section>
  );
}

function Entry({ event, player }: { event: BagEvent; player: Player }) {
  const [isEdited, setEdited] = useState(false);
  const { events, origin } = player;
  if (isEdited) {
    return (
      <li>
        <input
          aria-label="Name of the event"
          defaultValue={event.label}
          ref={select}
          onKeyDown={(press) => {
            const label = press.currentTarget.value.trim();
            if (press.key === "Enter" && label) void events.rename(event, label);
            if (press.key === "Enter" || press.key === "Escape") setEdited(false);
          }}
          onBlur={() => setEdited(false)}
        />
      </li>
    );
  }
  const seek = () => {
    player.seek(event.start);
    if (event.end !== null) player.setMarks({ ...player.marks, a: event.start, b: event.end });
  };
  return (
    <li>
      <button title={titleOf(event)} data-time={event.start} onClick={seek}>
        <i aria-hidden="true">◆</i>
        <time>{instantText(origin, event.start, 1)}</time>
        <span>{event.label}</span>
      </button>
      <button class="small" aria-label={`Rename ${event.label}`} onClick={() => setEdited(true)}>
        ✎
      </button>
      <button
        class="small"
        aria-label={`Delete ${event.label}`}
        onClick={() => void events.remove(event)}
      >
        ×
      </button>
    </li>
  );
}

function titleOf({ description, label, bag }: BagEvent): string {
  const text = description || label;
  return bag === undefined ? text : `${text} (in ${bag})`;
}

const select = (input: HTMLInputElement | null) => input?.select();
