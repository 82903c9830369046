import type { VNode } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

import { countText, instantText, lengthText } from "../../format";
import type { Message } from "../../player/store";
import { Missing, useTimeStyle } from "../shared";
import type { PanelProps } from "../panel";
import {
  cellText,
  chosenColumns,
  columnsOf,
  textOf,
  csvText,
  hasWord,
  jsonText,
  shortName,
  valueAt,
  type Column,
} from "./cells";
import { copyText } from "../../copy";
import { Rows, upperBound } from "./rows";
import "./view.css";

const ROW = 24; // px
const BEYOND = 8; // rows drawn above and below those that are seen
const PAGE = 20; // rows
const moves: Record<string, number> = {
  ArrowUp: -1,
  ArrowDown: 1,
  PageUp: -PAGE,
  PageDown: PAGE,
};
/** Of a frame, for the filter. */
const FILTER_MS = 4;
/** With a filter, what is held is looked at this often. */
const HOLD_MS = 250;
/** Where the current row stands, of the height. */
const CURRENT_AT = 0.66;

interface Shown {
  rows: Message[];
  held: number;
  isDone: boolean;
  /** Of the current row; -1: there is none. */
  current: number;
  from: number;
  until: number;
}

const nothing: Shown = { rows: [], held: 0, isDone: true, current: -1, from: 0, until: 0 };

