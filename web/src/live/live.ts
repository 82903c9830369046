// A bag that is being recorded grows. The page asks twice a second how far it has come; the slices
// are then those of any other bag. The clock follows its end until somebody pauses or seeks.

import { ask, askJson, bagPath, type Bag, type Schema, type Topic } from "../api";
import type { Player } from "../player/player";
import { isGrowing, isServed, namesIn } from "../source/source";

const POLL_MS = 500;
/** Topics and the density change slowly. */
const SLOW_MS = 2000;
/** What does not grow for so long is not live: a recorder has left it behind. */
const PATIENCE_MS = 5000;
/** Chunks of several topics are written side by side, so the last moments may lack messages. */
const OPEN_S = 0.2;

export class Live {
  isLive = false;
  problem = "";
  private timer: ReturnType<typeof setTimeout> | undefined;
  private slowAt = 0;
  private until = 0;
  private end: bigint | null = null;
  private isClosed = false;

  /** `follows`: from the end on, instead of where the player is. */
  constructor(
    private readonly player: Player,
    private readonly follows: boolean,
    private readonly onChange: () => void,
  ) {}

  async begin(): Promise<void> {
    const { name } = this.player.bag;
    const bags = isServed(name) ? await askJson<Bag[]>("/bags/").catch(() => []) : [];
    const own = namesIn(name);
    if (!bags.some((each) => each.recording && own.includes(each.filename))) return;
    this.until = performance.now() + PATIENCE_MS;
    await this.poll();
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private async poll(): Promise<void> {
    if (this.isClosed) return;
    let isOpen = true;
    try {
      isOpen = await this.look();
      this.problem = "";
    } catch (error) {
      this.problem = (error as Error).message;
    }
    if (this.isClosed) return;
    const goesOn = this.isLive || (isOpen && performance.now() < this.until);
    if (goesOn) this.timer = setTimeout(() => void this.poll(), POLL_MS);
    this.onChange();
  }

  /** Returns whether the bag is still open. */
  private async look(): Promise<boolean> {
    const { bag } = this.player;
    const response = await ask(bagPath(bag.name, "info"));
    const isOpen = isGrowing(response);
    const end = BigInt(/"end_ns": *(\d+)/.exec(await response.text())?.[1] ?? 0);
    if (this.isClosed) return isOpen;
    const hasGrown = this.end !== null && end > this.end;
    this.end = end;
    const begins = isOpen && hasGrown && !this.isLive;
    if (isOpen && !this.isLive && !begins) return true;
    this.isLive = isOpen;
    this.player.clock.isOpen = isOpen;
    this.player.grow(Number(end - bag.origin) / 1e9 - (isOpen ? OPEN_S : 0));
    if (begins && this.follows) this.player.follow();
    const now = performance.now();
    if (isOpen && now < this.slowAt) return true;
    this.slowAt = now + SLOW_MS;
    const topics = await askJson<Topic[]>(bagPath(bag.name, "topics"));
    const isNew = topics.length !== bag.topics.length;
    const schemas = isNew ? await askJson<Schema[]>(bagPath(bag.name, "schemas")) : null;
    if (!this.isClosed) this.player.update(topics, schemas);
    return isOpen;
  }
}
