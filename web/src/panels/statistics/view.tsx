import { useEffect, useState } from "preact/hooks";

import type { Timeline, Topic } from "../../api";
import { countText, lengthText, sizeText } from "../../format";
import type { Feed } from "../../player/feed";
import type { Sample } from "../../player/sample";
import type { PanelProps } from "../panel";
import { figuresOf, sortFigures, type Figures, type SortKey } from "./figures";
import { hertzText, secondsText } from "./texts";
import "./view.css";

/** Rates are measured over these. */
const LAST = 5; // s
/** What is measured changes this often, in seconds of the bag. */
const STEP = 0.5;
/** Samples that are on their way at the same time. */
const AT_ONCE = 2;
const MOST_SAMPLES = 300;
/** Of messages that the page holds anyway. */
const LEAST_HELD = 20;
/** A bag up to this size is read for its delays without asking. */
const SMALL_BYTES = 256 << 20;

interface Column {
  key: SortKey;
  title: string;
  about: string;
  text(figures: Figures): string;
  /** Of all, for a bar. */
  share?(figures: Figures): number | undefined;
}

const or = <T,>(value: T | undefined, text: (value: T) => string) =>
  value === undefined ? "–" : text(value);

const columns: Column[] = [
  {
    key: "messages",
    title: "Messages",
    about: "In the whole bag",
    text: (each) => countText(each.messages),
    share: (each) => each.messages,
  },
  {
    key: "rate",
    title: "Rate",
    about: "Mean of the whole bag",
    text: (each) => or(each.rate, hertzText),
  },
  {
    key: "seen",
    title: "In view",
    about: "Messages in the part that the timeline shows",
    text: (each) => or(each.seen, (seen) => countText(Math.round(seen))),
  },
  {
    key: "seenRate",
    title: "Rate in view",
    about: "Mean of the part that the timeline shows",
    text: (each) => or(each.seenRate, hertzText),
  },
  {
    key: "now",
    title: `Last ${LAST} s`,
    about: `Rate of the last ${LAST} s before the instant, of topics that a panel shows`,
    text: (each) => or(each.now, hertzText),
  },
  {
    key: "jitter",
    title: "Jitter",
    about: "Standard deviation of the times between messages, of a sample",
    text: (each) => or(each.jitter, secondsText),
  },
  {
    key: "longestGap",
    title: "Longest gap",
    about: "Longest time without a message",
    text: (each) => or(each.longestGap, secondsText),
  },
  {
    key: "size",
    title: "Size",
    about: "Mean payload of a message, of a sample",
    text: (each) => or(each.size, (size) => sizeText(Math.round(size))),
  },
  {
    key: "bytesPerSecond",
    title: "Per second",
    about: "Mean payload a second: the size of messages times their rate",
    text: (each) => or(each.bytesPerSecond, (bytes) => `${sizeText(Math.round(bytes))}/s`),
    share: (each) => each.bytesPerSecond,
  },
  {
    key: "delay",
    title: "Delay",
    about: "Median of the time from the stamp in the header to the log time",
    text: (each) => or(each.delay, secondsText),
  },
  {
    key: "mostDelay",
    title: "Most delay",
    about: "Longest time from the stamp in the header to the log time",
    text: (each) => or(each.mostDelay, secondsText),
  },
  {
    key: "missing",
    title: "Missing",
    about: "Sequence numbers that no message has",
    text: (each) => or(each.missing, countText),
  },
];

