import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { lengthText } from "../../format";
import type { Range } from "../../player/feed";
import { stateFieldsIn, type StateField } from "../../player/state_fields";
import type { PanelProps } from "../panel";
import { Bar, colourName } from "./bar";
import { entriesOf, textOf, topicsOf, type Entry } from "./entries";
import { colourOf, nameOf } from "./labels";
import {
  changeFrom,
  changesOf,
  segmentsOf,
  seriesSegments,
  stateAt,
  type Segment,
  type State,
} from "./segments";
import { ticks } from "./ticks";
import "./view.css";

const MOST_ROWS = 50;
/** More messages than these are asked of the server, in parts. */
const MOST_MESSAGES = 20_000;
const PIXELS_PER_PART = 2;
/** Of series that are asked for at once: the server gives no more. */
const MOST_SERIES = 16;
/** A view that moves is not asked for until it rests, in ms. */
const REST_MS = 150;

interface Known {
  segments: Segment[];
  /** undefined: all of the view is known. */
  loaded: Range | undefined;
  problem?: string;
}

const keyOf = ({ topic, path }: Entry) => `${topic} ${path}`;
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

export function StatesView({ place, topic, topics, feed, set }: PanelProps) {
  const sheet = useRef<HTMLDivElement>(null);
  const cursor = useRef<HTMLDivElement>(null);
  const [known, setKnown] = useState<ReadonlyMap<string, Known>>(new Map());
  const [now, setNow] = useState<(State | undefined)[]>([]);
  const [look, setLook] = useState({ start: 0, end: 1, width: 0, scheme: "" });
  const [guessed, setGuessed] = useState<Record<string, StateField[]>>({});
  const read = topicsOf(place);
  const fieldsByTopic = useMemo(() => {
    const fields = new Map<string, StateField[]>();
    for (const each of read) {
      const found = topics.find((one) => one.topic === each);
      const own = found ? feed.stateFields(found) : [];
      fields.set(each, own.length ? own : (guessed[each] ?? []));
    }
    return fields;
  }, [feed, topics, read.join("\n"), guessed]);
  const fieldsOf = (name: string) => fieldsByTopic.get(name) ?? [];
  const entries = entriesOf(place, fieldsOf).slice(0, MOST_ROWS);
  const rows = entries.map((entry) => ({
    entry,
    field: fieldsOf(entry.topic).find((each) => each.path === entry.path),
  }));
  const shown = rows.map(({ entry, field }) => `${keyOf(entry)} ${field?.kind}`).join("\n");

  useEffect(() => {
    let isOver = false;
    let seen = "";
    let restsSince = 0;
    const asked = new Map<string, string>();
    const put = (key: string, what: Known) => {
      if (!isOver) setKnown((old) => new Map(old).set(key, what));
    };
    const load = (isResting: boolean, width: number) => {
      const { view, covered } = feed;
      const range = { ...view };
      const isHeld = range.start >= covered.start && range.end <= covered.end;
      const wanted = new Map<string, Entry[]>();
      for (const { entry, field } of rows) {
        const key = keyOf(entry);
        const isText = field === undefined || field.kind === "text";
        const isExact = isHeld || isText;
        const part = isHeld ? "" : `${Math.floor(covered.start * 2)} ${covered.end}`;
        const ask = `${range.start} ${range.end} ${isExact ? part : `series ${width}`}`;
        if (asked.get(key) === ask) continue;
        if (isExact) {
          const until = Math.min(range.end, covered.end);
          const messages = feed.between(entry.topic, -1, until);
          if (messages.length <= MOST_MESSAGES || isText) {
            asked.set(key, ask);
            const segments = segmentsOf(messages.slice(-MOST_MESSAGES), entry.path, until);
            const loaded = isHeld ? undefined : { start: covered.start, end: covered.end };
            put(key, { segments, loaded });
            continue;
          }
        }
        if (!isResting) continue;
        asked.set(key, ask);
        wanted.set(entry.topic, [...(wanted.get(entry.topic) ?? []), entry]);
      }
      for (const [name, some] of wanted) {
        for (let i = 0; i < some.length; i += MOST_SERIES) {
          const group = some.slice(i, i + MOST_SERIES);
          const isCurrent = (each: Entry, ask: string | undefined) =>
            asked.get(keyOf(each)) === ask;
          const asks = group.map((each) => asked.get(keyOf(each)));
          const parts = Math.max(10, Math.floor(width / PIXELS_PER_PART));
          feed.series(name, group.map((each) => each.path), range, parts).then(
            (answer) =>
              group.forEach((each, at) => {
                const series = answer.series.find((one) => one.field === each.path);
                if (!series || !isCurrent(each, asks[at])) return;
                const segments = seriesSegments(answer, series, feed.origin, range.end);
                put(keyOf(each), { segments, loaded: undefined });
              }),
            (error: Error) =>
              group.forEach((each, at) => {
                if (!isCurrent(each, asks[at])) return;
                put(keyOf(each), { segments: [], loaded: undefined, problem: error.message });
              }),
          );
        }
      }
    };
    const end = feed.onFrame(() => {
      const width = sheet.current?.clientWidth ?? 0;
      const { view, time, covered } = feed;
      if (cursor.current) {
        const part = (time - view.start) / (view.end - view.start);
        cursor.current.hidden = part < 0 || part > 1;
        cursor.current.style.transform = `translateX(${part * width}px)`;
      }
      const scheme = String(matchMedia("(prefers-color-scheme: dark)").matches);
      const next = { ...view, width, scheme };
      const wall = performance.now();
      if (!same(next, seen ? JSON.parse(seen) : null)) {
        seen = JSON.stringify(next);
        restsSince = wall;
        setLook(next);
      }
      if (time > covered.end || width === 0) return; // what is held is of another instant
      for (const name of read) {
        if (fieldsByTopic.get(name)?.length || name in guessed) continue;
        const found = feed.at(name)?.value;
        if (found !== undefined) setGuessed((old) => ({ ...old, [name]: stateFieldsIn(found) }));
      }
      const states = rows.map(({ entry }) => stateAt(feed.at(entry.topic)?.value, entry.path));
      setNow((old) => (same(old, states) ? old : states));
      load(wall - restsSince >= REST_MS, width);
    });
    return () => {
      isOver = true;
      end();
    };
  }, [feed, shown, fieldsByTopic]);

  const remove = (entry: Entry) => {
    const left = entries.filter((each) => keyOf(each) !== keyOf(entry));
    set({ fields: left.map((each) => textOf(place, each)) });
  };
  const add = (text: string) =>
    set({ fields: [...entries.map((each) => textOf(place, each)), text] });
  const taken = new Set(entries.map(keyOf));
  const left = read.flatMap((name) =>
    fieldsOf(name)
      .map(({ path }) => ({ topic: name, path }))
      .filter((each) => !taken.has(keyOf(each))),
  );
  const tellsTopic = read.length > 1;
  const seek = (time: number) => feed.seek(Math.max(0, time));
  return (
    <div class="states">
      {left.length > 0 && (
        <div class="tools">
          <select
            aria-label="Add a field"
            value=""
            onChange={(event) => add(event.currentTarget.value)}
          >
            <option value="">+ field</option>
            {left.map((each) => (
              <option key={keyOf(each)} value={textOf(place, each)}>
                {tellsTopic ? keyOf(each) : each.path}
              </option>
            ))}
          </select>
        </div>
      )}
      {entries.length === 0 && (
        <p class="missing">
          {topic.messages === 0
            ? "The bag has no message of this topic"
            : "Messages of this topic have no enumeration, flag, integer or text"}
        </p>
      )}
      <div class="lanes">
        <div class="sheet" ref={sheet}>
          {rows.map(({ entry, field }, i) => {
            const of = known.get(keyOf(entry));
            const segments = of?.segments ?? [];
            const count = changesOf(segments).length;
            const isLeast = of?.loaded || segments.some((each) => each.state === null);
            const changes = `${isLeast ? "≥ " : ""}${count} ${count === 1 ? "change" : "changes"}`;
            const state = now[i];
            const name = nameOf(field, state);
            const label = tellsTopic ? keyOf(entry) : entry.path;
            const jump = (isForward: boolean) => {
              const to = changeFrom(segments, feed.time, isForward);
              if (to !== undefined) seek(to);
            };
            return (
              <div class="lane" key={keyOf(entry)} data-field={entry.path} data-topic={entry.topic}>
                <div class="about">
                  <span class="field" title={keyOf(entry)}>
                    {label}
                  </span>
                  <b class="state-now" title={name}>
                    {state !== undefined && (
                      <i style={{ background: `var(${colourName(colourOf(field, state))})` }} />
                    )}
                    {name}
                  </b>
                  <span class="quiet count">{changes}</span>
                  <button
                    aria-label={`To the change of ${entry.path} before`}
                    title="To the change before"
                    onClick={() => jump(false)}
                  >
                    ‹
                  </button>
                  <button
                    aria-label={`To the next change of ${entry.path}`}
                    title="To the next change"
                    onClick={() => jump(true)}
                  >
                    ›
                  </button>
                  <button
                    aria-label={`Remove ${entry.path}`}
                    title="Remove"
                    disabled={entries.length === 1}
                    onClick={() => remove(entry)}
                  >
                    ×
                  </button>
                </div>
                {of?.problem && <p class="missing">{of.problem}</p>}
                <Bar
                  label={`${label}: now ${name}, ${changes}`}
                  segments={segments}
                  loaded={of?.loaded}
                  view={look}
                  width={look.width}
                  scheme={look.scheme}
                  nameOf={(each) => nameOf(field, each)}
                  colourOf={(each) => colourOf(field, each)}
                  seek={seek}
                />
              </div>
            );
          })}
          {entries.length > 0 && look.width > 0 && (
            <div class="axis" aria-hidden="true">
              {ticks(look, look.width).map(({ time, digits }) => (
                <span
                  key={time}
                  style={{ left: `${((time - look.start) / (look.end - look.start)) * 100}%` }}
                >
                  {lengthText(time, digits)}
                </span>
              ))}
            </div>
          )}
          <div class="cursor" ref={cursor} />
        </div>
      </div>
    </div>
  );
}
