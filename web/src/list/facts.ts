// What the list shows of a bag beyond the server's list: its topics, how many messages there are
// over time, a picture. Each takes a request and some of the server's time, so only the rows that
// are on the screen ask, two requests at a time. What has come is kept until the bag changes.

import type { Bag, BriefTopic, Timeline, Topic } from "../api";
import { ask, askJson, bagPath } from "../api";
import { secondsText } from "../player/slice";
import { cameraOf } from "./camera";

export const DENSITY_PARTS = 60;
const AT_ONCE = 2;
const MOST_BAGS = 2000;
/** A bag that is being recorded changes all the time; it is not asked for all the time. */
const LIVE_MS = 10_000;

/** undefined: not there yet, null: there is none. */
export interface Facts {
  topics?: BriefTopic[] | null;
  /** Messages in each part of the bag. */
  density?: number[] | null;
  picture?: ImageBitmap | null;
}

interface Known extends Facts {
  /** Of the bag as it was before: shown until what is new has come. */
  old: Facts;
  version: string;
  at: number;
}

/** What is asked for, one after the other: a picture needs to know the topics. */
type Step = "topics" | "density" | "picture";

export class FactFinder {
  private readonly known = new Map<string, Known>();
  private shown: Bag[] = [];
  private searched: Bag[] = [];
  private readonly running = new Set<string>();
  /** Called when something has come. */
  onNews: () => void = () => {};

  of(bag: Bag): Facts {
    const known = this.known.get(bag.filename);
    const facts: Facts = known ? { ...known.old, ...known } : {};
    // Of a bag of a catalog, the list says more.
    if (bag.density) facts.density = bag.density;
    if (bag.topic_list) facts.topics = bag.topic_list;
    return facts;
  }

  /** `shown`: everything of these bags, `searched`: the topics of these. */
  want(shown: Bag[], searched: Bag[]): void {
    this.shown = shown;
    this.searched = searched;
    this.go();
  }

  private go(): void {
    while (this.running.size < AT_ONCE) {
      const next = this.next();
      if (!next) return;
      void this.take(...next);
    }
  }

  private next(): [Bag, Step] | undefined {
    const steps: [Bag[], Step][] = [
      [this.shown, "topics"],
      [this.searched, "topics"],
      [this.shown, "density"],
      [this.shown, "picture"],
    ];
    for (const [bags, step] of steps) {
      const bag = bags.find((each) => this.misses(each, step));
      if (bag) return [bag, step];
    }
    return undefined;
  }

  private misses(bag: Bag, step: Step): boolean {
    if (bag.error !== undefined || !bag.messages) return false;
    if (this.running.has(bag.filename)) return false;
    if (step === "density" && bag.density) return false;
    if (step === "topics" && bag.topic_list) return false;
    return this.entry(bag)[step] === undefined;
  }

  private entry(bag: Bag): Known {
    const version = `${bag.size_bytes} ${bag.end}`;
    const known = this.known.get(bag.filename);
    if (known) {
      const isOld = bag.recording ? performance.now() - known.at > LIVE_MS : true;
      if (known.version === version || !isOld) return known;
    }
    const { topics, density, picture } = this.of(bag) as Required<Facts>;
    const fresh: Known = { old: { topics, density, picture }, version, at: performance.now() };
    this.known.delete(bag.filename);
    this.known.set(bag.filename, fresh);
    if (this.known.size > MOST_BAGS) this.known.delete(this.known.keys().next().value!);
    return fresh;
  }

  private async take(bag: Bag, step: Step): Promise<void> {
    const entry = this.entry(bag);
    this.running.add(bag.filename);
    try {
      if (step === "topics") entry.topics = await askJson<Topic[]>(bagPath(bag.filename, step));
      else if (step === "density") entry.density = await densityOf(bag);
      else entry.picture = await pictureOf(bag, this.of(bag).topics ?? []);
    } catch {
      entry[step] = null; // the row does without it
    }
    this.running.delete(bag.filename);
    this.onNews();
    this.go();
  }
}

async function densityOf(bag: Bag): Promise<number[]> {
  const path = bagPath(bag.filename, `timeline?buckets=${DENSITY_PARTS}`);
  const { topics } = await askJson<Timeline>(path);
  const counts = new Array<number>(DENSITY_PARTS).fill(0);
  for (const topic of topics) topic.counts.forEach((count, i) => (counts[i]! += count));
  return counts;
}

/** Of any shape twice as large as it is shown, for screens with small pixels. One that a catalog
    keeps is as good. */
const PICTURE = { width: "128", height: "128", rough: "1" };

async function pictureOf(bag: Bag, topics: BriefTopic[]): Promise<ImageBitmap | null> {
  const topic = cameraOf(topics);
  if (topic === null || bag.start_time === undefined) return null;
  const middle = bag.start_time + (bag.duration ?? 0) / 2;
  const query = new URLSearchParams({ topic, time: secondsText(0n, middle), ...PICTURE });
  const response = await ask(bagPath(bag.filename, `thumbnail?${query}`));
  return createImageBitmap(await response.blob());
}
