// The events of several bags as one list. Each event says which bag it is of, and what is done to
// it is done to the events of that bag, with their version. A new one goes to the first bag that
// has its time. A local file has no events.

import { nsOfExact, parseExactly, textExactly } from "../../timeline/exact";
import { shownName } from "../source";
import type { Opened } from "./parts";

/** The bag of an event, beside what the server has of it. */
const BAG = "__bag";

type RawEvent = Record<string, unknown>;

interface Kept {
  etag: string;
  /** The events, to see which bags a change is about. */
  text: string;
}

export class JoinedEvents {
  private readonly kept = new Map<Opened, Kept>();
  /** All bags, as the last answer had them. */
  private version = 0;

  async read(parts: Opened[]): Promise<Response> {
    const lists = await Promise.all(
      parts.map(async (part) => {
        if (!part.isServed) return [];
        const response = await part.source.ask("events");
        return this.keep(part, response.headers.get("ETag") ?? "", await response.text());
      }),
    );
    return this.answer(lists);
  }

  private keep(part: Opened, etag: string, answered: string): RawEvent[] {
    const { events } = parseExactly(answered) as { events?: unknown };
    const list = Array.isArray(events) ? (events as RawEvent[]) : [];
    this.kept.set(part, { etag, text: sortedText(list) });
    return list.map((each) => ({ ...each, [BAG]: part.name }));
  }

  private answer(lists: RawEvent[][]): Response {
    const headers = { ETag: `"${++this.version}"` };
    return new Response(textExactly({ events: lists.flat() }), { headers });
  }

  /** Adds one, or replaces all. */
  async send(parts: Opened[], body: string, etag?: string): Promise<Response> {
    const sent = parseExactly(body) as RawEvent & { events?: RawEvent[] };
    if (!sent.events) {
      await partOf(parts, sent).source.send("events", body);
    } else {
      // Whoever changes events has read them before; each bag looks at the version of its own.
      if (etag !== `"${this.version}"`) throw new Error("the events have changed since");
      for (const part of parts) await this.replace(part, sent.events);
    }
    return this.read(parts);
  }

  private async replace(part: Opened, all: RawEvent[]): Promise<void> {
    const kept = this.kept.get(part);
    if (!kept) return;
    const own = all.filter((each) => each[BAG] === part.name);
    const events = own.map(({ [BAG]: _, ...each }) => each);
    if (sortedText(events) === kept.text) return;
    await part.source.send("events", textExactly({ events }), kept.etag);
  }
}

const sortedText = (events: RawEvent[]) => events.map(textExactly).sort().join("\n");

/** The first bag that has the time of an event: all of it, or else its beginning. */
function partOf(parts: Opened[], event: RawEvent): Opened {
  const start = nsOfExact(event.start_time);
  const end = nsOfExact(event.end_time) ?? start;
  const has = ({ origin, end: last }: Opened, ns: bigint | null) =>
    ns !== null && origin <= ns && ns <= last;
  const served = parts.filter((each) => each.isServed);
  const part =
    served.find((each) => has(each, start) && has(each, end)) ??
    served.find((each) => has(each, start));
  if (part) return part;
  const other = parts.find((each) => has(each, start));
  if (other) throw new Error(`${shownName(other.name)} is a file that is not on the server`);
  throw new Error("none of the bags has this time");
}
