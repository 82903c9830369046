// The marked range: how long it is, whether it is played again and again, and its downloads.

import { Fragment } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { instantText, lengthText, sizeText } from "../format";
import type { Player } from "../player/player";
import { isServed } from "../source/source";
import { downloadsByBag, sizeOf, type Download } from "./downloads";
import { countIn } from "./heat";
import { NO_MARKS, rangeOf } from "./marks";

export function RangeBar({ player }: { player: Player }) {
  const { marks, bag, origin } = player;
  const range = rangeOf(marks, bag.length);
  if (!range && !marks.isLooping) return null;
  return (
    <div class="range" role="group" aria-label="Range">
      {range && (
        <span class="ends" data-a={range.start} data-b={range.end}>
          <b>A</b> {instantText(origin, range.start, 2)} <b>B</b>{" "}
          {instantText(origin, range.end, 2)}
          <span class="quiet"> {lengthText(range.end - range.start, 2)}</span>
        </span>
      )}
      <button
        class="plain"
        aria-pressed={marks.isLooping}
        title="Play it again and again (\)"
        onClick={() => player.setMarks({ ...marks, isLooping: !marks.isLooping })}
      >
        Loop
      </button>
      {range && isServed(bag.name) && (
        <Downloads player={player} start={range.start} end={range.end} />
      )}
      <button
        class="plain"
        aria-label="Clear the range"
        title="Clear the range (Esc)"
        onClick={() => player.setMarks(NO_MARKS)}
      >
        ×
      </button>
    </div>
  );
}

interface DownloadsProps {
  player: Player;
  start: number;
  end: number;
}

function Downloads({ player, start, end }: DownloadsProps) {
  const [isOpen, setOpen] = useState(false);
  const [isAll, setAll] = useState(false);
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const close = (event: PointerEvent) => {
      if (!details.current!.contains(event.target as Node)) details.current!.open = false;
    };
    addEventListener("pointerdown", close);
    return () => removeEventListener("pointerdown", close);
  }, [isOpen]);
  const { bag } = player;
  const all = bag.topics.map((each) => each.topic);
  const topics = player.topicsShown;
  const bags = isOpen ? downloadsByBag(bag, { start, end }, isAll ? null : topics) : [];
  return (
    <details
      ref={details}
      class="downloads"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary class="plain">Download</summary>
      {isOpen && (
        <div
          class="links"
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            details.current!.open = false;
            details.current!.querySelector("summary")!.focus();
          }}
        >
          <select
            aria-label="Topics to download"
            value={isAll ? "all" : "shown"}
            onChange={(event) => setAll(event.currentTarget.value === "all")}
          >
            <option value="shown">The topics shown ({player.topicsShown.length})</option>
            <option value="all">All topics ({all.length})</option>
          </select>
          {bags.map(({ title, range, links }) => (
            <Fragment key={title}>
              {bag.together && <b data-bag={title}>{title}</b>}
              {links.map((each) => (
                <Link
                  key={each.name}
                  link={each}
                  about={aboutText(player, isAll ? null : topics, range.start, range.end)}
                />
              ))}
              {!links.length && <span class="quiet">It is a file of this machine.</span>}
            </Fragment>
          ))}
          {!bags.length && <span class="quiet">No bag has anything of this range.</span>}
          <p class="quiet">
            With the last messages of latched topics before A
            {bag.together ? ", each bag with its own: the server sends one bag at a time." : "."}
          </p>
        </div>
      )}
    </details>
  );
}

function Link({ link, about }: { link: Download; about: string }) {
  const { format, title, href, name, problem } = link;
  if (problem) {
    return (
      <span class="quiet" data-format={format}>
        {title}: {problem}
      </span>
    );
  }
  return (
    <a href={href} download={name} data-format={format}>
      {title}
      {format === "mcap" && <span class="quiet">{about}</span>}
    </a>
  );
}

/** " about 2.1 MiB": of the topics by the messages that have been seen, of all by the whole bag. */
function aboutText(player: Player, topics: string[] | null, start: number, end: number): string {
  const { strips, store, bytes } = player;
  if (!strips.all) return "";
  const countOf = (topic: string) => {
    const strip = strips.byTopic.get(topic);
    return strip ? countIn(strip.counts, { start, end }) : 0;
  };
  const part = () =>
    countIn(strips.all!, { start, end }) /
    Math.max(1, countIn(strips.all!, { start: 0, end: player.bag.length }));
  const size = topics
    ? sizeOf(topics, countOf, (topic) => store.meanBytes(topic) ?? null)
    : bytes * part();
  return size === null ? "" : ` about ${sizeText(Math.round(size))}`;
}
