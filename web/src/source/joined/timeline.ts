// The timelines of several bags as one. Each bag has parts of its own, since bags of different days
// would be no more than a part each of what is between them; these are the `pieces`. The counts of
// the whole are those of the pieces, put into equal parts of the whole. A topic has a gap where no
// bag that has the topic has a message for long, and between the bags.

import type { Timeline, TimelineTopic } from "../../api";
import type { Opened } from "./parts";

/** The server has the same. */
const GAP_PERIODS = 5;
const MOST_GAPS = 100;

export interface Piece {
  part: Pick<Opened, "origin" | "end" | "topics">;
  timeline: Timeline;
}

interface Stretch {
  start_time: number;
  end_time: number;
}

type TypedTopic = TimelineTopic & { type?: string };

/** Less than this part of the whole is looked at by itself. */
const SMALL = 0.05;

/** Into how many parts a bag is divided that is such a share of the whole: as finely as the whole.
    One that would be only a few of these gets as many as somebody needs who looks at it alone. */
export function partsOfShare(buckets: number, share: number, bags: number): number {
  const parts = share > SMALL ? share * buckets : (4 * buckets) / bags;
  return Math.max(1, Math.min(buckets, Math.ceil(parts)));
}

export function unitedTimeline(pieces: Piece[], buckets: number): Timeline {
  const { origin, end } = spanOf(pieces.map(({ part }) => part));
  const whole = { start_time: Number(origin) / 1e9, end_time: Number(end) / 1e9 };
  const size = Math.ceil((Number(end - origin) + 1) / buckets) / 1e9;
  const shown = pieces.map(({ part, timeline }) => ({
    range: { start_time: Number(part.origin) / 1e9, end_time: Number(part.end) / 1e9 },
    timeline: { ...timeline, topics: timeline.topics.map((each) => shownAs(each, part)) },
  }));
  const names = new Set(shown.flatMap(({ timeline }) => timeline.topics.map((each) => each.topic)));
  const topics = [...names].sort().map((topic) => {
    const own = shown.flatMap(({ range, timeline }) =>
      timeline.topics
        .filter((each) => each.topic === topic)
        .map((each) => ({ range, timeline, of: each })),
    );
    const counts = new Array<number>(buckets).fill(0);
    for (const { timeline, of } of own) {
      of.counts.forEach((count, i) => {
        const middle = timeline.start_time + (i + 0.5) * timeline.bucket_duration;
        const at = Math.floor((middle - whole.start_time) / size);
        counts[Math.min(Math.max(0, at), buckets - 1)]! += count;
      });
    }
    return { ...unitedTopic(topic, own, whole), counts };
  });
  const damage = shown.flatMap(({ timeline }) => timeline.damage ?? []);
  return {
    start_time: whole.start_time,
    bucket_duration: size,
    topics,
    ...(damage.length && { damage }),
    pieces: shown.map(({ timeline }) => timeline),
  };
}

/** From the first message of all bags to the last one. */
export function spanOf(parts: Pick<Opened, "origin" | "end">[]): { origin: bigint; end: bigint } {
  let { origin, end } = parts[0]!;
  for (const part of parts) {
    if (part.origin < origin) origin = part.origin;
    if (part.end > end) end = part.end;
  }
  return { origin, end };
}

function shownAs(topic: TypedTopic, { topics }: Piece["part"]): TypedTopic {
  const own = topics.find((each) => {
    return each.topic === topic.topic && (topic.type === undefined || each.type === topic.type);
  });
  return own ? { ...topic, topic: own.shownAs } : topic;
}

interface Own {
  range: Stretch;
  of: TimelineTopic;
}

/** All but the counts. */
function unitedTopic(topic: string, own: Own[], whole: Stretch): TimelineTopic {
  const messages = sumOf(own.map(({ of }) => of.messages));
  // That of most messages: medians cannot be put together.
  const most = own.reduce((a, b) => (b.of.messages > a.of.messages ? b : a)).of;
  const united: TimelineTopic = { topic, messages, counts: [] };
  const period = most.median_period;
  if (period !== undefined) {
    const covered = own.flatMap(({ range, of }) => between(of.gaps ?? [], range));
    const gaps = between(covered, whole).filter((gap) => lengthOf(gap) > GAP_PERIODS * period);
    const longest = gaps.toSorted((a, b) => lengthOf(b) - lengthOf(a)).slice(0, MOST_GAPS);
    united.median_period = period;
    united.gaps = longest.sort((a, b) => a.start_time - b.start_time);
    const hasMore = gaps.length > MOST_GAPS || own.some(({ of }) => of.has_more_gaps);
    if (hasMore) united.has_more_gaps = true;
  }
  const delays = own.flatMap(({ of }) => of.delay ?? []);
  if (delays.length) {
    united.delay = {
      least: Math.min(...delays.map((each) => each.least)),
      median: (most.delay ?? delays[0]!).median,
      most: Math.max(...delays.map((each) => each.most)),
    };
  }
  const missing = own.flatMap(({ of }) => of.missing ?? []);
  if (missing.length) united.missing = sumOf(missing);
  return united;
}

const sumOf = (numbers: number[]) => numbers.reduce((a, b) => a + b, 0);
const lengthOf = ({ start_time, end_time }: Stretch) => end_time - start_time;

/** What of a whole lies in none of some stretches. */
export function between(stretches: Stretch[], whole: Stretch): Stretch[] {
  const left: Stretch[] = [];
  let at = whole.start_time;
  for (const each of stretches.toSorted((a, b) => a.start_time - b.start_time)) {
    if (each.start_time > at) left.push({ start_time: at, end_time: each.start_time });
    at = Math.max(at, each.end_time);
  }
  if (at < whole.end_time) left.push({ start_time: at, end_time: whole.end_time });
  return left;
}
