// A bag on the screen: its topics, the panels, and the timeline below them.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { TokenNeeded, type Topic } from "../api";
import { DebugStrip, useDebugStrip } from "../debug/strip";
import { AddMenu, chooseLayout, LayoutMenu, Share } from "../layout/bar";
import "../layout/bar.css";
import { Desk } from "../layout/desk";
import { Dock } from "../layout/dock";
import { sourceOf } from "../layout/find";
import { Help } from "../layout/help";
import { Pager } from "../layout/pager";
import { Search } from "../layout/search";
import { Topics } from "../layout/topics";
import { panels } from "../panels/registry";
import { LiveBar } from "../live/bar";
import { outsidePanels } from "../outside/load";
import type { Panel } from "../panels/panel";
import { BagList, BagProblems } from "../source/joined/view";
import { isLocal, shownName } from "../source/source";
import { EventList } from "../timeline/event_list";
import { sourceOfEvents } from "../timeline/find";
import { Pin } from "../timeline/pin";
import { Timeline } from "../timeline/timeline";
import { writeScreen, type Screen } from "../url";
import { isForElement, onKey } from "./keys";
import { Player } from "./player";

interface Props {
  screen: Screen;
  onLeave(): void;
  onRefused(): void;
}

export function PlayerPage({ screen, onLeave, onRefused }: Props) {
  const [player, setPlayer] = useState<Player | null>(null);
  const [outside, setOutside] = useState<Panel[]>([]);
  const [problem, setProblem] = useState("");
  const bag = screen.bag!;
  useEffect(() => {
    let opened: Player | null = null;
    let isGone = false;
    const names = panels.map(({ name }) => name);
    Promise.all([Player.open(bag, screen.time), outsidePanels(names)]).then(
      ([made, found]) => {
        if (isGone) return made.close();
        setOutside(found);
        opened = made;
        if (screen.marks) made.setMarks(screen.marks);
        made.pins.chosen = screen.pins ?? null;
        setPlayer(made);
      },
      (error: Error) => {
        if (error instanceof TokenNeeded) onRefused();
        else setProblem(error.message);
      },
    );
    return () => {
      isGone = true;
      opened?.close();
    };
  }, [bag]);
  const home = (
    <>
      <h1>
        <a
          href="/"
          onClick={(event) => {
            event.preventDefault();
            onLeave();
          }}
        >
          kitbag
        </a>
      </h1>
      <span class="quiet">▸</span>
      <span class="bag" title={shownName(bag)}>
        {shownName(bag)}
      </span>
      {isLocal(bag) && <span class="quiet">a file of this machine</span>}
      {player && <BagList player={player} />}
      {player && <LiveBar player={player} follows={screen.time === null} />}
    </>
  );
  return (
    <div class="player">
      {!player && <header class="top">{home}</header>}
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {!player && !problem && <p class="missing">Loading …</p>}
      {player && (
        <Bag player={player} screen={screen} outside={outside}>
          {home}
        </Bag>
      )}
    </div>
  );
}

const NARROW = matchMedia("(max-width: 640px)");

function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(NARROW.matches);
  useEffect(() => {
    const change = () => setNarrow(NARROW.matches);
    NARROW.addEventListener("change", change);
    return () => NARROW.removeEventListener("change", change);
  }, []);
  return isNarrow;
}

interface BagProps {
  player: Player;
  screen: Screen;
  /** Panels that are not of the page. */
  outside: Panel[];
  /** The begin of the head: the way back, and which bag it is. */
  children: ComponentChildren;
}

function Bag({ player, screen, outside, children }: BagProps) {
  const desk = useMemo(() => deskOf(player, screen, outside), [player]);
  const sources = useMemo(() => [sourceOf(desk), sourceOfEvents(player)], [desk]);
  const search = useRef<HTMLInputElement>(null);
  const isNarrow = useNarrow();
  const [isDrawn, setDrawn] = useState(false); // the drawer with the topics
  const [isHelp, setHelp] = useState(false);
  const isDebugged = useDebugStrip();
  useEffect(() => keepUrl(player, desk), [desk]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      const { key, ctrlKey, metaKey, altKey } = event;
      const isFree = !ctrlKey && !metaKey && !altKey && !isForElement(event);
      let isDone = true;
      if (isFree && key === "?") setHelp(true);
      else if (isFree && /^[1-9]$/.test(key)) isDone = chooseLayout(desk, Number(key));
      else isDone = onKey(event, player, desk.topic, () => search.current?.focus());
      if (isDone) event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [player, desk]);
  const find = <Search input={search} sources={sources} onDone={() => setDrawn(false)} />;
  return (
    <>
      <header class="top">
        {isNarrow && (
          <button
            class="drawer"
            aria-label="Topics"
            aria-expanded={isDrawn}
            aria-controls="topics"
            onClick={() => setDrawn(!isDrawn)}
          >
            ☰
          </button>
        )}
        {children}
        {!isNarrow && find}
        <span class="end" />
        <AddMenu desk={desk} />
        <LayoutMenu desk={desk} />
        <Share link={() => location.origin + location.pathname + textOf(player, desk, true)} />
        <button class="keys" aria-label="Keys" title="Keys ( ? )" onClick={() => setHelp(true)}>
          ?
        </button>
      </header>
      <BagProblems player={player} />
      {(!isNarrow || isDrawn) && (
        <Topics
          desk={desk}
          onOpen={() => setDrawn(false)}
          buttons={(topic) => <Pin player={player} topic={topic} />}
          below={<EventList player={player} />}
        >
          {isNarrow && find}
        </Topics>
      )}
      {isNarrow ? <Pager desk={desk} player={player} /> : <Dock desk={desk} player={player} />}
      <Timeline player={player} />
      {isDebugged && <DebugStrip player={player} />}
      {isHelp && <Help onClose={() => setHelp(false)} />}
    </>
  );
}

function deskOf(player: Player, screen: Screen, outside: Panel[]): Desk {
  const has = {
    topics: player.bag.topics,
    topic: (name: string) => player.topic(name),
    numeric: memo((topic: Topic) => player.numeric(topic)),
    showTopics: (topics: string[]) => player.showTopics(topics),
  };
  return new Desk(has, [...panels, ...outside], screen.layout);
}

/** A function that is asked the same again and again. */
function memo<A, B>(make: (key: A) => B): (key: A) => B {
  const made = new Map<A, B>();
  return (key) => {
    if (!made.has(key)) made.set(key, make(key));
    return made.get(key)!;
  };
}

function textOf(player: Player, desk: Desk, hasLayout: boolean): string {
  const { bag, time, marks, pins } = player;
  const layout = hasLayout ? desk.layout : undefined;
  return writeScreen({ bag: bag.name, time, layout, marks, pins: pins.chosen });
}

const URL_MS = 500;

/** The URL follows the screen, but browsers do not like it to change each frame. */
function keepUrl(player: Player, desk: Desk): () => void {
  const write = () => {
    const text = textOf(player, desk, !desk.isDefault);
    if (text !== location.search) history.replaceState(null, "", text);
  };
  write();
  const unwatch = desk.watch(write);
  const timer = setInterval(write, URL_MS);
  return () => {
    unwatch();
    clearInterval(timer);
  };
}
