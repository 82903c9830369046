// A bag on the screen: its topics, the panels, and the timeline below them.

import { useEffect, useRef, useState } from "preact/hooks";

import { TokenNeeded, type Topic } from "../api";
import { countText, rateText } from "../format";
import type { Place } from "../panels/panel";
import { panelNamed, panels } from "../panels/registry";
import { writeScreen, type Screen } from "../url";
import { onKey } from "./keys";
import { bestPanel, defaultLayout, placeFor, topicsOf } from "./layout";
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
  const { topics } = player.bag;
  const [places, setPlaces] = useState<Place[]>(
    () => screen.places ?? defaultLayout(topics, panels, (topic) => player.numeric(topic)),
  );
  const [isDefault, setDefault] = useState(screen.places === null);
  const [word, setWord] = useState("");
  const [isLate, setLate] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const change = (next: Place[]) => {
    setPlaces(next);
    setDefault(false);
  };
  useEffect(() => {
    const read = (place: Place) => topicsOf(place, panelNamed(place.panel), topics);
    player.showTopics(places.flatMap(read));
  }, [places]);
  useEffect(() => player.onFrame(() => setLate(player.isLate)), [player]);
  useEffect(() => keepUrl(player, isDefault ? null : places), [places, isDefault]);
  useEffect(() => {
    const focused = places[0]?.topic;
    const press = (event: KeyboardEvent) => {
      if (onKey(event, player, focused, () => search.current?.focus())) event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [player, places]);
  const show = (topic: Topic) => {
    const panel = bestPanel(topic, panels);
    if (panel) change([...places, placeFor(topic, panel, player.numeric(topic))]);
  };
  const shown = new Set(places.map((place) => place.topic));
  const wanted = word.toLowerCase();
  return (
    <>
      <nav class="topics" aria-label="Topics">
        <input
          ref={search}
          type="search"
          placeholder="Search topics  ( / )"
          aria-label="Search topics"
          value={word}
          onInput={(event) => setWord(event.currentTarget.value)}
        />
        <ul>
          {topics
            .filter((topic) => `${topic.topic} ${topic.type}`.toLowerCase().includes(wanted))
            .map((topic) => (
              <li key={`${topic.topic} ${topic.type}`}>
                <button
                  class={shown.has(topic.topic) ? "shown" : ""}
                  title={`${topic.type}, ${countText(topic.messages)} messages`}
                  onClick={() => show(topic)}
                >
                  <span>{topic.topic}</span>
                  <span class="quiet">{rateText(topic.rate_hz)}</span>
                </button>
              </li>
            ))}
        </ul>
      </nav>
      <main class={isLate ? "places late" : "places"} data-count={Math.min(places.length, 6)}>
        {places.map((place, i) => (
          <PlaceView
            key={`${i} ${place.panel} ${place.topic}`}
            place={place}
            player={player}
            set={(next) => change(places.map((each, at) => (at === i ? next : each)))}
            close={() => change(places.filter((_, at) => at !== i))}
          />
        ))}
        {places.length === 0 && <p class="missing">Choose a topic on the left to look at it.</p>}
      </main>
      <Timeline player={player} />
    </>
  );
}

/** What a panel of the whole bag gets as its topic. */
const NO_TOPIC: Topic = { topic: "", type: "", messages: 0, latched: 0 };

interface PlaceProps {
  place: Place;
  player: Player;
  set(place: Place): void;
  close(): void;
}

function PlaceView({ place, player, set, close }: PlaceProps) {
  const panel = panelNamed(place.panel);
  const { topics } = player.bag;
  const topic = panel?.isOfBag && !place.topic ? NO_TOPIC : player.topic(place.topic);
  const numeric = topic ? player.numeric(topic) : [];
  const possible = panels.filter(
    (each) => topic && (each.shows(topic) > 0 || (each.fields && numeric.length > 0)),
  );
  return (
    <section class="place" data-panel={place.panel} data-topic={place.topic}>
      <header>
        <h2>{place.topic}</h2>
        {topic && (
          <select
            aria-label={`Panel of ${place.topic}`}
            value={place.panel}
            onChange={(event) => {
              const next = panelNamed(event.currentTarget.value)!;
              set(placeFor(topic, next, numeric));
            }}
          >
            {possible.map((each) => (
              <option key={each.name} value={each.name}>
                {each.title}
              </option>
            ))}
          </select>
        )}
        <button aria-label={`Close ${place.topic}`} title="Close" onClick={close}>
          ×
        </button>
      </header>
      <div class="body">
        {!topic && <p class="missing">The bag has no topic of this name</p>}
        {topic && !panel && <p class="missing">There is no panel of this name</p>}
        {topic && panel && (
          <panel.View
            place={place}
            topic={topic}
            topics={topics}
            numeric={numeric}
            feed={player}
            set={(changed) => set({ ...place, ...changed })}
          />
        )}
      </div>
    </section>
  );
}

const URL_MS = 500;

/** The URL follows the screen, but browsers do not like it to change each frame. */
function keepUrl(player: Player, places: Place[] | null): () => void {
  const write = () => {
    const text = writeScreen({ bag: player.bag.name, time: player.time, places });
    if (text !== location.search) history.replaceState(null, "", text);
  };
  write();
  const timer = setInterval(write, URL_MS);
  return () => clearInterval(timer);
}
