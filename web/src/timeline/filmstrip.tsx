// What is under the pointer: the time, and the pictures that cameras have taken by then.

import { useEffect, useRef } from "preact/hooks";

import { momentText } from "../format";
import type { Player } from "../player/player";
import type { Thumbnail, Thumbnails } from "./thumbnails";

interface Props {
  player: Player;
  thumbnails: Thumbnails;
  topics: string[];
  time: number;
  /** The step of time that its pictures are kept by. */
  step: number;
  /** Of the pointer, and of all that it can be on, in pixels. */
  x: number;
  width: number;
}

export function Filmstrip({ player, thumbnails, topics, time, step, x, width }: Props) {
  const shown = topics.filter((topic) => !thumbnails.isRefused(topic));
  const half = shown.length ? Math.min(width, shown.length * 168 + 16) / 2 : 56;
  const left = Math.min(Math.max(half, x), Math.max(half, width - half));
  return (
    <div class="hover" style={{ left: `${left}px` }} data-hover={time}>
      {shown.length > 0 && (
        <div class="pictures">
          {shown.map((topic) => (
            <figure key={topic}>
              <Still topic={topic} thumbnail={thumbnails.at(topic, step)} />
              {shown.length > 1 && <figcaption class="quiet">{topic}</figcaption>}
            </figure>
          ))}
        </div>
      )}
      <span>{momentText(player.origin, time, player.bag.length)}</span>
    </div>
  );
}

/** While a picture is on its way, the last one stays, and is pale. */
function Still({ topic, thumbnail }: { topic: string; thumbnail: Thumbnail | undefined }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const picture = thumbnail?.picture;
    if (!picture || !canvas.current) return;
    canvas.current.width = picture.width;
    canvas.current.height = picture.height;
    canvas.current.getContext("2d")!.drawImage(picture, 0, 0);
  }, [thumbnail]);
  return (
    <canvas
      ref={canvas}
      class={thumbnail ? "" : "late"}
      aria-label={`Picture of ${topic}`}
      data-topic={topic}
      data-time={thumbnail?.time}
    />
  );
}
