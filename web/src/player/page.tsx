// A bag on the screen: its topics, the panels, and the timeline below them.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import { TokenNeeded, type Topic } from "../api";
import { Desk, useDesk } from "../layout/desk";
import { Dock } from "../layout/dock";
import { Topics } from "../layout/topics";
import { panels } from "../panels/registry";
import { writeScreen, type Screen } from "../url";
import { onKey } from "./keys";
import { Player } from "./player";
import { Timeline } from "./timeline";

interface Props {
  screen: Screen;
  onLeave(): void;
  onRefused(): void;
}

export function PlayerPage({ screen, onLeave, onRefused }: Props) {
  const [player, setPlayer] = useState<Player | null>(null);
  const [problem, setProblem] = useState("");
  const bag = screen.bag!;
  useEffect(() => {
    let opened: Player | null = null;
    let isGone = false;
    Player.open(bag, screen.time).then(
      (made) => {
        if (isGone) return made.close();
        opened = made;
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
  return (
    <div class="player">
      <header class="top">
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
        <span class="bag">{bag}</span>
      </header>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {!player && !problem && <p class="missing">Loading …</p>}
      {player && <Bag player={player} screen={screen} />}
    </div>
  );
}

function Bag({ player, screen }: { player: Player; screen: Screen }) {
  const desk = useMemo(() => {
    const { bag } = player;
    const numeric = memo((topic: Topic) => player.numeric(topic));
    const has = {
      topics: bag.topics,
      topic: (name: string) => player.topic(name),
      numeric,
      showTopics: (topics: string[]) => player.showTopics(topics),
    };
    return new Desk(has, panels, screen.layout);
  }, [player]);
  useDesk(desk);
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => keepUrl(player, desk), [desk]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      if (onKey(event, player, desk.topic, () => search.current?.focus())) event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [player, desk]);
  return (
    <>
      <Topics desk={desk} filter={search} />
      <Dock desk={desk} player={player} />
      <Timeline player={player} />
    </>
  );
}

/** A function that is asked the same again and again. */
function memo<A, B>(make: (key: A) => B): (key: A) => B {
  const made = new Map<A, B>();
  return (key) => {
    if (!made.has(key)) made.set(key, make(key));
    return made.get(key)!;
  };
}

const URL_MS = 500;

/** The URL follows the screen, but browsers do not like it to change each frame. */
function keepUrl(player: Player, desk: Desk): () => void {
  const write = () => {
    const layout = desk.isDefault ? undefined : desk.layout;
    const text = writeScreen({ bag: player.bag.name, time: player.time, layout });
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
