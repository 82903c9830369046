// Names the event that is being noted, beside the controls: nothing opens over the page.

import { useEffect, useState } from "preact/hooks";

import { instantText } from "../format";
import type { Player } from "../player/player";

/** The server takes no longer one, in bytes. */
const MOST_BYTES = 256;

export function EventForm({ player }: { player: Player }) {
  const { events, origin } = player;
  const [, redraw] = useState(0);
  useEffect(() => events.onChange(() => redraw((count) => count + 1)), [events]);
  const { draft, problem } = events;
  if (!draft) {
    return problem ? (
      <span class="problem" role="alert">
        {problem}
      </span>
    ) : null;
  }
  const when = [draft.start, ...(draft.end === null ? [] : [draft.end])];
  return (
    <form
      class="event"
      onSubmit={(event) => {
        event.preventDefault();
        const label = new FormData(event.currentTarget).get("label") as string;
        if (label.trim()) void events.add(label.trim());
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") events.begin(null);
      }}
    >
      <label for="event">
        <i aria-hidden="true">◆</i> {when.map((time) => instantText(origin, time)).join(" – ")}
      </label>
      <input
        id="event"
        name="label"
        autocomplete="off"
        placeholder="What happens here?"
        maxLength={MOST_BYTES}
        ref={focus}
      />
      <button class="plain">Add</button>
      <button class="plain" type="button" onClick={() => events.begin(null)}>
        Cancel
      </button>
      {problem && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </form>
  );
}

const focus = (input: HTMLInputElement | null) => input?.focus();
