// What the page says of several bags that it shows together: which ones they are, how far apart,
// and what is not as in the bags themselves. A click on a bag goes to it.

import { useState } from "preact/hooks";

import { dateText, lengthText } from "../../format";
import { Menu } from "../../layout/menu";
import { FIRST_TIME, type Player } from "../../player/player";
import "./view.css";
import { aboutText, placed, spansOf, type Span } from "./words";

/** Bags that are farther apart have that said in the head of the page. */
const FAR = 3600;

export function BagList({ player }: { player: Player }) {
  const { bag } = player;
  if (!bag.together) return null;
  const { parts, problems, notes } = bag.together;
  const spans = spansOf(bag);
  const all = parts.length + problems.length;
  const count = problems.length ? `${parts.length} of ${all} bags` : `${all} bags`;
  const apart = player.gaps.reduce((most, gap) => Math.max(most, gap.end - gap.start), 0);
  const show = ({ start, end }: Span) => {
    player.seek(Math.min(start + FIRST_TIME, end));
    player.view = { start, end: Math.max(end, start + 0.05) };
  };
  return (
    <div class="bags">
      <Menu label="The bags" face={<Face count={count} apart={apart} />}>
        {(close) => (
          <>
            <ul>
              {placed(spans).map(({ span, place }) => (
                <li key={span.title}>
                  <button
                    data-bag={span.title}
                    onClick={() => {
                      show(span);
                      close();
                    }}
                  >
                    <b>{span.title}</b>
                    <span class="quiet">
                      {dateText(player.origin + span.start)}, {lengthText(span.end - span.start, 1)}
                      <br />
                      {place}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
            {[...problems, ...notes].map((text) => (
              <p key={text}>{text}</p>
            ))}
          </>
        )}
      </Menu>
    </div>
  );
}

function Face({ count, apart }: { count: string; apart: number }) {
  return (
    <>
      {count}
      {apart > FAR && <span>, {aboutText(apart)} apart</span>}
    </>
  );
}

/** What is missing or has another name stands over the panels until somebody has read it. */
export function BagProblems({ player }: { player: Player }) {
  const [isRead, setRead] = useState(false);
  const { problems = [], notes = [] } = player.bag.together ?? {};
  if (isRead || !(problems.length + notes.length)) return null;
  return (
    <div class="bag-problems" role={problems.length ? "alert" : "status"}>
      <div>
        {problems.map((text) => (
          <p key={text} class="bad">
            {text}
          </p>
        ))}
        {notes.map((text) => (
          <p key={text}>{text}</p>
        ))}
      </div>
      <button aria-label="Hide" title="Hide" onClick={() => setRead(true)}>
        ×
      </button>
    </div>
  );
}