export function TableView({ place, topic, feed, set }: PanelProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState(nothing);
  const [columns, setColumns] = useState<Column[]>([]);
  const [scroll, setScroll] = useState({ top: 0, height: 0 });
  const [follows, setFollows] = useState(true);
  const [cell, setCell] = useState(0); // of the current row, 0 is the time
  const [told, setTold] = useState("");
  const following = useRef({ is: true, top: -1 });
  const rowId = useId();
  const word = (place.settings.filter ?? "").toLowerCase();
  const chosen = chosenColumns(columns, place.settings.columns?.split("\n"));
  const names = chosen.map((each) => each.name).join("\n");
  const style = useTimeStyle(feed);

  useEffect(() => {
    const rows = new Rows();
    const at = feed.origin;
    if (word) {
      rows.setFilter(
        ({ time, value, error }) =>
          hasWord(value, chosen, word) ||
          instantText(at, time).includes(word) ||
          (error?.toLowerCase().includes(word) ?? false),
      );
    }
    let last = "";
    let heldAt = -HOLD_MS;
    let held = "";
    return feed.onFrame(() => {
      const { covered, time } = feed;
      if (time > covered.end) return; // what is held is of another instant
      const now = feed.at(topic.topic);
      const stretch = `${covered.start} ${covered.end} ${now?.time}`;
      const wall = performance.now();
      if (stretch !== held && (!word || wall - heldAt >= HOLD_MS)) {
        held = stretch;
        heldAt = wall;
        rows.hold(feed.between(topic.topic, -1, covered.end));
      }
      rows.work(FILTER_MS);
      const list = rows.shown;
      const current = now ? upperBound(list, now.time) - 1 : -1;
      const key = [list.length, list[0]?.time, list.at(-1)?.time, current, rows.isDone].join(" ");
      if (key === last) return;
      last = key;
      const { count, isDone } = rows;
      const from = covered.start;
      setShown({ rows: list, held: count, isDone, current, from, until: covered.end });
      const some = [list[0], now, list.at(-1)].filter((each) => each !== undefined);
      const found = columnsOf(some.map((each) => each.value));
      if (some.length) {
        setColumns((old) => (namesOf(old) === namesOf(found) ? old : found));
      }
    });
  }, [feed, topic.topic, word, names, style]);

  const { rows, current } = shown;
  const hasRows = rows.length > 0;
  // Follows the instant, until somebody scrolls.
  useEffect(() => {
    const box = scroller.current;
    if (!box || !following.current.is || current < 0) return;
    const most = Math.max(0, (rows.length + 1) * ROW - box.clientHeight);
    const wanted = Math.round(current * ROW - box.clientHeight * CURRENT_AT);
    const top = Math.min(most, Math.max(0, wanted));
    following.current.top = top;
    if (Math.abs(box.scrollTop - top) >= 1) box.scrollTop = top;
  }, [current, rows.length, follows, scroll.height]);
  useEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const see = () => setScroll({ top: box.scrollTop, height: box.clientHeight });
    const observer = new ResizeObserver(see);
    observer.observe(box);
    see();
    return () => observer.disconnect();
  }, [hasRows]);
  const follow = (is: boolean) => {
    following.current.is = is;
    setFollows(is);
  };
  const onScroll = () => {
    const box = scroller.current!;
    setScroll({ top: box.scrollTop, height: box.clientHeight });
    if (Math.abs(box.scrollTop - following.current.top) > 2 && following.current.is) follow(false);
  };
  const go = (to: number) => {
    const message = rows[Math.min(rows.length - 1, Math.max(0, to))];
    follow(true);
    if (message) feed.seek(message.time);
  };

  const row = rows[current];
  const lines = () => [
    ["time", ...chosen.map((each) => each.name)],
    [timeOf(feed, row!), ...chosen.map((each) => textOf(valueAt(row!.value, each)))],
  ];
  const give = (text: string, what: string) =>
    copyText(text).then((isDone) => setTold(isDone ? `${what} copied` : "Cannot copy here"));
  const copyCell = () => {
    const column = chosen[cell - 1];
    const text = column ? textOf(valueAt(row!.value, column)) : timeOf(feed, row!);
    return give(text, column ? shortName(column) : "The time");
  };
  const press = (event: KeyboardEvent) => {
    const isControl = event.ctrlKey || event.metaKey;
    const move = moves[event.key];
    if (move !== undefined && !isControl) go((current < 0 ? 0 : current) + move);
    else if (isControl && event.key === "ArrowLeft") setCell(Math.max(0, cell - 1));
    else if (isControl && event.key === "ArrowRight") setCell(Math.min(chosen.length, cell + 1));
    else if (isControl && event.key === "c" && row && !String(getSelection())) void copyCell();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const first = Math.max(0, Math.floor(scroll.top / ROW) - BEYOND);
  const end = Math.min(rows.length, Math.ceil((scroll.top + scroll.height) / ROW) + BEYOND);
  const kept = useRef(new Map<Message, { key: string; row: VNode }>());
  const drawn = new Map<Message, { key: string; row: VNode }>();
  const sample = rows.slice(first, first + 10);
  const widths = useRef<{ names: string; list: number[] }>({ names: "", list: [] });
  if (widths.current.names !== names && sample.length) {
    widths.current = { names, list: chosen.map((each) => widthOf(each, sample)) };
  }
  const template = ["16ch", ...widths.current.list.map((each) => `${each}ch`)].join(" ");
  for (let i = first; i < end; ++i) {
    const message = rows[i]!;
    const key = `${i} ${i === current ? cell : -1} ${names} ${style}`;
    const old = kept.current.get(message);
    drawn.set(
      message,
      old?.key === key
        ? old
        : { key, row: rowOf(feed, message, i, i === current ? cell : -1, rowId, chosen) },
    );
  }
  kept.current = drawn;

  return (
    <div class="messages" data-rows={rows.length} data-held={shown.held}>
      <div class="tools">
        <input
          type="search"
          placeholder="Filter"
          aria-label="Filter the rows"
          value={place.settings.filter ?? ""}
          onInput={(event) => {
            const { filter: _, ...others } = place.settings;
            const text = event.currentTarget.value;
            set({ settings: text ? { ...others, filter: text } : others });
          }}
        />
        <span class="quiet figures">
          {word && `${countText(rows.length)} of `}
          {countText(shown.held)} rows
          {!shown.isDone && " …"}
          {shown.held > 0 && `, ${lengthText(shown.from, 1)} – ${lengthText(shown.until, 1)}`}
        </span>
        {row && (
          <span class="copies" role="group" aria-label="Copy">
            <span class="quiet">Copy</span>
            <button title="The marked cell (Ctrl C; Ctrl ← → choose it)" onClick={copyCell}>
              cell
            </button>
            <button title="The marked row" onClick={() => give(jsonText(row.value), "The row")}>
              JSON
            </button>
            <button
              title="The columns of the marked row"
              onClick={() => give(csvText(lines()), "The row")}
            >
              CSV
            </button>
          </span>
        )}
        {!follows && <button onClick={() => follow(true)}>To the instant</button>}
        <span class="quiet" role="status">
          {told}
        </span>
      </div>
      {!hasRows && shown.held > 0 && shown.isDone && (
        <p class="missing">None of the {countText(shown.held)} rows has “{word}” in its cells</p>
      )}
      {shown.held === 0 && <Missing topic={topic} feed={feed} message={undefined} />}
      {hasRows && (
        <div
          class="rows"
          ref={scroller}
          role="grid"
          tabIndex={0}
          aria-label={`Messages of ${topic.topic}`}
          aria-rowcount={rows.length + 1}
          aria-colcount={chosen.length + 1}
          aria-activedescendant={row ? rowId : undefined}
          onScroll={onScroll}
          onKeyDown={press}
          onClick={(event) => {
            const hit = (event.target as Element).closest<HTMLElement>("[data-cell]");
            if (!hit) return;
            setCell(Number(hit.dataset.cell));
            setTold("");
            go(Number(hit.parentElement!.dataset.row));
          }}
        >
          <div class="extent" style={{ height: `${(rows.length + 1) * ROW}px` }}>
            <div
              class="row head"
              role="row"
              aria-rowindex={1}
              style={{ gridTemplateColumns: template }}
            >
              <span role="columnheader">time</span>
              {chosen.map((each) => (
                <span
                  key={each.name}
                  role="columnheader"
                  title={each.name}
                  class={classOf(sample[0] && valueAt(sample[0].value, each), false)}
                >
                  {shortName(each)}
                </span>
              ))}
            </div>
            <div class="drawn" style={{ top: `${(first + 1) * ROW}px`, "--columns": template }}>
              {[...drawn.values()].map((each) => each.row)}
            </div>
          </div>
        </div>
      )}
    </div>
  );
}

