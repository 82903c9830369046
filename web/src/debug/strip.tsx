// The debug strip (Ctrl-Alt-D): what the page does and holds, in a line below the timeline. Its
// numbers are data attributes, too, for tests.

import { useEffect, useRef, useState } from "preact/hooks";

import { requestsUnderWay } from "../api";
import { sizeText } from "../format";
import type { Player } from "../player/player";
import { FrameMeter } from "./meter";
import "./strip.css";

/** Numbers that change faster cannot be read. */
const PERIOD_MS = 250;

/** Chromium alone tells it. */
function heapBytes(): number | undefined {
  const { memory } = performance as { memory?: { usedJSHeapSize: number } };
  return memory?.usedJSHeapSize;
}

/** Whether it is shown: Ctrl-Alt-D. */
export function useDebugStrip(): boolean {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // Where AltGr is Ctrl and Alt, or Alt writes another letter, the key is still that of D.
      if (!event.ctrlKey || !event.altKey || event.code !== "KeyD") return;
      event.preventDefault();
      setShown((was) => !was);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  return isShown;
}

interface Figure {
  name: string;
  title: string;
  value: number;
  text: string;
}

function figuresOf(player: Player, meter: FrameMeter): Figure[] {
  const { perSecond, median, worst, dropped } = meter.frames;
  const { messages, bytes } = player.store;
  const requests = requestsUnderWay() + (player.isReading ? 1 : 0);
  const heap = heapBytes();
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const figures: Figure[] = [
    { name: "frames", title: "frames/s", value: perSecond, text: perSecond.toFixed(0) },
    { name: "median", title: "main thread", value: median, text: ms(median) },
    { name: "worst", title: "at most", value: worst, text: ms(worst) },
    { name: "dropped", title: "frames dropped", value: dropped, text: String(dropped) },
    { name: "messages", title: "messages", value: messages, text: messages.toLocaleString("en") },
    { name: "bytes", title: "of payload", value: bytes, text: sizeText(bytes) },
    { name: "requests", title: "requests", value: requests, text: String(requests) },
    { name: "decode", title: "decoding", value: player.decodeMs, text: ms(player.decodeMs) },
  ];
  if (heap !== undefined) {
    figures.push({ name: "heap", title: "heap", value: heap, text: sizeText(heap) });
  }
  return figures;
}

export function DebugStrip({ player }: { player: Player }) {
  const meter = useRef(new FrameMeter()).current;
  const [figures, setFigures] = useState<Figure[]>([]);
  useEffect(() => {
    player.meter = meter;
    const show = () => setFigures(figuresOf(player, meter));
    const timer = setInterval(show, PERIOD_MS);
    return () => {
      player.meter = null;
      clearInterval(timer);
    };
  }, [player]);
  return (
    <dl class="debug" aria-label="What the page costs">
      {figures.map(({ name, title, value, text }) => (
        <div key={name} data-figure={name} data-value={value}>
          <dt>{title}</dt> <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
