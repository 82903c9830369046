// A panel outside the page in its place. It draws in a shadow tree, so that its styles and those of
// the page do not meet. The page says for it that there is no message, and how old one is.

import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { instantText } from "../format";
import type { PanelProps } from "../panels/panel";
import { Age, isStale, Missing } from "../panels/shared";
import type { Feed } from "../player/feed";
import type { Message } from "../player/store";
import { optionsOf, textOf, type Outside } from "./module";
import type * as api from "./panel";
import "./view.css";

export function viewOf(outside: Outside, isThere: Promise<void>): ComponentType<PanelProps> {
  return function OutsideView(props: PanelProps) {
    const { topic } = props.topic;
    // What failed for one topic may be right for another one.
    const [failed, setFailed] = useState({ topic: "", why: "" });
    const [, setThere] = useState(outside.module !== undefined);
    useEffect(() => void isThere.then(() => setThere(true)), []);
    const own = failed.topic === topic ? failed.why : "";
    const why = outside.problem || own;
    const again = own ? () => setFailed({ topic, why: "" }) : undefined;
    if (why) return <Failed name={outside.name} why={why} again={again} />;
    if (!outside.module) return <p class="missing">Loading …</p>;
    const fail = (error: unknown) => {
      console.error(error);
      setFailed({ topic, why: `it failed: ${textOf(error)}` });
    };
    return <Mounted key={topic} {...props} module={outside.module} fail={fail} />;
  };
}

interface FailedProps {
  name: string;
  why: string;
  again: (() => void) | undefined;
}

function Failed({ name, why, again }: FailedProps) {
  return (
    <div class="outside failed" role="alert">
      <p class="missing">
        The panel {name} cannot be shown: {why}
      </p>
      {again && <button onClick={again}>Try again</button>}
    </div>
  );
}

interface MountedProps extends PanelProps {
  module: api.PanelModule;
  fail(error: unknown): void;
}

function Mounted({ module, fail, ...props }: MountedProps) {
  const { topic, feed } = props;
  const at = useRef<HTMLDivElement>(null);
  const now = useRef(props);
  now.current = props;
  const [message, setMessage] = useState<Message | undefined>();
  const [, setAge] = useState(0);
  const needsMessage = topic.topic !== "";
  const isReady = !needsMessage || (message !== undefined && message.error === undefined);
  useEffect(() => {
    const element = elementIn(at.current!, module.styles);
    let view: api.PanelView | undefined;
    let isFailed = false;
    const attempt = (what: () => void) => {
      if (isFailed) return;
      try {
        what();
      } catch (error) {
        isFailed = true;
        fail(error);
      }
    };
    attempt(() => (view = module.mount(element, hostOf(now))));
    const draw = () => {
      if (needsMessage) {
        const last = feed.at(topic.topic);
        const isOld = isStale({ topic, feed, message: last });
        setMessage(last);
        setAge(isOld ? Math.round((feed.time - last!.time) * 10) : 0);
        if (!last || last.error !== undefined) return;
      }
      attempt(() => view?.draw());
    };
    const stop = feed.onFrame(draw);
    return () => {
      stop();
      attempt(() => view?.remove?.());
    };
  }, []);
  return (
    <div class="outside" data-time={message?.time}>
      {needsMessage && <Age topic={topic} feed={feed} message={message} />}
      {!isReady && <Missing topic={topic} feed={feed} message={message} />}
      <div class="host" ref={at} hidden={!isReady} />
    </div>
  );
}

const BASE = ":host { display: block; } .panel { height: 100%; overflow: auto; }";

function elementIn(host: HTMLElement, styles: unknown): HTMLElement {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(BASE + (typeof styles === "string" ? styles : ""));
  root.adoptedStyleSheets = [sheet];
  const element = document.createElement("div");
  element.className = "panel";
  root.replaceChildren(element);
  return element;
}

/** What a panel sees, and no more of the page than that: the rest may change. */
function hostOf(now: { current: PanelProps }): api.PanelHost {
  const feed = feedOf(() => now.current.feed);
  return {
    get place() {
      return now.current.place;
    },
    get topic() {
      return now.current.topic;
    },
    get topics() {
      return now.current.topics;
    },
    get numeric() {
      return now.current.numeric;
    },
    feed,
    set: ({ topic, fields, settings }) =>
      now.current.set({
        ...(topic !== undefined && { topic: String(topic) }),
        ...(fields && { fields: fields.map(String) }),
        ...(settings && { settings: { ...settings } }),
      }),
    instantText: (time) => instantText(feed.origin, time),
  };
}

function feedOf(feed: () => Feed): api.Feed {
  return {
    get time() {
      return feed().time;
    },
    get origin() {
      return feed().origin;
    },
    get view() {
      return feed().view;
    },
    get covered() {
      return feed().covered;
    },
    get isLoading() {
      return feed().isLoading;
    },
    get hover() {
      return feed().hover;
    },
    set hover(time) {
      feed().hover = time;
    },
    at: (topic) => feed().at(topic),
    between: (topic, after, time) => feed().between(topic, after, time),
    series: (topic, fields, range, parts) => feed().series(topic, fields, range, parts),
    seek: (time) => feed().seek(time),
    zoom: (factor, around) => feed().zoom(factor, around),
    pan: (by) => feed().pan(by),
  };
}

/** What a person may choose, as the module lists it. */
export function optionsViewOf(outside: Outside): ComponentType<PanelProps> {
  return function OutsideOptions({ place, set }: PanelProps) {
    const choose = (name: string, value: string) =>
      set({ settings: { ...place.settings, [name]: value } });
    return (
      <>
        {optionsOf(outside.module!).map(({ name, title, values }) => (
          <label key={name}>
            {title}{" "}
            {values ? (
              <select
                name={name}
                value={place.settings[name] ?? values[0]}
                onChange={(event) => choose(name, event.currentTarget.value)}
              >
                {values.map((each) => (
                  <option key={each}>{each}</option>
                ))}
              </select>
            ) : (
              <input
                name={name}
                value={place.settings[name] ?? ""}
                onChange={(event) => choose(name, event.currentTarget.value)}
              />
            )}
          </label>
        ))}
      </>
    );
  };
}
