// Events: what somebody notes about a bag, at a time or from one to another. The server stores them
// beside the bag. Whoever changes or deletes one sends all of them back, with the state that was
// read, so that nobody's are lost; their times are kept digit by digit, since a double would round
// them.

import { ask, bagPath, send, TokenNeeded } from "../api";
import { secondsText } from "../player/slice";
import { nsOfExact, parseExactly, textExactly } from "./exact";

export interface BagEvent {
  /** Seconds since the start of the bag. */
  start: number;
  /** null: it is an instant. */
  end: number | null;
  label: string;
  description: string;
  /** Of several bags that are shown together, the one that it is of. */
  bag?: string;
  /** All that the server has of it. */
  raw: Record<string, unknown>;
}

export function parseEvents(text: string, origin: bigint): BagEvent[] {
  const answer = parseExactly(text) as { events?: unknown };
  const raws = Array.isArray(answer.events) ? (answer.events as Record<string, unknown>[]) : [];
  const events: BagEvent[] = [];
  for (const raw of raws) {
    const start = timeOf(raw.start_time, origin);
    if (start === null) continue;
    const { label, description, __bag: bag } = raw;
    events.push({
      start,
      end: timeOf(raw.end_time, origin),
      label: typeof label === "string" ? label : "",
      description: typeof description === "string" ? description : "",
      ...(typeof bag === "string" && { bag }),
      raw,
    });
  }
  return events.sort((a, b) => a.start - b.start);
}

function timeOf(value: unknown, origin: bigint): number | null {
  const ns = nsOfExact(value);
  return ns === null ? null : Number(ns - origin) / 1e9;
}

/** The text that replaces all events. */
export function eventsText(events: BagEvent[]): string {
  return textExactly({ events: events.map(({ raw }) => raw) });
}

/** The text that adds one. */
export function eventText(origin: bigint, start: number, end: number | null, label: string) {
  const time = (seconds: number) => `@${secondsText(origin, seconds)}`;
  const raw = { start_time: time(start), ...(end !== null && { end_time: time(end) }), label };
  return textExactly(raw);
}

/** Those that have a word, in upper or lower case. */
export function found(events: BagEvent[], word: string): BagEvent[] {
  const wanted = word.toLowerCase();
  return events.filter((each) =>
    `${each.label}\n${each.description}`.toLowerCase().includes(wanted),
  );
}

/** The events of a bag, as the server has them. */
export class Events {
  list: BagEvent[] = [];
  /** Why the last change was refused. */
  problem = "";
  /** Where an event is being named; null: nowhere. */
  draft: { start: number; end: number | null } | null = null;
  /** Grows with each change. */
  version = 0;
  private etag = "";
  private readonly told = new Set<() => void>();

  constructor(
    private readonly bag: string,
    private readonly origin: bigint,
  ) {}

  /** Calls `tell` after each change, until the function that is returned is called. */
  onChange(tell: () => void): () => void {
    this.told.add(tell);
    return () => this.told.delete(tell);
  }

  private tell(): void {
    ++this.version;
    for (const each of this.told) each();
  }

  private get path(): string {
    return bagPath(this.bag, "events");
  }

  async load(): Promise<void> {
    try {
      await this.take(await ask(this.path));
    } catch {
      // The player says that the server does not answer.
    }
  }

  private async take(response: Response): Promise<void> {
    this.etag = response.headers.get("ETag") ?? "";
    this.list = parseEvents(await response.text(), this.origin);
    this.tell();
  }

  /** Begins to name an event; null: leaves it. */
  begin(draft: { start: number; end: number | null } | null): void {
    this.draft = draft;
    this.problem = "";
    this.tell();
  }

  async add(label: string): Promise<void> {
    if (!this.draft) return;
    const { start, end } = this.draft;
    if (await this.change(eventText(this.origin, start, end, label))) this.begin(null);
  }

  remove(event: BagEvent): Promise<boolean> {
    return this.replace(this.list.filter((each) => each !== event));
  }

  rename(event: BagEvent, label: string): Promise<boolean> {
    const renamed = { ...event, raw: { ...event.raw, label } };
    return this.replace(this.list.map((each) => (each === event ? renamed : each)));
  }

  private replace(events: BagEvent[]): Promise<boolean> {
    return this.change(eventsText(events), this.etag);
  }

  private async change(body: string, etag?: string): Promise<boolean> {
    this.problem = "";
    try {
      await this.take(await send(this.path, body, etag));
      return true;
    } catch (error) {
      this.problem = whyNot(error as Error);
      if (etag !== undefined) await this.load();
      this.tell();
      return false;
    }
  }
}

/** What a person can do about it. */
function whyNot(error: Error): string {
  if (error instanceof TokenNeeded) return "Not stored: reload the page and give the token";
  if (error.message.includes("--token")) {
    return "Not stored: start kitbag serve with --token, so that it takes events";
  }
  return `Not stored: ${error.message}`;
}
