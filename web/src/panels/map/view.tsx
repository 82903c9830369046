import { useEffect, useRef, useState } from "preact/hooks";

import { Age, Missing } from "../shared";
import type { PanelProps } from "../panel";
import { Drawing } from "./drawing";
import { metresText, positionText, type Fix } from "./geo";
import { topicsOfPlace } from "./panel";
import "./view.css";

export function MapView({ topic, topics, place, feed, set }: PanelProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawing = useRef<Drawing | null>(null);
  const [fixes, setFixes] = useState<(Fix | null)[]>([]);
  const [problem, setProblem] = useState("");
  const [pointer, setPointer] = useState("");
  const all = topicsOfPlace(place).filter((name) => topics.some((each) => each.topic === name));
  const names = all.join(",");
  useEffect(() => {
    setProblem("");
    const told = { setFixes, setProblem, setPointer };
    const made = new Drawing(canvas.current!, names.split(","), feed, told);
    drawing.current = made;
    return made.begin();
  }, [feed, names]);
  const message = feed.at(topic.topic);
  const remove = (name: string) => {
    const { more: _, ...others } = place.settings;
    const left = all.slice(1).filter((each) => each !== name);
    set({ settings: left.length ? { ...others, more: left.join(",") } : others });
  };
  return (
    <div class="map">
      <canvas
        ref={canvas}
        role="img"
        aria-label={`Map of ${all.join(", ")}`}
        data-time={message?.time}
      />
      <div class="legend">
        {all.map((name, i) => (
          <div key={name} data-topic={name}>
            <i style={{ background: `var(--series-${(i % 7) + 1})` }} />
            <span class="name">{name}</span>
            {i > 0 && (
              <button aria-label={`Remove ${name} from the map`} onClick={() => remove(name)}>
                ×
              </button>
            )}
            <span class="value">{fixText(fixes[i] ?? null)}</span>
          </div>
        ))}
        {problem && <p class="quiet">{problem}</p>}
      </div>
      {(!message || message.error) && <Missing topic={topic} feed={feed} message={message} />}
      <Age topic={topic} feed={feed} message={message} />
      {pointer && <output class="pointer">{pointer}</output>}
      <div class="buttons">
        <button aria-label="Smaller" onClick={() => drawing.current?.zoom(1 / 1.5)}>
          −
        </button>
        <button aria-label="Larger" onClick={() => drawing.current?.zoom(1.5)}>
          +
        </button>
        <button title="All of the track" onClick={() => drawing.current?.zoom(0)}>
          Fit
        </button>
      </div>
    </div>
  );
}

function fixText(fix: Fix | null): string {
  if (!fix) return "";
  if (!fix.hasFix) return fix.position ? "no fix" : "no position";
  const parts = [positionText(fix.position!)];
  if (fix.altitude !== null) parts.push(`${fix.altitude.toFixed(1)} m high`);
  if (fix.deviation !== null) parts.push(`± ${metresText(fix.deviation)}`);
  return parts.join("  ");
}
