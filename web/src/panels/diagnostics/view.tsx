import { useEffect, useState } from "preact/hooks";

import { Missing } from "../shared";
import type { PanelProps } from "../panel";
import {
  choose,
  countLevels,
  isStale,
  lastStatuses,
  levelOf,
  levels,
  type Level,
  type Status,
} from "./status";
import { moreTopics, otherTopics, topicsOf, withTopics } from "./topics";
import "./view.css";

/** More rows than anybody reads. */
const MOST_ROWS = 500;
const MOST_TEXT = 2000;
/** Ages on the screen change this often, in seconds of the bag. */
const AGE_STEP = 0.5;
const marks: Record<Level, string> = { ERROR: "✖", WARN: "▲", STALE: "◌", OK: "●" };

interface Shown {
  statuses: Status[];
  now: number;
  error: string | undefined;
}

export function DiagnosticsView({ place, topic, topics, feed, set }: PanelProps) {
  const [shown, setShown] = useState<Shown>({ statuses: [], now: 0, error: undefined });
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const read = topicsOf(place);
  const readKey = read.join("\n");
  useEffect(() => {
    let last = "";
    return feed.onFrame(() => {
      if (feed.time > feed.covered.end) return; // what is held is of another instant
      // Of a message that comes or goes, and of ages that grow, but not of each frame.
      const newest = read.map((each) => feed.at(each));
      const behind = Math.ceil(feed.covered.start);
      const now = Math.floor(feed.time / AGE_STEP) * AGE_STEP;
      const key = [...newest.map((each) => each?.time), behind, now].join(" ");
      if (key === last) return;
      last = key;
      const time = newest.reduce((most, each) => Math.max(most, each?.time ?? 0), now);
      const statuses = read.flatMap((each, i) => {
        const until = newest[i]?.time;
        return until === undefined ? [] : lastStatuses(feed.between(each, -1, until));
      });
      setShown({ statuses, now: time, error: newest.find((each) => each?.error)?.error });
    });
  }, [feed, readKey]);

  const { statuses, now } = shown;
  const { settings } = place;
  const hidden = new Set(settings.hidden?.split(",") ?? []);
  const change = (name: string, value: string) => {
    const { [name]: _, ...others } = settings;
    set({ settings: value ? { ...others, [name]: value } : others });
  };
  const toggle = (level: Level) => {
    const next = new Set(hidden);
    if (!next.delete(level)) next.add(level);
    change("hidden", levels.filter((each) => next.has(each)).join(","));
  };
  const fold = (key: string) => {
    const next = new Set(open);
    if (!next.delete(key)) next.add(key);
    setOpen(next);
  };
  const counts = countLevels(statuses, now);
  const chosen = choose(statuses, now, hidden, settings.filter ?? "");
  const others = otherTopics(place, topics);
  return (
    <div class="diagnostics" data-time={now}>
      <div class="tools">
        <div class="levels" role="group" aria-label="Levels">
          {levels.map((level) => (
            <button
              key={level}
              data-level={level}
              aria-pressed={!hidden.has(level)}
              title={hidden.has(level) ? `Show ${level}` : `Hide ${level}`}
              onClick={() => toggle(level)}
            >
              <i aria-hidden="true">{marks[level]}</i> {level} <b>{counts[level]}</b>
            </button>
          ))}
        </div>
        <input
          type="search"
          placeholder="Filter"
          aria-label="Filter the diagnostics"
          value={settings.filter ?? ""}
          onInput={(event) => change("filter", event.currentTarget.value)}
        />
        {moreTopics(place).map((each) => (
          <button
            key={each}
            class="chip"
            title={`Leave out ${each}`}
            onClick={() => set(withTopics(place, moreTopics(place).filter((one) => one !== each)))}
          >
            {each} <span aria-hidden="true">×</span>
          </button>
        ))}
        {others.length > 0 && (
          <select
            aria-label="Add a topic"
            value=""
            onChange={(event) =>
              set(withTopics(place, [...moreTopics(place), event.currentTarget.value]))
            }
          >
            <option value="">+ topic</option>
            {others.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </div>
      {statuses.length === 0 && <Nothing topic={topic} feed={feed} error={shown.error} />}
      {statuses.length > 0 && chosen.length === 0 && (
        <p class="missing">None of the {statuses.length} statuses is of these levels and words</p>
      )}
      <ul>
        {chosen.slice(0, MOST_ROWS).map((each) => {
          const key = `${each.topic} ${each.name}`;
          return (
            <Row
              key={key}
              status={each}
              now={now}
              isOpen={open.has(key)}
              fold={fold}
              id={key}
              tellsTopic={read.length > 1}
            />
          );
        })}
        {chosen.length > MOST_ROWS && (
          <li class="missing">… {chosen.length - MOST_ROWS} more: filter them</li>
        )}
      </ul>
    </div>
  );
}

function Nothing({
  topic,
  feed,
  error,
}: Pick<PanelProps, "topic" | "feed"> & { error: string | undefined }) {
  if (error) return <p class="missing">{error}</p>;
  const message = feed.at(topic.topic);
  if (message) return <p class="missing">No status in the messages up to this time</p>;
  return <Missing topic={topic} feed={feed} message={undefined} />;
}

interface RowProps {
  status: Status;
  now: number;
  isOpen: boolean;
  id: string;
  fold(id: string): void;
  tellsTopic: boolean;
}

function Row({ status, now, isOpen, id, fold, tellsTopic }: RowProps) {
  const level = levelOf(status, now);
  const stale = isStale(status, now);
  return (
    <li data-level={level} data-name={cut(status.name)}>
      <button class="status" aria-expanded={isOpen} onClick={() => fold(id)}>
        <span class="level">
          <i aria-hidden="true">{marks[level]}</i> {level}
        </span>
        <span class="name">{cut(status.name) || "(no name)"}</span>
        <span class="message">
          {stale && status.said !== "STALE" && <span class="was">was {status.said}: </span>}
          {cut(status.message)}
        </span>
        {now - status.time > 1 && <span class="old">{(now - status.time).toFixed(0)} s ago</span>}
      </button>
      {isOpen && (
        <table>
          <tbody>
            {status.hardware && (
              <tr class="quiet">
                <th scope="row">hardware id</th>
                <td>{cut(status.hardware)}</td>
              </tr>
            )}
            {tellsTopic && (
              <tr class="quiet">
                <th scope="row">topic</th>
                <td>{status.topic}</td>
              </tr>
            )}
            {status.values.map(([key, value], i) => (
              <tr key={i}>
                <th scope="row">{cut(key)}</th>
                <td>{cut(value)}</td>
              </tr>
            ))}
            {status.moreValues > 0 && (
              <tr class="quiet">
                <td colSpan={2}>… {status.moreValues} more</td>
              </tr>
            )}
          </tbody>
        </table>
      )}
      {isOpen && status.values.length === 0 && !status.hardware && !tellsTopic && (
        <p class="quiet none">No values</p>
      )}
    </li>
  );
}

function cut(text: string): string {
  if (text.length <= MOST_TEXT) return text;
  return `${text.slice(0, MOST_TEXT)}… (${text.length} characters)`;
}
