// A panel in its place: its view, what one may choose there, and why there is none.

import { useMemo } from "preact/hooks";

import type { Topic } from "../api";
import { asksOf } from "../code/asks";
import { Code } from "../code/view";
import type { PanelProps, Place } from "../panels/panel";
import { placeFor } from "../player/layout";
import type { Player } from "../player/player";
import { isServed } from "../source/source";
import { useDesk, type Desk } from "./desk";
import { feedWhile } from "./feed";
import { paneWith } from "./model";

/** What a panel of the whole bag gets as its topic. */
const NO_TOPIC: Topic = { topic: "", type: "", messages: 0, latched: 0 };

/** What a pane is called. */
export function titleOf(place: Place, desk: Desk): string {
  return place.topic || (desk.panel(place.panel)?.title ?? place.panel);
}

function topicOf(place: Place, desk: Desk): Topic | undefined {
  const isOfBag = desk.panel(place.panel)?.isOfBag && !place.topic;
  return isOfBag ? NO_TOPIC : desk.bag.topic(place.topic);
}

/** Says of an element that the messages of another instant are on their way. */
export const showLate = (player: Player, element: Element) =>
  player.onFrame(() => element.classList.toggle("late", player.isLate));

interface PaneProps {
  id: string;
  desk: Desk;
  player: Player;
  isVisible(): boolean;
  /** The panes whose choices are open. */
  chosen: Set<string>;
}

export function PaneView({ id, desk, player, isVisible, chosen }: PaneProps) {
  useDesk(desk);
  const feed = useMemo(() => feedWhile(player, isVisible), [player]);
  const place = paneWith(desk.layout, id)?.place;
  if (!place) return null;
  const panel = desk.panel(place.panel);
  const topic = topicOf(place, desk);
  const numeric = topic ? desk.bag.numeric(topic) : [];
  const set: PanelProps["set"] = (change) => {
    const now = paneWith(desk.layout, id)?.place;
    if (now) desk.setPlace(id, { ...now, ...change });
  };
  const props = topic && { place, topic, topics: desk.bag.topics, numeric, feed, set };
  return (
    <section class="place" data-panel={place.panel} data-topic={place.topic}>
      {props && panel?.Options && chosen.has(id) && (
        <div class="options" role="group" aria-label={`Options of ${titleOf(place, desk)}`}>
          <panel.Options key={panel.name} {...props} />
        </div>
      )}
      <div class="body">
        {!topic && <p class="missing">The bag has no topic of this name</p>}
        {topic && !panel && <p class="missing">There is no panel of this name</p>}
        {props && panel && <panel.View key={panel.name} {...props} />}
      </div>
    </section>
  );
}

interface HeadProps {
  id: string;
  desk: Desk;
  player: Player;
  chosen: Set<string>;
  isLarge: boolean;
  /** Undefined: there is nothing to be larger than. */
  enlarge: (() => void) | undefined;
}

/** What one does with a panel: another kind of panel, its choices, its size, and away with it. */
export function PaneActions({ id, desk, player, chosen, isLarge, enlarge }: HeadProps) {
  useDesk(desk);
  const place = paneWith(desk.layout, id)?.place;
  if (!place) return null;
  const panel = desk.panel(place.panel);
  const topic = topicOf(place, desk);
  const numeric = topic ? desk.bag.numeric(topic) : [];
  const title = titleOf(place, desk);
  const possible = desk.panels.filter((each) => {
    if (each === panel) return true;
    if (!topic?.topic) return each.isOfBag;
    return each.shows(topic) > 0 || (each.fields && numeric.length > 0);
  });
  const choose = (name: string) => {
    const next = desk.panel(name)!;
    if (topic?.topic) desk.setPlace(id, placeFor(topic, next, numeric));
    else desk.setPlace(id, { panel: name, topic: "", fields: [], settings: {} });
  };
  const toggle = () => {
    if (!chosen.delete(id)) chosen.add(id);
    desk.refresh();
  };
  return (
    <div class="actions">
      {topic && (
        <select
          aria-label={`Panel of ${title}`}
          value={place.panel}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {possible.map((each) => (
            <option key={each.name} value={each.name}>
              {each.title}
            </option>
          ))}
        </select>
      )}
      {panel?.Options && topic && (
        <button
          aria-label={`Options of ${title}`}
          title="Options"
          aria-expanded={chosen.has(id)}
          onClick={toggle}
        >
          <Icon name="gear" />
        </button>
      )}
      {topic && isServed(player.bag.name) && (
        <Code
          title={title}
          bag={player.bag}
          asks={() => asksOf(place, panel, desk.bag.topics, player)}
        />
      )}
      {enlarge && (
        <button
          aria-label={`${isLarge ? "Restore" : "Maximise"} ${title}`}
          title={isLarge ? "Restore" : "Maximise"}
          aria-pressed={isLarge}
          onClick={enlarge}
        >
          <Icon name={isLarge ? "small" : "large"} />
        </button>
      )}
      <button aria-label={`Close ${title}`} title="Close" onClick={() => desk.close(id)}>
        <Icon name="close" />
      </button>
    </div>
  );
}

const ICONS = {
  close: "M4 4l8 8M12 4l-8 8",
  large: "M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3",
  small: "M6 3v3H3M13 6h-3V3M10 13v-3h3M3 10h3v3",
  gear: "M3 5h5M12 5h1M3 11h1M8 11h5M10 3.5v3M6 9.5v3",
};

function Icon({ name }: { name: keyof typeof ICONS }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  );
}
