// The timeline below the panels: what plays, the strips, and the range that is marked.

import { useEffect, useState } from "preact/hooks";

import { timeStyle } from "../format";
import type { Player } from "../player/player";
import { Controls } from "./controls";
import { EventForm } from "./event_form";
import { RangeBar } from "./range_bar";
import { Strip } from "./strip";
import "./timeline.css";

export function Timeline({ player }: { player: Player }) {
  const [, redraw] = useState("");
  useEffect(
    () =>
      player.onFrame(() => {
        const { a, b, isLooping } = player.marks;
        redraw(`${a} ${b} ${isLooping} ${timeStyle()} ${player.topicsShown.length}`);
      }),
    [player],
  );
  return (
    <footer class="timeline">
      <Controls player={player}>
        <EventForm player={player} />
        <RangeBar player={player} />
      </Controls>
      <Strip player={player} />
    </footer>
  );
}
