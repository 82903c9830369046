import { useEffect, useRef, useState } from "preact/hooks";

import type { Message } from "../../player/store";
import { copyText } from "../../copy";
import { Age, Missing } from "../shared";
import { Pace } from "../pace";
import type { PanelProps } from "../panel";
import * as fields from "./fields";
import "./view.css";

/** Of a long list, at first and with each press of "more". */
const PART = 100;
/** What another panel reads when a field is dropped on it. */
const FIELD = "application/x-kitbag-field";
const SAID_MS = 2000;

/** What a person folded and chose. It stays from message to message. */
interface Shape {
  open: Map<string, boolean>;
  counts: Map<string, number>;
  chosen: string;
}

export function TreeView({ topic, feed }: PanelProps) {
  const [message, setMessage] = useState<Message | undefined>();
  const [word, setWord] = useState("");
  const [said, setSaid] = useState("");
  const [shape, setShape] = useState<Shape>(() => ({
    open: new Map(),
    counts: new Map(),
    chosen: "",
  }));
  useEffect(() => {
    const pace = new Pace();
    return feed.onFrame(() => {
      const next = feed.at(topic.topic);
      if (pace.isDue(feed.time, performance.now())) setMessage(next);
    });
  }, [feed, topic.topic]);
  useEffect(() => {
    const timer = setTimeout(() => setSaid(""), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  if (!message || message.error) return <Missing topic={topic} feed={feed} message={message} />;
  const { value } = message;
  const copy = (what: string, text: string) =>
    void copyText(text).then((isDone) => setSaid(isDone ? `${what} copied` : "Cannot copy here"));
  const { chosen } = shape;
  const found = word ? fields.search(value, word) : null;
  return (
    <div class="tree" data-time={message.time}>
      <div class="tools">
        <input
          type="search"
          placeholder="Find a name or value"
          aria-label="Find in the message"
          value={word}
          onInput={(event) => setWord(event.currentTarget.value)}
        />
        <button
          title="Copy the message as JSON"
          onClick={() => copy("Message", fields.jsonOf(value))}
        >
          Copy
        </button>
        {chosen && (
          <>
            <button title={`Copy the path ${chosen}`} onClick={() => copy("Path", chosen)}>
              Copy path
            </button>
            <button
              title={`Copy the value of ${chosen}`}
              onClick={() => copy("Value", fields.valueText(fields.valueAt(value, chosen)))}
            >
              Copy value
            </button>
          </>
        )}
        <output class="quiet">{said}</output>
      </div>
      <Age topic={topic} feed={feed} message={message} />
      {fields.isInner(value) && fields.countOf(value) === 0 && (
        <p class="missing">Messages of this type have no fields</p>
      )}
      {found?.size === 0 && <p class="missing">Nothing of this message has “{word}” in it</p>}
      {fields.isInner(value) ? (
        <Fields
          value={value}
          path=""
          depth={0}
          topic={topic.topic}
          found={found}
          shape={shape}
          setShape={(change) => setShape({ ...shape, ...change })}
        />
      ) : (
        <p class="missing">{fields.leafText(value)}</p>
      )}
    </div>
  );
}

interface Inner {
  topic: string;
  path: string;
  depth: number;
  /** null: all is shown. */
  found: Set<string> | null;
  shape: Shape;
  setShape(change: Partial<Shape>): void;
}

function Fields({ value, ...inner }: Inner & { value: object }) {
  const { path, found, shape, setShape } = inner;
  const isList = fields.lengthOf(value) !== undefined;
  const count = fields.countOf(value);
  const most = shape.counts.get(path) ?? PART;
  const entries = fields
    .entriesOf(value, found ? fields.MOST_SEARCHED : most)
    .map(([name, each]) => ({ name, each, path: fields.pathOf(path, name, isList) }))
    .filter((entry) => !found || found.has(entry.path))
    .slice(0, most);
  const isMore = found ? entries.length === most : count > most;
  return (
    <ul>
      {entries.map((entry) => (
        <Field key={entry.name} {...inner} {...entry} value={entry.each} />
      ))}
      {isMore && (
        <li>
          <button
            class="link more"
            onClick={() => setShape({ counts: new Map(shape.counts).set(path, most + PART) })}
          >
            more ({Math.min(most, count)} of {count.toLocaleString("en-US")})
          </button>
        </li>
      )}
    </ul>
  );
}

function Field({ name, value, ...inner }: Inner & { name: string; value: unknown }) {
  const { path, depth, found, shape, setShape, topic } = inner;
  const choose = () => setShape({ chosen: shape.chosen === path ? "" : path });
  const isChosen = shape.chosen === path;
  const drag = (event: DragEvent) => {
    event.stopPropagation();
    event.dataTransfer?.setData(FIELD, JSON.stringify({ topic, field: path }));
    event.dataTransfer?.setData("text/plain", path);
  };
  if (!fields.isInner(value)) {
    return (
      <li>
        <div
          class={isChosen ? "leaf chosen" : "leaf"}
          role="button"
          aria-pressed={isChosen}
          tabIndex={0}
          title={path}
          draggable
          onDragStart={drag}
          onClick={choose}
          onKeyDown={(event) => event.key === "Enter" && choose()}
        >
          <span class="name">{name}</span>
          <Value name={name} path={path} text={fields.leafText(value)} />
        </div>
      </li>
    );
  }
  const isOpen = found ? true : (shape.open.get(path) ?? fields.isOpenAtFirst(value, depth));
  const length = fields.lengthOf(value);
  return (
    <li>
      <button
        class={isChosen ? "fold chosen" : "fold"}
        aria-expanded={isOpen}
        title={path}
        draggable
        onDragStart={drag}
        onClick={() => setShape({ open: new Map(shape.open).set(path, !isOpen), chosen: path })}
      >
        <span class="name">{name}</span>
        <span class="quiet">{length === undefined ? "" : `[${length}]`}</span>
      </button>
      {isOpen && <Fields {...inner} depth={depth + 1} value={value} />}
    </li>
  );
}

/** What changes all the time is not marked: it would only flicker. */
const QUIET_MS = 500;

/** Another text is another element, whose mark fades. */
function Value({ name, path, text }: { name: string; path: string; text: string }) {
  const last = useRef({ text, at: -Infinity, isMarked: false });
  if (last.current.text !== text) {
    const at = performance.now();
    last.current = { text, at, isMarked: at - last.current.at > QUIET_MS };
  }
  return (
    <span
      key={text}
      class={last.current.isMarked ? "value changed" : "value"}
      data-field={name}
      data-path={path}
    >
      {text}
    </span>
  );
}
