// Play, the speed, and the instant that everything shows. The instant changes in each frame, so it
// is written into its element; the rest is drawn again if something of it has changed.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { Code } from "../code/view";
import {
  lengthText,
  momentText,
  numberText,
  setTimeStyle,
  timeStyle,
  type TimeStyle,
} from "../format";
import { SPEEDS } from "../player/keys";
import type { Player } from "../player/player";
import { isServed } from "../source/source";
import { beginEvent } from "./keys";

const STYLES: { style: TimeStyle; title: string }[] = [
  { style: "local", title: "local time" },
  { style: "utc", title: "UTC" },
  { style: "start", title: "since start" },
];

export function Controls({ player, children }: { player: Player; children: ComponentChildren }) {
  const clock = useRef<HTMLTimeElement>(null);
  const position = useRef<HTMLElement>(null);
  const [, redraw] = useState("");
  const state = stateOf(player);
  useEffect(() => {
    let written = "";
    return player.onFrameEnd(() => {
      const { time, origin } = player;
      const text = momentText(origin, time, player.bag.length);
      const key = `${text} ${time}`;
      if (key !== written) {
        clock.current!.textContent = text;
        position.current!.textContent = lengthText(time);
        position.current!.dataset.time = String(time);
      }
      written = key;
      const { isPlaying, speed } = player.clock;
      const skips = `${player.quiet.length} ${player.skipsQuiet}`;
      redraw(`${isPlaying} ${speed} ${stateOf(player).text} ${timeStyle()} ${skips}`);
    });
  }, [player]);
  const { isPlaying, speed } = player.clock;
  const speeds = SPEEDS.includes(speed) ? SPEEDS : [...SPEEDS, speed].sort((a, b) => a - b);
  return (
    <div class="controls">
      <button
        class="play"
        aria-label={isPlaying ? "Pause" : "Play"}
        title={isPlaying ? "Pause (Space)" : "Play (Space)"}
        onClick={() => player.toggle()}
      >
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d={isPlaying ? "M4 3h3v10H4zM9 3h3v10H9z" : "M4 2.5v11l9-5.5z"} />
        </svg>
      </button>
      <select
        class="speed"
        title="Speed (+ −)"
        aria-label="Speed"
        value={String(speed)}
        onChange={(event) => {
          player.setSpeed(Number(event.currentTarget.value));
          event.currentTarget.blur(); // the keys are the player's again
        }}
      >
        {speeds.map((each) => (
          <option key={each} value={String(each)}>
            {numberText(each)}×
          </option>
        ))}
      </select>
      {player.quiet.length > 0 && (
        <button
          class="plain skips"
          aria-pressed={player.skipsQuiet}
          aria-label="Skip gaps"
          title="Leave out long gaps while playing (G)"
          onClick={() => player.setSkipsQuiet(!player.skipsQuiet)}
        >
          <i aria-hidden="true">⇥</i> <span>Skip gaps</span>
        </button>
      )}
      <time class="clock" ref={clock} />
      <select
        class="style"
        title="How times are shown"
        aria-label="Times"
        value={timeStyle()}
        onChange={(event) => {
          setTimeStyle(event.currentTarget.value as TimeStyle);
          event.currentTarget.blur();
        }}
      >
        {STYLES.map(({ style, title }) => (
          <option key={style} value={style}>
            {title}
          </option>
        ))}
      </select>
      <span class="position">
        +<b ref={position} />
        <span> / {lengthText(player.bag.length)}</span>
      </span>
      <span class={`state ${state.kind}`} role="status" data-state={state.kind}>
        {state.text}
      </span>
      <div class="right">
        {isServed(player.bag.name) && (
          <Code
            title="what the timeline shows"
            bag={player.bag}
            asks={() => {
              const { start, end } = player.view;
              return [{ topic: "", fields: [], start, end: end + 1e-9 }]; // the last one, too
            }}
          />
        )}
        {children}
        {isServed(player.bag.name) && (
          <button
            class="plain"
            title="Note an event here (M)"
            aria-label="Event"
            onClick={() => beginEvent(player)}
          >
            <i aria-hidden="true">◆</i> <span>Event</span>
          </button>
        )}
      </div>
    </div>
  );
}

function stateOf(player: Player): { kind: string; text: string } {
  const { problem, isLoading, clock } = player;
  if (problem) return { kind: "problem", text: `${sentence(problem)}, trying again …` };
  if (player.strips.problem) {
    return { kind: "problem", text: `${sentence(player.strips.problem)}, trying again …` };
  }
  if (!isLoading) return { kind: "", text: "" };
  return clock.isPlaying
    ? { kind: "buffering", text: "Buffering …" }
    : { kind: "loading", text: "Loading …" };
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
