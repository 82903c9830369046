import { useEffect, useId, useMemo, useState } from "preact/hooks";

import { numberText, rateText } from "../../format";
import { hasTransforms, TransformFeed } from "../../player/transform_feed";
import { frameName, type Found } from "../../player/transforms";
import { Pace } from "../pace";
import type { PanelProps } from "../panel";
import { lookUp, Publishers, rollPitchYaw, treeOf } from "./frames";
import type { Answer, Published, Row } from "./frames";
import "./view.css";

const MOST_ROWS = 1000;

interface Shown {
  time: number;
  rows: Row[];
  published: Map<string, Published>;
  answer: Answer | null;
  of: string;
  into: string;
}

export function TransformsView({ topics, feed, place, set }: PanelProps) {
  const { settings } = place;
  const [shown, setShown] = useState<Shown | null>(null);
  const list = useId();
  const hasAny = topics.some(hasTransforms);
  const reader = useMemo(
    () => ({ all: new TransformFeed(feed, topics), publishers: new Publishers(feed, topics) }),
    [feed, topics],
  );
  useEffect(() => {
    let last = "";
    const pace = new Pace();
    return feed.onFrame(() => {
      const transforms = reader.all.update();
      const published = reader.publishers.update();
      const { time } = feed;
      const key = `${time} ${transforms.version}`;
      if (!pace.isDue(time, performance.now()) || key === last) return;
      last = key;
      const stamp = transforms.stampAt(time);
      const rows = treeOf(transforms, stamp);
      const of = frameName(settings.of) || (rows.at(-1)?.frame ?? "");
      const into = frameName(settings.in) || (of ? transforms.rootOf(of, stamp) : "");
      const since = feed.covered.start;
      const answer = of && into ? lookUp(transforms, of, into, stamp, since) : null;
      setShown({ time, rows, published: new Map(published), answer, of, into });
    });
  }, [feed, reader, settings]);
  if (!hasAny) return <p class="missing">The bag has no topic with transforms</p>;
  if (!shown?.rows.length) {
    return <p class="missing">{feed.isLoading ? "Loading …" : "No transform yet at this time"}</p>;
  }
  const choose = (change: Record<string, string>) => set({ settings: { ...settings, ...change } });
  const frame = (name: "of" | "in", text: string, value: string) => (
    <label>
      {text}
      <FrameInput
        label={name === "of" ? "Frame" : "In the frame"}
        list={list}
        value={value}
        choose={(typed) => choose({ [name]: typed })}
      />
    </label>
  );
  return (
    <div class="tf" data-time={shown.time}>
      <datalist id={list}>
        {shown.rows.slice(0, MOST_ROWS).map((row) => (
          <option key={row.frame} value={row.frame} />
        ))}
      </datalist>
      <div class="tools">
        {frame("of", "Pose of", shown.of)}
        {frame("in", "in", shown.into)}
        <button
          title="The other way round"
          aria-label="The other way round"
          onClick={() => choose({ of: shown.into, in: shown.of })}
        >
          ⇄
        </button>
      </div>
      {shown.answer && <Pose answer={shown.answer} />}
      <table>
        <thead>
          <tr>
            <th>frame</th>
            <th>parent</th>
            <th class="number">rate</th>
            <th class="number">age</th>
            <th class="topic">topic</th>
          </tr>
        </thead>
        <tbody>
          {shown.rows.slice(0, MOST_ROWS).map((row) => (
            <FrameRow
              key={row.frame}
              row={row}
              published={shown.published.get(row.frame)}
              time={shown.time}
              isChosen={row.frame === shown.of || row.frame === shown.into}
              choose={() => choose({ of: row.frame })}
            />
          ))}
        </tbody>
      </table>
      {shown.rows.length > MOST_ROWS && (
        <p class="missing">… and {shown.rows.length - MOST_ROWS} frames more</p>
      )}
    </div>
  );
}

function Pose({ answer: { found, notes } }: { answer: Answer }) {
  return (
    <div class="pose">
      {found && <Numbers found={found} />}
      {notes.map((note) => (
        <p key={note} class={found ? "note" : "why"}>
          {note}
        </p>
      ))}
    </div>
  );
}

function Numbers({ found: { transform } }: { found: Found }) {
  const { translation, rotation } = transform;
  const angles = rollPitchYaw(rotation);
  const turns: [string, number][] = [
    ["roll", angles[0]],
    ["pitch", angles[1]],
    ["yaw", angles[2]],
  ];
  const line = (name: string, values: [string, number][], digits: number, unit: string) => (
    <tr>
      <th>
        {name} {unit}
      </th>
      {values.map(([label, value]) => (
        <td key={label}>
          <span class="quiet">{label}</span>
          <span data-value={`${name} ${label}`}>{fixed(value, digits)}</span>
        </td>
      ))}
    </tr>
  );
  const named = (names: string, values: number[]) =>
    [...names].map((name, i): [string, number] => [name, values[i]!]);
  return (
    <table>
      <tbody>
        {line("translation", named("xyz", translation), 4, "m")}
        {line("angles", turns, 2, "°")}
        {line("quaternion", named("xyzw", rotation), 5, "")}
      </tbody>
    </table>
  );
}

/** Without a sign before zero. */
function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? (0).toFixed(digits) : text;
}

interface FrameInputProps {
  label: string;
  list: string;
  value: string;
  choose(typed: string): void;
}

/** What is typed stays while the view is drawn again, until it is chosen or left. */
function FrameInput({ label, list, value, choose }: FrameInputProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <input
      list={list}
      value={typed ?? value}
      spellcheck={false}
      aria-label={label}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onChange={(event) => {
        choose(event.currentTarget.value.trim());
        setTyped(null);
      }}
      onBlur={() => setTyped(null)}
    />
  );
}

interface FrameRowProps {
  row: Row;
  published: Published | undefined;
  time: number;
  isChosen: boolean;
  choose(): void;
}

function FrameRow({ row, published, time, isChosen, choose }: FrameRowProps) {
  const age = published ? time - published.time : null;
  const isStale = !!published?.rate && age! > 5 / published.rate;
  return (
    <tr class={isChosen ? "chosen" : ""} data-frame={row.frame}>
      <td>
        <button
          class="frame"
          style={{ paddingLeft: `${Math.min(row.depth, 20) * 12}px` }}
          title={`Pose of ${row.frame}`}
          onClick={choose}
        >
          {row.frame}
        </button>
        {row.problem && <span class="problem">{row.problem}</span>}
      </td>
      <td class="parent">{row.parent}</td>
      <td class="number">{published?.isStatic ? "static" : rateText(published?.rate)}</td>
      <td class={isStale ? "number stale" : "number"}>
        {age === null || published!.isStatic ? "" : `${numberText(Number(age.toFixed(2)))} s`}
      </td>
      <td class="topic">{published?.topic}</td>
    </tr>
  );
}
