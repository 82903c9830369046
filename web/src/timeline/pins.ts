// The topics that have a row of their own in the timeline: those that somebody pinned, or else the
// first few that the panels show.

const MOST_BY_ITSELF = 4;

export class Pins {
  /** null: nobody has chosen. */
  chosen: string[] | null = null;
  private shown: string[] = [];
  private readonly told = new Set<() => void>();

  get list(): string[] {
    return this.chosen ?? this.shown.slice(0, MOST_BY_ITSELF);
  }
  has(topic: string): boolean {
    return this.list.includes(topic);
  }
  /** What the panels show. */
  show(topics: string[]): void {
    this.shown = [...new Set(topics)];
    this.tell();
  }
  toggle(topic: string): void {
    const { list } = this;
    this.chosen = this.has(topic) ? list.filter((each) => each !== topic) : [...list, topic];
    this.tell();
  }
  /** Calls `tell` after each change, until the function that is returned is called. */
  onChange(tell: () => void): () => void {
    this.told.add(tell);
    return () => this.told.delete(tell);
  }
  private tell(): void {
    for (const each of this.told) each();
  }
}
