// What stands left of the strips: how to look closer, and what each row is, with its numbers.

import { numberText, rateText } from "../format";
import type { Player } from "../player/player";
import { longestDelay } from "./stamps";
import { isWhole } from "./zoom";

const ZOOM = 2;

export function Labels({ player }: { player: Player }) {
  const { pins, view, bag, strips } = player;
  const damage = [...new Set([...strips.damage, ...player.damage.map(({ what }) => what)])];
  const middle = () => {
    const { time } = player;
    const isSeen = time >= player.view.start && time <= player.view.end;
    return isSeen ? time : (player.view.start + player.view.end) / 2;
  };
  return (
    <div class="labels">
      <div class="zoom">
        <span class="quiet">
          All topics
          {damage.length > 0 && (
            <span class="mark" title={damage.join("\n")}>
              damaged
            </span>
          )}
        </span>
        <button aria-label="Zoom in" onClick={() => player.zoom(1 / ZOOM, middle())}>
          +
        </button>
        <button
          aria-label="Zoom out"
          disabled={isWhole(view, bag.length)}
          onClick={() => player.zoom(ZOOM, middle())}
        >
          −
        </button>
        <button
          class="whole"
          disabled={isWhole(view, bag.length)}
          onClick={() => player.showWhole()}
        >
          Whole
        </button>
      </div>
      {pins.list.map((topic) => (
        <Label key={topic} player={player} topic={topic} />
      ))}
    </div>
  );
}

function Label({ player, topic }: { player: Player; topic: string }) {
  const { strips, view } = player;
  const strip = strips.byTopic.get(topic);
  const stamps = strips.stampsOf(topic, view);
  const delay = stamps ? longestDelay(stamps) : null;
  const drops = stamps?.drops.reduce((sum, each) => sum + each.count, 0) ?? 0;
  const gaps = strip?.gaps.length ?? 0;
  const numbers = [
    strip?.period ? rateText(1 / strip.period) : "",
    gaps ? `${gaps}${strip!.hasMoreGaps ? "+" : ""} ${gaps === 1 ? "gap" : "gaps"}` : "",
    drops ? `${drops} lost` : "",
    delay !== null ? `delay ≤ ${delayText(delay)}` : "",
  ].filter((each) => each);
  return (
    <div
      class="label"
      data-row={topic}
      data-gaps={gaps}
      data-lost={stamps ? drops : undefined}
      data-delay={delay ?? undefined}
      title={`${topic}: ${numbers.join(", ")}`}
    >
      <span class="name">{topic}</span>
      <span class="quiet">{numbers.join(" · ")}</span>
      <button
        aria-label={`Remove the row of ${topic}`}
        title="Remove this row"
        onClick={() => player.pins.toggle(topic)}
      >
        ×
      </button>
    </div>
  );
}

function delayText(seconds: number): string {
  const ms = seconds * 1000;
  return ms < 1000 ? `${numberText(Number(ms.toPrecision(2)))} ms` : `${seconds.toFixed(1)} s`;
}
