// Where the list comes from. A server with folders answers with all of its bags, and the page
// searches and sorts them. A server with a catalog has too many: it searches and sorts, and gives a
// page at a time, with the address of the next one. Which of the two it is, the first answer says.

import { ask, TokenNeeded, type Bag } from "../api";
import { Growth, type Listed } from "./growth";

export const PAGE_BAGS = 100;
const QUIET_MS = 2000;

/** The address of the next page, as the page asks for it: without the host, which a proxy may have
    changed. */
export function nextPath(link: string | null): string | null {
  const url = link?.match(/<([^>]*)>\s*;\s*rel="next"/)?.[1];
  if (!url) return null;
  const { pathname, search } = new URL(url, location.href);
  return pathname + search;
}

/** A first page that was asked for again, and what was loaded behind the old one. */
export function renewed(first: Bag[], old: Bag[]): Bag[] {
  const fresh = new Set(first.map((bag) => bag.filename));
  const last = old.findLastIndex((bag) => fresh.has(bag.filename));
  // Nothing of it was there before: what lies between is not known.
  return last < 0 ? first : [...first, ...old.slice(last + 1)];
}

export class BagLoader {
  /** null: not there yet. */
  bags: Listed[] | null = null;
  /** How many the search finds; null: the list is whole, and the page searches. */
  count: number | null = null;
  problem = "";
  /** The query that `bags` are the answer to. */
  shown = "";
  private query = "";
  private next: string | null = null;
  /** What the first answer was. */
  private answer = "";
  private round = 0;
  private isAdding = false;
  /** After a failure, the next page waits for a moment. */
  private quietUntil = 0;
  private readonly growth = new Growth();

  constructor(
    private readonly onNews: () => void,
    private readonly onRefused: () => void,
  ) {}

  get hasMore(): boolean {
    return this.next !== null;
  }

  /** From now on, of a server with a catalog, only the bags that the query selects. */
  async search(query: string): Promise<void> {
    if (query === this.query) return;
    this.query = query;
    await this.load();
  }

  /** Asks for the begin of the list, again. */
  async load(): Promise<void> {
    const round = ++this.round;
    const query = this.query;
    try {
      const response = await ask(`/bags/?${query}limit=${PAGE_BAGS}&count=1`);
      const text = await response.text();
      if (round !== this.round) return;
      const count = response.headers.get("Kitbag-Count");
      const problem = this.problem;
      this.problem = "";
      if (count === null) this.takeAll(text, problem);
      else this.takePage(text, query, Number(count), nextPath(response.headers.get("Link")));
    } catch (error) {
      if (round === this.round) this.fail(error as Error);
    }
  }

  /** Asks for the next page, unless it has been asked for. */
  async more(): Promise<void> {
    if (this.next === null || this.isAdding || performance.now() < this.quietUntil) return;
    this.isAdding = true;
    const round = this.round;
    try {
      const response = await ask(this.next);
      const bags = (await response.json()) as Bag[];
      if (round === this.round) {
        this.next = nextPath(response.headers.get("Link"));
        const known = new Set(this.bags?.map((bag) => bag.filename));
        this.bags = [...(this.bags ?? []), ...bags.filter((bag) => !known.has(bag.filename))];
        this.problem = "";
        this.onNews();
      }
    } catch (error) {
      if (round === this.round) this.fail(error as Error);
    } finally {
      this.isAdding = false;
    }
  }

  private takeAll(text: string, problem: string): void {
    const bags = this.growth.look(JSON.parse(text) as Bag[], performance.now());
    const answer = JSON.stringify(bags);
    // A list that has not changed is not drawn again.
    if (answer === this.answer && problem === "") return;
    this.answer = answer;
    this.bags = bags;
    this.onNews();
  }

  private takePage(text: string, query: string, count: number, next: string | null): void {
    const answer = `${query} ${count} ${text}`;
    if (answer !== this.answer) {
      const first = JSON.parse(text) as Bag[];
      const isSame = this.shown === query && this.bags !== null;
      const bags = isSame && next !== null ? renewed(first, this.bags!) : first;
      if (bags.length === first.length) this.next = next;
      this.bags = bags;
      this.count = count;
      this.answer = answer;
      this.shown = query;
    }
    this.onNews();
  }

  private fail(error: Error): void {
    if (error instanceof TokenNeeded) return this.onRefused();
    this.problem = error.message;
    this.quietUntil = performance.now() + QUIET_MS;
    this.onNews();
  }
}
