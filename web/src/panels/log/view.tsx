import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { instantText } from "../../format";
import type { Message } from "../../player/store";
import { copyText } from "../../copy";
import { Missing, useTimeStyle } from "../shared";
import type { PanelProps } from "../panel";
import * as lines from "./lines";
import "./view.css";

export const BEFORE = 60;
const AFTER = 10;
const ROW = 24; // as in view.css
/** Rows beyond those that are seen. */
const SPARE = 10;
/** Where the line of the instant stands while the list follows the clock. */
const HEIGHT_OF_NOW = 0.7;
const MOST_COPIED = 10_000;

/** Lines around the instant. Settings: `level`, `node` and `find` of those that are shown. */
export function LogView({ topic, feed, place, set }: PanelProps) {
  const { settings } = place;
  useTimeStyle(feed);
  const [messages, setMessages] = useState<Message[]>([]);
  const [time, setTime] = useState(feed.time);
  const [chosen, setChosen] = useState<lines.Line | null>(null);
  const [isFollowing, setFollowing] = useState(true);
  const [said, setSaid] = useState("");
  useEffect(() => {
    let last = "";
    return feed.onFrame(() => {
      const all = feed.between(topic.topic, feed.time - BEFORE, feed.time + AFTER);
      const key = `${all.length} ${all[0]?.time} ${all[all.length - 1]?.time}`;
      if (key !== last) setMessages(all);
      last = key;
      // Between two lines, no time is another one.
      setTime(feed.at(topic.topic)?.time ?? -1);
    });
  }, [feed, topic.topic]);
  const choose = (name: string, value: string) => {
    const { [name]: _, ...others } = settings;
    set({ settings: value === "" ? others : { ...others, [name]: value } });
    setFollowing(true);
  };
  const least = lines.levels.find((each) => each === settings.level) ?? "DEBUG";
  const [node, find] = [settings.node ?? "", settings.find ?? ""];
  const all = useMemo(() => messages.map(lines.lineOf), [messages]);
  const nodes = useMemo(() => [...new Set(all.map((each) => each.node))].sort(), [all]);
  const { shown, problem } = useMemo(() => {
    try {
      return { shown: all.filter(lines.filterOf({ least, node, find })), problem: "" };
    } catch (error) {
      return { shown: [], problem: (error as Error).message };
    }
  }, [all, least, node, find]);
  const now = lines.indexAt(shown, time);
  const copy = async (text: string) =>
    setSaid((await copyText(text)) ? "Copied" : "Cannot copy here");
  const pick = (line: lines.Line) => {
    setChosen(line);
    setSaid("");
    feed.seek(line.time);
  };
  return (
    <div class="log">
      <div class="tools">
        <select
          aria-label="Least level"
          value={least}
          onChange={(event) => {
            const { value } = event.currentTarget;
            choose("level", value === "DEBUG" ? "" : value);
          }}
        >
          {lines.levels.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <select
          aria-label="Node"
          value={node}
          onChange={(event) => choose("node", event.currentTarget.value)}
        >
          <option value="">all nodes</option>
          {[...new Set([...nodes, node])].filter(Boolean).map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <input
          type="search"
          placeholder="Find text or /expression/"
          aria-label="Filter the log"
          value={find}
          onInput={(event) => choose("find", event.currentTarget.value)}
        />
        <button
          title="Copy the lines that are shown"
          onClick={() =>
            void copy(
              shown
                .slice(-MOST_COPIED)
                .map((each) => lines.plainText(each, feed.origin))
                .join("\n"),
            )
          }
        >
          Copy
        </button>
        {!isFollowing && <button onClick={() => setFollowing(true)}>Back to the instant</button>}
        <output class="quiet">{said}</output>
      </div>
      {problem && <p class="missing">{problem}</p>}
      {messages.length === 0 && <Missing topic={topic} feed={feed} message={undefined} />}
      {messages.length > 0 && !problem && shown.length === 0 && (
        <p class="missing">
          None of the {messages.length} lines around this instant is as the filter wants it
        </p>
      )}
      <List
        shown={shown}
        now={now}
        chosen={chosen}
        origin={feed.origin}
        isFollowing={isFollowing}
        leave={() => setFollowing(false)}
        pick={pick}
      />
      {chosen && (
        <section class="details" aria-label="The chosen line">
          <div>
            <b class="level" data-level={chosen.level}>
              {chosen.level}
            </b>
            <span class="name">{chosen.node}</span>
            <span class="source">{lines.sourceText(chosen) || "no source is known"}</span>
            <button onClick={() => void copy(lines.plainText(chosen, feed.origin))}>Copy</button>
            <button aria-label="Close the line" onClick={() => setChosen(null)}>
              ×
            </button>
          </div>
          <pre>{chosen.text}</pre>
        </section>
      )}
    </div>
  );
}

interface ListProps {
  shown: lines.Line[];
  now: number;
  chosen: lines.Line | null;
  origin: number;
  isFollowing: boolean;
  leave(): void;
  pick(line: lines.Line): void;
}

/** Only the rows that are seen are there; all have one height. */
function List({ shown, now, chosen, origin, isFollowing, leave, pick }: ListProps) {
  const host = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(() => setHeight(host.current!.clientHeight));
    observer.observe(host.current!);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (!isFollowing || !height) return;
    const wanted = (now + 1) * ROW - Math.floor((height * HEIGHT_OF_NOW) / ROW) * ROW;
    host.current!.scrollTop = Math.max(0, wanted);
  }, [now, height, isFollowing, shown]);
  const first = Math.max(0, Math.floor(top / ROW) - SPARE);
  const last = Math.min(shown.length, Math.ceil((top + height) / ROW) + SPARE);
  return (
    <div
      class="lines"
      ref={host}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onWheel={leave}
      onTouchMove={leave}
    >
      <ol style={{ height: `${shown.length * ROW}px`, paddingTop: `${first * ROW}px` }}>
        {shown.slice(first, last).map((line, i) => (
          <li
            key={first + i}
            data-level={line.level}
            class={first + i > now ? "later" : ""}
            aria-current={first + i === now ? "true" : undefined}
          >
            <button
              class={chosen === line ? "line chosen" : "line"}
              title={lines.sourceText(line)}
              onClick={() => pick(line)}
            >
              <span class="time">{instantText(origin, line.time)}</span>
              <span class="level">{line.level}</span>
              <span class="name">{line.node}</span>
              <span class="text">{line.text.slice(0, 500).replaceAll("\n", " ⏎ ")}</span>
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}
