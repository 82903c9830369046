// The topics of the bag, on the left: a click opens one, and one drags them onto the panels.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import { countText, rateText } from "../format";
import { useDesk, type Desk } from "./desk";
import { putTopic } from "./drag";

interface Props {
  desk: Desk;
  /** Above the filter. */
  children?: ComponentChildren;
  onOpen?(): void;
  /** Behind each topic. */
  buttons?(topic: string): ComponentChildren;
  /** Below the list. */
  below?: ComponentChildren;
}

export function Topics({ desk, children, onOpen, buttons, below }: Props) {
  useDesk(desk);
  const [word, setWord] = useState("");
  const wanted = word.toLowerCase();
  return (
    <nav id="topics" class="topics" aria-label="Topics">
      {children}
      <input
        type="search"
        placeholder="Filter topics"
        aria-label="Filter topics"
        value={word}
        onInput={(event) => setWord(event.currentTarget.value)}
      />
      <ul>
        {desk.bag.topics
          .filter((topic) => `${topic.topic} ${topic.type}`.toLowerCase().includes(wanted))
          .map((topic) => (
            <li key={`${topic.topic} ${topic.type}`}>
              <button
                class={desk.shown.has(topic.topic) ? "shown" : ""}
                title={`${topic.type}, ${countText(topic.messages)} messages`}
                draggable
                onDragStart={(event) => putTopic(event.dataTransfer!, topic.topic)}
                onClick={() => {
                  desk.open({ topic: topic.topic });
                  onOpen?.();
                }}
              >
                <span>{topic.topic}</span>
                <span class="quiet">{rateText(topic.rate_hz)}</span>
              </button>
              {buttons?.(topic.topic)}
            </li>
          ))}
      </ul>
      {below}
    </nav>
  );
}
