import { useEffect, useState } from "preact/hooks";

import { numberText } from "../../format";
import type { Message } from "../../player/store";
import { Age, Missing } from "../shared";
import type { PanelProps } from "../panel";

/** A list longer than this is cut, and says so. */
const MOST = 100;
/** A list up to this long is open at first. */
const OPEN = 4;

export function TreeView({ topic, feed }: PanelProps) {
  const [message, setMessage] = useState<Message | undefined>();
  useEffect(() => feed.onFrame(() => setMessage(feed.at(topic.topic))), [feed, topic.topic]);
  if (!message || message.error) return <Missing topic={topic} feed={feed} message={message} />;
  return (
    <div class="tree" data-time={message.time}>
      <Age topic={topic} feed={feed} message={message} />
      <Fields value={message.value} depth={0} />
    </div>
  );
}

function Fields({ value, depth }: { value: unknown; depth: number }) {
  const entries = entriesOf(value);
  return (
    <ul>
      {entries.slice(0, MOST).map(([name, each]) => (
        <Field key={name} name={name} value={each} depth={depth} />
      ))}
      {entries.length > MOST && <li class="quiet">… {entries.length - MOST} more</li>}
    </ul>
  );
}

function Field({ name, value, depth }: { name: string; value: unknown; depth: number }) {
  const isInner = typeof value === "object" && value !== null;
  const [isOpen, setOpen] = useState(depth < 4 && (lengthOf(value) ?? 0) <= OPEN);
  if (!isInner || isTime(value)) {
    return (
      <li>
        <span class="name">{name}</span>
        <span class="value" data-field={name}>
          {leafText(value)}
        </span>
      </li>
    );
  }
  return (
    <li>
      <button class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span class="name">{name}</span>
        <span class="quiet">{summary(value)}</span>
      </button>
      {isOpen && <Fields value={value} depth={depth + 1} />}
    </li>
  );
}

/** A time or a duration, as ROS 1 or ROS 2 names its parts. */
function isTime(value: unknown): value is { sec: number; nsec?: number; nanosec?: number } {
  const isObject = typeof value === "object" && value !== null;
  if (!isObject || Object.keys(value).length !== 2) return false;
  return "sec" in value && ("nsec" in value || "nanosec" in value);
}

function leafText(value: unknown): string {
  if (isTime(value)) {
    const ns = value.nsec ?? value.nanosec ?? 0;
    return `${value.sec}.${String(ns).padStart(9, "0")} s`;
  }
  if (typeof value === "number") return numberText(value);
  if (typeof value === "string") {
    return value.length > 1000 ? `${value.slice(0, 1000)}… (${value.length} characters)` : value;
  }
  return String(value);
}

function lengthOf(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length;
  return ArrayBuffer.isView(value) ? (value as Uint8Array).length : undefined;
}

function summary(value: unknown): string {
  const length = lengthOf(value);
  return length === undefined ? "" : `[${length}]`;
}

/** At most one entry more than are shown of what is long, so that a picture costs nothing. */
function entriesOf(value: unknown): [string, unknown][] {
  const length = lengthOf(value);
  if (length === undefined) return Object.entries(value as object);
  const list = value as ArrayLike<unknown>;
  const entries: [string, unknown][] = new Array(length);
  for (let i = 0; i < Math.min(length, MOST); ++i) entries[i] = [String(i), list[i]];
  return entries;
}
