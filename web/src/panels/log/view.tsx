import { useEffect, useState } from "preact/hooks";

import { clockText } from "../../format";
import { Missing } from "../shared";
import type { PanelProps } from "../panel";
import type { Message } from "../../player/store";
import { levelOf, levels, type Level } from "./level";

const SECONDS = 60;
const MOST = 200;

interface Line {
  level?: number;
  name?: string;
  msg?: string;
}

export function LogView({ topic, feed }: PanelProps) {
  const [messages, setMessages] = useState<Message[]>([]);
  const [least, setLeast] = useState<Level>("DEBUG");
  const [word, setWord] = useState("");
  useEffect(() => {
    let last = "";
    return feed.onFrame(() => {
      const all = feed.between(topic.topic, feed.time - SECONDS, feed.time);
      const key = `${all.length} ${all[0]?.time} ${all[all.length - 1]?.time}`;
      if (key !== last) setMessages(all);
      last = key;
    });
  }, [feed, topic.topic]);
  const shown = messages.filter((each) => isShown(each.value as Line, least, word)).slice(-MOST);
  return (
    <div class="log">
      <div class="tools">
        <select
          aria-label="Least level"
          value={least}
          onChange={(event) => setLeast(event.currentTarget.value as Level)}
        >
          {levels.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <input
          type="search"
          placeholder="Filter"
          aria-label="Filter the log"
          value={word}
          onInput={(event) => setWord(event.currentTarget.value)}
        />
      </div>
      {shown.length === 0 && messages.length === 0 && (
        <Missing topic={topic} feed={feed} message={undefined} />
      )}
      <ol>
        {shown.reverse().map((each) => {
          const line = (each.value ?? {}) as Line;
          const level = levelOf(line.level ?? 0);
          return (
            <li key={`${each.time} ${line.msg}`} data-level={level}>
              <button class="link time" onClick={() => feed.seek(each.time)}>
                {clockText(feed.origin + each.time)}
              </button>
              <span class="level">{level}</span>
              <span class="name">{line.name}</span>
              <span class="text">{each.error ?? line.msg}</span>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function isShown(line: Line | undefined, least: Level, word: string): boolean {
  if (!line) return true;
  if (levels.indexOf(levelOf(line.level ?? 0)) < levels.indexOf(least)) return false;
  const wanted = word.toLowerCase();
  return !wanted || `${line.name} ${line.msg}`.toLowerCase().includes(wanted);
}
