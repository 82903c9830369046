// Small pictures of camera topics under the pointer. Only what the pointer stays at is asked for, a
// new wish cancels the old one, and what has come is kept. A topic of which the server says that it
// has no pictures is not asked for again.

import { ask, bagPath, type Topic } from "../api";
import { secondsText } from "../player/slice";
import { isCameraType } from "../video/types";

const WAIT_MS = 70;
const MOST_KEPT = 160;
const WIDTH = 160;
const HEIGHT = 120;
export const MOST_THUMBNAILS = 4;

export interface Thumbnail {
  /** null: the server has none. */
  picture: ImageBitmap | null;
  /** Log time, in seconds since the start of the bag. */
  time: number;
}

/** Whether messages of a topic are pictures or a video; the server says the rest. */
export function mayHavePictures({ type, messages }: Topic): boolean {
  return messages > 0 && isCameraType(type);
}

export class Thumbnails {
  private readonly kept = new Map<string, Thumbnail>();
  private readonly refused = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked: AbortController | null = null;

  constructor(
    private readonly bag: string,
    private readonly origin: bigint,
    /** A picture has come. */
    private readonly tell: () => void,
  ) {}

  /** Pictures are kept by steps of time, which depend on how much the timeline shows. */
  at(topic: string, time: number): Thumbnail | undefined {
    return this.kept.get(`${topic} ${time}`);
  }
  isRefused(topic: string): boolean {
    return this.refused.has(topic);
  }

  /** What is under the pointer now. */
  want(topics: string[], time: number): void {
    clearTimeout(this.timer);
    this.asked?.abort();
    const missing = topics.filter((each) => !this.at(each, time) && !this.refused.has(each));
    if (!missing.length) return;
    this.timer = setTimeout(() => {
      this.asked = new AbortController();
      const { signal } = this.asked;
      for (const topic of missing) void this.load(topic, time, signal);
    }, WAIT_MS);
  }

  /** The pointer has left. */
  rest(): void {
    clearTimeout(this.timer);
    this.asked?.abort();
  }

  close(): void {
    this.rest();
    for (const { picture } of this.kept.values()) picture?.close();
    this.kept.clear();
  }

  private async load(topic: string, time: number, signal: AbortSignal): Promise<void> {
    const query = new URLSearchParams({
      topic,
      time: secondsText(this.origin, time),
      width: String(WIDTH),
      height: String(HEIGHT),
    });
    try {
      const response = await ask(bagPath(this.bag, `thumbnail?${query}`), signal);
      const picture = await createImageBitmap(await response.blob());
      if (signal.aborted) return picture.close();
      const at = Number(response.headers.get("Kitbag-Time")) - Number(this.origin) / 1e9;
      this.keep(`${topic} ${time}`, { picture, time: at });
    } catch (error) {
      if (signal.aborted) return;
      // A server that does not answer at all may do so later.
      if (!(error as Error).message.includes("does not answer")) this.refused.add(topic);
    }
    this.tell();
  }

  private keep(key: string, thumbnail: Thumbnail): void {
    this.kept.get(key)?.picture?.close();
    this.kept.set(key, thumbnail);
    if (this.kept.size <= MOST_KEPT) return;
    const [oldest, { picture }] = this.kept.entries().next().value!;
    picture?.close();
    this.kept.delete(oldest);
  }
}
