// A video where the browser cannot decode it: frames that the server decodes, as pictures. One is
// asked for at a time, and then the newest that is wanted, so that playing shows as many as come.

import type { Topic } from "../../api";
import type { Feed, FramePicture } from "../../player/feed";
import type { Message } from "../../player/store";
import { isBegin } from "../../video/frame";

/** After a frame that cannot be decoded the next ones cannot either, up to a key frame. Whether
    there was one is not known after a jump. */
const JUMP_S = 1;

export class ServerVideo {
  private readonly gone = new AbortController();
  private wanted: Message | undefined;
  private failed: Message | undefined;
  private isBusy = false;

  constructor(
    private readonly feed: Feed,
    private readonly topic: Topic,
    /** Why the browser does not decode it. */
    private readonly why: string,
    private readonly give: (frame: FramePicture) => void,
    private readonly tell: (why: string) => void,
  ) {}

  /** Called in each frame of the page, with the message at its instant. */
  show(message: Message): void {
    if (message === this.wanted) return;
    this.wanted = message;
    if (!this.isBusy && !this.isHopeless(message)) void this.load();
  }

  close(): void {
    this.gone.abort();
  }

  private isHopeless({ time }: Message): boolean {
    if (!this.failed) return false;
    const since = this.failed.time;
    if (time < since || time - since > JUMP_S) return false;
    const { topic, type } = this.topic;
    return !this.feed.between(topic, since, time).some((each) => isBegin(type, each));
  }

  private async load(): Promise<void> {
    this.isBusy = true;
    let asked: Message | undefined;
    while (asked !== this.wanted && !this.isHopeless(this.wanted!)) {
      asked = this.wanted!;
      try {
        const frame = await this.feed.picture(this.topic.topic, asked.time, this.gone.signal);
        const isGone = this.gone.signal.aborted;
        if (!isGone) this.give(frame);
        frame.picture.close();
        if (isGone) return;
        this.failed = undefined;
      } catch (error) {
        if (this.gone.signal.aborted) return;
        this.failed = asked;
        this.tell(`${this.why}, and the server gives no picture: ${(error as Error).message}`);
      }
    }
    this.isBusy = false;
  }
}
