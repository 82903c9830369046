// What panels show in the same way: that there is nothing to show and why, and how old it is.

import { useEffect, useState } from "preact/hooks";

import type { Topic } from "../api";
import { numberText, timeStyle, type TimeStyle } from "../format";
import type { Feed } from "../player/feed";
import type { Message } from "../player/store";

interface Props {
  topic: Topic;
  feed: Feed;
  message: Message | undefined;
}

/** A panel is not drawn again when nothing comes, so this looks by itself whether it is loading. */
export function Missing(props: Props) {
  const { topic, feed, message } = props;
  const [, redraw] = useState("");
  useEffect(() => feed.onFrame(() => redraw(whyMissing(props))), [topic, feed, message]);
  return <p class="missing">{whyMissing(props)}</p>;
}

function whyMissing({ topic, feed, message }: Props): string {
  if (message?.error) return message.error;
  if (feed.isLoading) return "Loading …";
  if (topic.messages === 0) return "The bag has no message of this topic";
  return "No message yet at this time";
}

/** Periods without a message until the last one is stale. */
const STALE = 5;

export function isStale({ topic, feed, message }: Props): boolean {
  if (!message || !topic.rate_hz || topic.latched > 0) return false;
  return feed.time - message.time > STALE / topic.rate_hz;
}

/** How times are to be shown. A panel that asks is drawn again when it changes. */
export function useTimeStyle(feed: Feed): TimeStyle {
  const [style, setStyle] = useState(timeStyle());
  useEffect(() => feed.onFrame(() => setStyle(timeStyle())), [feed]);
  return style;
}

/** Tells how old a stale message is. */
export function Age(props: Props) {
  if (!isStale(props)) return null;
  const seconds = props.feed.time - props.message!.time;
  return <p class="age">{numberText(Number(seconds.toFixed(1)))} s old</p>;
}