export function StatisticsView({ place, topics, feed, set }: PanelProps) {
  const [, redraw] = useState("");
  const [samples, setSamples] = useState<ReadonlyMap<string, Sample>>(new Map());
  const [delays, setDelays] = useState<Timeline | null>(null);
  const [told, setTold] = useState("");
  useEffect(
    () =>
      feed.onFrame(() => {
        const { view, covered, time, timeline } = feed;
        const step = Math.floor(time / STEP);
        const held = Math.floor(covered.end / STEP);
        redraw([timeline !== null, view.start, view.end, step, held].join(" "));
      }),
    [feed],
  );
  const isCounted = feed.timeline !== null;
  useEffect(() => (isCounted ? takeSamples(feed, topics, setSamples) : undefined), [
    feed,
    isCounted,
  ]);

  const figures = topics.map((topic) => {
    const held = heldOf(feed, topic.topic);
    const { timeline, origin, view } = feed;
    const sample = held.length >= LEAST_HELD ? sampleOf(held) : samples.get(topic.topic);
    const now = held.length && feed.time >= LAST ? rateNow(feed, topic.topic) : undefined;
    return figuresOf(topic, { timeline, delays, origin, view, sample, now });
  });
  const bytes = figures.reduce((sum, each) => sum + (each.size ?? 0) * each.messages, 0);
  const isSampled = topics.every((each) => samples.has(each.topic) || each.messages === 0);
  const measure = () => {
    setTold("Reading the bag …");
    feed.delays().then(
      (answer) => {
        setDelays(answer);
        setTold("");
      },
      (error: Error) => setTold(error.message),
    );
  };
  const isSmall = isSampled && bytes <= SMALL_BYTES;
  useEffect(() => {
    if (isSmall) measure();
  }, [feed, isSmall]);

  const key = (place.settings.sort ?? "topic") as SortKey;
  const isDown = place.settings.order === "down";
  const sort = (by: SortKey) => {
    const down = by === key ? !isDown : by !== "topic" && by !== "type";
    set({ settings: { ...place.settings, sort: by, order: down ? "down" : "up" } });
  };
  const sorted = sortFigures(figures, key, isDown);
  const most = new Map(
    columns.map((column) => [
      column.key,
      figures.reduce((sum, each) => sum + (column.share?.(each) ?? 0), 0),
    ]),
  );
  const messages = figures.reduce((sum, each) => sum + each.messages, 0);
  const head = (by: SortKey, title: string, about: string) => (
    <th
      key={by}
      title={about}
      scope="col"
      aria-sort={key !== by ? "none" : isDown ? "descending" : "ascending"}
    >
      <button onClick={() => sort(by)}>
        {title}
        <i>{key === by ? (isDown ? " ↓" : " ↑") : ""}</i>
      </button>
    </th>
  );
  return (
    <div class="statistics">
      <div class="tools">
        <span class="figures">
          {countText(topics.length)} {topics.length === 1 ? "topic" : "topics"},{" "}
          {countText(messages)} messages
          {isSampled && `, about ${sizeText(Math.round(bytes))}`}
        </span>
        <span class="quiet figures">
          View {lengthText(feed.view.start, 1)} – {lengthText(feed.view.end, 1)}
        </span>
        {!delays && !told && isSampled && !isSmall && (
          <button class="measure" onClick={measure}>
            Measure delays: reads {sizeText(Math.round(bytes))}
          </button>
        )}
        <span class="quiet" role="status">
          {told}
        </span>
      </div>
      {topics.length === 0 && <p class="missing">The bag has no topics</p>}
      {topics.length > 0 && (
        <div class="sheet" tabIndex={0} role="region" aria-label="Statistics of topics">
          <table>
            <thead>
              <tr>
                {head("topic", "Topic", "Drag a topic to a panel")}
                {columns.map((each) => head(each.key, each.title, each.about))}
                {head("type", "Type", "Of the messages")}
              </tr>
            </thead>
            <tbody>
              {sorted.map((each) => (
                <tr
                  key={`${each.topic} ${each.type}`}
                  data-topic={each.topic}
                  draggable
                  onDragStart={(event) => {
                    event.dataTransfer?.setData("application/x-kitbag-topic", each.topic);
                    event.dataTransfer?.setData("text/plain", each.topic);
                  }}
                >
                  <th scope="row" title={each.topic}>
                    {each.topic}
                  </th>
                  {columns.map((column) => {
                    const share = (column.share?.(each) ?? 0) / (most.get(column.key) || 1);
                    return (
                      <td key={column.key} data-figure={column.key} class="number">
                        {column.share ? (
                          <span class="share">
                            <span class="bar">
                              <span style={{ width: `${share * 100}%` }} />
                            </span>
                            {column.text(each)}
                          </span>
                        ) : (
                          column.text(each)
                        )}
                      </td>
                    );
                  })}
                  <td class="type" title={each.type}>
                    {each.type}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

/** Messages that a panel has loaded. */
const heldOf = (feed: Feed, topic: string) =>
  feed.between(topic, feed.covered.start, feed.covered.end);

function sampleOf(messages: { time: number; bytes: number }[]): Sample {
  return {
    times: messages.map((each) => each.time),
    bytes: messages.map((each) => each.bytes),
  };
}

function rateNow(feed: Feed, topic: string): number | undefined {
  const { time, covered } = feed;
  const from = Math.max(time - LAST, covered.start);
  if (time > covered.end || time - from < 1) return undefined;
  return feed.between(topic, from, time).length / (time - from);
}

/** A few at a time, so that what plays goes on. */
function takeSamples(
  feed: Feed,
  topics: Topic[],
  set: (change: (old: ReadonlyMap<string, Sample>) => ReadonlyMap<string, Sample>) => void,
): () => void {
  let isOver = false;
  const left = topics.filter((each) => each.messages > 0).slice(0, MOST_SAMPLES);
  const next = async () => {
    for (let topic; !isOver && (topic = left.shift()); ) {
      const { topic: name } = topic;
      const sample = await feed.sample(name).catch(() => ({ times: [], bytes: [] }));
      if (!isOver) set((old) => new Map(old).set(name, sample));
    }
  };
  for (let i = 0; i < AT_ONCE; ++i) void next();
  return () => (isOver = true);
}
