// The desk on a small screen: one panel at a time. One swipes from panel to panel, which is the
// browser's own scrolling, or chooses one above. The layout stays what it is on a large screen.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import type { Player } from "../player/player";
import { useDesk, type Desk } from "./desk";
import { panesOf } from "./model";
import { PaneActions, PaneView, showLate, titleOf } from "./pane";
import "./pager.css";

export function Pager({ desk, player }: { desk: Desk; player: Player }) {
  useDesk(desk);
  const pages = useRef<HTMLDivElement>(null);
  const titles = useRef<HTMLDivElement>(null);
  const [chosen] = useState(() => new Set<string>());
  const [seen, setSeen] = useState<string[]>([]);
  const visible = useRef<string[]>([]);
  const panes = panesOf(desk.layout);
  const focused = panes.findIndex(({ id }) => id === desk.focused);
  const order = panes.map(({ id }) => id).join(" ");

  /** Which pages one sees; while one swipes, there are two. */
  const look = () => {
    const { scrollLeft, clientWidth } = pages.current!;
    const at = clientWidth ? scrollLeft / clientWidth : 0;
    const now = panesOf(desk.layout);
    const inside = now.slice(Math.floor(at + 0.01), Math.ceil(at - 0.01) + 1).map(({ id }) => id);
    visible.current = inside;
    setSeen((all) => (inside.every((id) => all.includes(id)) ? all : [...all, ...inside]));
    const nearest = now[Math.round(at)];
    if (nearest) desk.focus(nearest.id);
  };
  useLayoutEffect(() => {
    const { current } = pages;
    if (!current) return;
    const left = Math.max(0, focused) * current.clientWidth;
    const { scrollLeft, clientWidth } = current;
    // A swipe that has come closer to this page than to others goes on by itself.
    if (Math.abs(scrollLeft - left) >= clientWidth / 2) current.scrollTo({ left });
    titles.current?.children[focused]?.scrollIntoView({ block: "nearest" });
    look();
  }, [desk.focused, order]);
  useEffect(() => {
    const turn = () => pages.current?.scrollTo({ left: pages.current.clientWidth * focused });
    addEventListener("resize", turn);
    return () => removeEventListener("resize", turn);
  }, [focused]);

  const main = useRef<HTMLElement>(null);
  useEffect(() => showLate(player, main.current!), [player]);

  return (
    <main class="places pager" ref={main}>
      {panes.length === 0 && <p class="missing">Choose a topic to look at it.</p>}
      <div class="titles" ref={titles} role="tablist" aria-label="Panels">
        {panes.map(({ id, place }) => (
          <button
            key={id}
            role="tab"
            aria-selected={id === desk.focused}
            onClick={() => desk.focus(id)}
          >
            {titleOf(place, desk)}
          </button>
        ))}
      </div>
      <div class="pages" ref={pages} onScroll={look}>
        {panes.map(({ id }) => (
          <div class="page" key={id}>
            <PaneActions
              id={id}
              desk={desk}
              player={player}
              chosen={chosen}
              isLarge={false}
              enlarge={undefined}
            />
            <div class="pane">
              {seen.includes(id) && (
                <PaneView
                  id={id}
                  desk={desk}
                  player={player}
                  chosen={chosen}
                  isVisible={() => visible.current.includes(id)}
                />
              )}
            </div>
          </div>
        ))}
      </div>
    </main>
  );
}
