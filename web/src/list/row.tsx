// A bag in the table.

import { useEffect, useRef } from "preact/hooks";

import type { Bag } from "../api";
import { countText, dateText, lengthText, sizeText } from "../format";
import { shownName } from "../source/source";
import { cameraOf } from "./camera";
import type { Facts } from "./facts";
import type { Listed } from "./growth";

interface Props {
  bag: Listed;
  facts: Facts;
  isDark: boolean;
  onOpen(bag: string): void;
  isSelected: boolean;
  /** `isRange`: all from the row that was selected before. */
  onSelect(isRange: boolean): void;
}

export function Row({ bag, facts, isDark, onOpen, isSelected, onSelect }: Props) {
  const open = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    onOpen(bag.filename);
  };
  const { filename, error } = bag;
  const name = shownName(filename);
  // Why it cannot be read stands where its time would.
  const span = error === undefined ? 1 : 3;
  return (
    <tr data-bag={filename} class={isSelected ? "selected" : ""}>
      <td class="select">
        {error === undefined && (
          <label>
            <input
              type="checkbox"
              aria-label={`Select ${name}`}
              checked={isSelected}
              // What it shows is the selection's, also where a click with Shift changes others.
              onClick={(event) => onSelect(event.shiftKey)}
            />
          </label>
        )}
      </td>
      <td class="look">
        {facts.picture && (
          <Picture picture={facts.picture} topic={cameraOf(facts.topics ?? []) ?? ""} />
        )}
      </td>
      <td class="filename" colSpan={span}>
        <div>
          {error === undefined ? (
            <a href={`?bag=${encodeURIComponent(filename)}`} title={titleOf(bag)} onClick={open}>
              {name}
            </a>
          ) : (
            <span class="unreadable" tabIndex={0} title={name}>
              {name}
            </span>
          )}
          <Marks bag={bag} />
        </div>
        {error !== undefined && (
          <small class="bad" title={error}>
            cannot be read: {error}
          </small>
        )}
        {error === undefined && <small class="brief">{briefly(bag)}</small>}
      </td>
      {span === 1 && (
        <>
          <td class="start_time">
            {bag.start_time === undefined ? "" : dateText(bag.start_time)}
          </td>
          <td class="number">{bag.duration === undefined ? "" : lengthText(bag.duration, 1)}</td>
        </>
      )}
      <td class="number">{sizeText(bag.size_bytes)}</td>
      <td class="number">{bag.topics === undefined ? "" : countText(bag.topics)}</td>
      <td class="number">{bag.messages === undefined ? "" : countText(bag.messages)}</td>
      <td class="density">
        {facts.density && <Density counts={facts.density} isDark={isDark} />}
      </td>
    </tr>
  );
}

/** The name, and what somebody has noted. */
function titleOf(bag: Bag): string {
  const tags = Object.entries(bag.tags ?? {}).map(([name, value]) => `${name}=${value}`);
  return [shownName(bag.filename), ...tags, ...(bag.note ? [bag.note] : [])].join("\n");
}

function Marks({ bag }: { bag: Listed }) {
  if (bag.isLive) return <span class="mark live">live</span>;
  if (bag.isLive === false) {
    const why = "Its recorder has not completed it, or waits. kitbag repair completes it.";
    return (
      <span class="mark" title={why}>
        not completed
      </span>
    );
  }
  if (!bag.damaged || bag.recording) return null;
  const why = "A part of it is damaged. What is intact is shown; kitbag repair saves it.";
  return (
    <span class="mark" title={why}>
      damaged
    </span>
  );
}

/** What a phone has no columns for. */
function briefly(bag: Bag): string {
  const texts = [sizeText(bag.size_bytes)];
  if (bag.duration !== undefined) texts.unshift(lengthText(bag.duration, 0));
  if (bag.start_time !== undefined) texts.push(dateText(bag.start_time).slice(0, 16));
  return texts.join(" · ");
}

function Picture({ picture, topic }: { picture: ImageBitmap; topic: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => canvas.current!.getContext("2d")!.drawImage(picture, 0, 0), [picture]);
  return (
    <canvas
      ref={canvas}
      role="img"
      aria-label={`${topic} in the middle of the bag`}
      title={topic}
      width={picture.width}
      height={picture.height}
    />
  );
}

const WIDTH = 120;
const HEIGHT = 24;

/** A bar for each part of the bag: its messages, compared with the busiest part. */
function Density({ counts, isDark }: { counts: number[]; isDark: boolean }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const context = canvas.current!.getContext("2d")!;
    const most = Math.max(1, ...counts);
    const bar = (2 * WIDTH) / counts.length;
    context.clearRect(0, 0, 2 * WIDTH, 2 * HEIGHT);
    context.fillStyle = getComputedStyle(canvas.current!).getPropertyValue("--density");
    counts.forEach((count, i) => {
      const height = count && Math.max(2, (count / most) * 2 * HEIGHT);
      context.fillRect(i * bar, 2 * HEIGHT - height, bar - 1, height);
    });
  }, [counts, isDark]);
  return (
    <canvas
      ref={canvas}
      role="img"
      aria-label="Messages over time"
      width={2 * WIDTH}
      height={2 * HEIGHT}
    />
  );
}