/** A row keeps its element when others before it go. */
const numbers = new WeakMap<Message, number>();
let lastNumber = 0;
function numberOf(message: Message): number {
  const number = numbers.get(message) ?? ++lastNumber;
  numbers.set(message, number);
  return number;
}

function rowOf(
  feed: PanelProps["feed"],
  message: Message,
  index: number,
  cell: number,
  id: string,
  columns: Column[],
): VNode {
  const isCurrent = cell >= 0;
  return (
    <div
      key={numberOf(message)}
      class={`row ${index % 2 ? "odd" : ""} ${isCurrent ? "current" : ""}`}
      role="row"
      id={isCurrent ? id : undefined}
      aria-rowindex={index + 2}
      aria-selected={isCurrent}
      data-row={index}
      data-time={message.time}
    >
      <span role="gridcell" data-cell={0} class={cell === 0 ? "marked" : ""}>
        {instantText(feed.origin, message.time)}
      </span>
      {message.error !== undefined ? (
        <span role="gridcell" data-cell={0} class="error">
          {message.error}
        </span>
      ) : (
        columns.map((each, i) => {
          const value = valueAt(message.value, each);
          const text = cellText(value);
          return (
            <span
              key={each.name}
              role="gridcell"
              data-cell={i + 1}
              class={classOf(value, cell === i + 1)}
              title={text.length > 24 ? text : undefined}
            >
              {text}
            </span>
          );
        })
      )}
    </div>
  );
}

function classOf(value: unknown, isMarked: boolean): string {
  const isNumber = typeof value === "number" || typeof value === "bigint";
  return `${isNumber ? "right" : ""} ${isMarked ? "marked" : ""}`.trim();
}

const namesOf = (columns: Column[]) => columns.map((each) => each.name).join("\n");

/** In characters: so that most cells are whole. */
function widthOf(column: Column, sample: Message[]): number {
  const lengths = sample.map((each) => cellText(valueAt(each.value, column)).length);
  const name = shortName(column).length;
  return Math.min(32, Math.max(6, name, ...lengths)) + 3;
}

/** Seconds since 1970, as texts of times are. */
function timeOf(feed: PanelProps["feed"], message: Message): string {
  return (feed.origin + message.time).toFixed(6);
}
