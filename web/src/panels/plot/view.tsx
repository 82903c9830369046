import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import "./view.css";
import { numberText } from "../../format";
import { elementPaths } from "../../decode/type";
import type { PanelProps } from "../panel";
import { choiceOf } from "./data";
import { Drawing, type Shown } from "./drawing";
import { entryOf, linesOf, toggled, type Line } from "./lines";
import { unitPerSecond } from "./units";

export function PlotView({ place, topics, feed, set }: PanelProps) {
  const host = useRef<HTMLDivElement>(null);
  const drawing = useRef<Drawing | null>(null);
  const [shown, setShown] = useState<Shown>({ values: [], problem: "" });
  const key = JSON.stringify([place.topic, place.fields, place.settings]);
  const lines = useMemo(
    () => linesOf(place, topics, (topic) => feed.numbers(topic)),
    [key, topics, feed],
  );
  const choice = useMemo(() => choiceOf(place.settings), [key]);
  const change = (settings: Record<string, string>) => {
    set({ settings: { ...place.settings, ...settings } });
  };
  const zoom = useRef(change);
  zoom.current = change;
  useEffect(() => {
    const made = new Drawing(host.current!, feed, setShown, (range) => zoom.current(range));
    drawing.current = made;
    return made.begin();
  }, [feed]);
  useEffect(() => drawing.current!.show(lines, choice), [lines, choice, feed]);
  const remove = (entry: string) => {
    set({ fields: place.fields.filter((each) => each !== entry) });
  };
  return (
    <div class="plot">
      <div class="tools legend" role="group" aria-label="Lines of the plot">
        {lines.map((line, i) => (
          <Entry
            key={`${line.topic} ${line.path}`}
            line={line}
            place={place.topic}
            isAcross={choice.isXy && i === lines.findIndex((each) => !each.isHidden)}
            unit={choice.isDerivative ? unitPerSecond(line.unit) : line.unit}
            value={shown.values[i] ?? null}
            toggle={() => change({ hidden: toggled(place.settings.hidden ?? "", line.entry) })}
            remove={() => remove(line.entry)}
          />
        ))}
        <Fields
          {...{ place, topics, feed }}
          add={(entry) => set({ fields: [...place.fields, entry] })}
        />
      </div>
      {!lines.length && (
        <p class="missing">
          {feed.numbers(place.topic).length
            ? "Choose a field, or drop one here"
            : "Messages of this type have no numbers to plot"}
        </p>
      )}
      {shown.problem && <p class="missing">{shown.problem}</p>}
      <div
        class="canvas"
        ref={host}
        role="img"
        aria-label={`Plot of ${lines.map((line) => line.path).join(", ")}`}
      />
    </div>
  );
}

interface EntryProps {
  line: Line;
  /** The topic of the place, which need not be said. */
  place: string;
  /** The others are plotted against it. */
  isAcross: boolean;
  unit: string;
  value: number | null;
  toggle(): void;
  remove(): void;
}

function Entry({ line, place, isAcross, unit, value, toggle, remove }: EntryProps) {
  const { topic, path, colour, isHidden } = line;
  const name = topic === place ? shortName(path) : `${topic} ${shortName(path)}`;
  return (
    <div class="line">
      <button
        class="series"
        aria-pressed={!isHidden}
        title={`${topic} ${path}: ${isHidden ? "show" : "hide"}; Delete removes it`}
        data-field={topic === place ? path : `${topic} ${path}`}
        onClick={toggle}
        onKeyDown={(event) => {
          if (event.key !== "Delete" && event.key !== "Backspace") return;
          event.preventDefault();
          event.stopPropagation();
          remove();
        }}
      >
        <i style={{ background: `var(--series-${colour})` }} />
        <span>{isAcross ? `→ ${name}` : name}</span>
        <b>{value === null ? "–" : numberText(value)}</b>
        {unit && <em>{unit}</em>}
      </button>
      <button class="remove" aria-label={`Remove ${name}`} title="Remove" onClick={remove}>
        ×
      </button>
    </div>
  );
}

/** More are no longer a list that one could choose from. */
const MOST_OPTIONS = 600;

/** Numbers of the topic, and of the others once somebody looks: their definitions take time. */
function Fields({
  place,
  topics,
  feed,
  add,
}: Pick<PanelProps, "place" | "topics" | "feed"> & { add(entry: string): void }) {
  const [isOpen, setOpen] = useState(false);
  const groups = useMemo(() => {
    const own = topics.filter((each) => each.topic === place.topic);
    const others = isOpen ? topics.filter((each) => each.topic !== place.topic) : [];
    let left = MOST_OPTIONS;
    return [...own, ...others].map(({ topic }) => {
      const elements = isOpen ? elementPaths(feed.at(topic)?.value) : [];
      const paths = [...feed.numbers(topic).map(({ path }) => path), ...elements].slice(0, left);
      left -= paths.length;
      const entries = paths.map((path) => ({ path, entry: entryOf(place, topic, path) }));
      return { topic, entries: entries.filter((each) => !place.fields.includes(each.entry)) };
    });
  }, [topics, feed, place.topic, place.fields, isOpen]);
  return (
    <select
      aria-label="Add a field"
      value=""
      onFocus={() => setOpen(true)}
      onPointerDown={() => setOpen(true)}
      onChange={(event) => add(event.currentTarget.value)}
    >
      <option value="">+ field</option>
      {groups
        .filter((group) => group.entries.length > 0)
        .map((group) => (
          <optgroup key={group.topic} label={group.topic}>
            {group.entries.map(({ path, entry }) => (
              <option key={entry} value={entry}>
                {path}
              </option>
            ))}
          </optgroup>
        ))}
    </select>
  );
}

/** "position.x" of "pose.pose.position.x". */
function shortName(path: string): string {
  return path.split(".").slice(-2).join(".");
}
