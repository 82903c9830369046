// What panels show in the same way: that there is nothing to show and why, and how old it is.

import type { Topic } from "../api";
import { numberText } from "../format";
import type { Feed } from "../player/feed";
import type { Message } from "../player/store";

interface Props {
  topic: Topic;
  feed: Feed;
  message: Message | undefined;
}

export function Missing({ topic, feed, message }: Props) {
  let why = "No message yet at this time";
  if (message?.error) why = message.error;
  else if (feed.isLoading) why = "Loading …";
  else if (topic.messages === 0) why = "The bag has no message of this topic";
  return <p class="missing">{why}</p>;
}

/** Periods without a message until the last one is stale. */
const STALE = 5;

export function isStale({ topic, feed, message }: Props): boolean {
  if (!message || !topic.rate_hz || topic.latched > 0) return false;
  return feed.time - message.time > STALE / topic.rate_hz;
}

/** Tells how old a stale message is. */
export function Age(props: Props) {
  if (!isStale(props)) return null;
  const seconds = props.feed.time - props.message!.time;
  return <p class="age">{numberText(Number(seconds.toFixed(1)))} s old</p>;
}
