// Gives a topic a row in the timeline, or takes it away.

import { useEffect, useState } from "preact/hooks";

import type { Player } from "../player/player";

export function Pin({ player, topic }: { player: Player; topic: string }) {
  const { pins } = player;
  const [isPinned, setPinned] = useState(pins.has(topic));
  useEffect(() => pins.onChange(() => setPinned(pins.has(topic))), [pins, topic]);
  return (
    <button
      class="pin"
      aria-pressed={isPinned}
      aria-label={`${topic} in the timeline`}
      title="A row of its own in the timeline"
      onClick={() => pins.toggle(topic)}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d="M1 4h14v2H1zM1 10h4v2H1zM7 10h2v2H7zM11 10h4v2h-4z" />
      </svg>
    </button>
  );
}
