import { useEffect, useRef, useState } from "preact/hooks";

import type { Topic } from "../../api";
import { TransformFeed } from "../../player/transform_feed";
import type { PanelProps } from "../panel";
import { cloudFields } from "./clouds";
import { colourText } from "./colours";
import { robotFrame } from "./follow";
import { chosenColour, colouringOf, flatColour, isShown, kindOf, sceneTopics } from "./kinds";
import { withColour, withShown, type Kind } from "./kinds";

/** The frames of the scene, and what is shown of each topic. */
export function SceneOptions(props: PanelProps) {
  const { place, topics, feed, set } = props;
  const reader = useRef<TransformFeed | null>(null);
  const [frames, setFrames] = useState<string[]>([]);
  const [robot, setRobot] = useState("");
  useEffect(() => {
    reader.current = new TransformFeed(feed, topics);
    let count = -1;
    return feed.onFrame(() => {
      const transforms = reader.current!.update();
      if (transforms.size === count) return;
      count = transforms.size;
      setFrames(transforms.frames());
      setRobot(robotFrame(transforms) ?? "");
    });
  }, [feed, topics]);
  const { settings } = place;
  const choose = (name: string, value: string) => {
    const { [name]: _, ...others } = settings;
    set({ settings: value ? { ...others, [name]: value } : others });
  };
  return (
    <div class="scene-options">
      <label>
        Fixed frame
        <FrameChoice
          frames={frames}
          chosen={settings.fixed ?? ""}
          usual="top of the tree"
          choose={(frame) => choose("fixed", frame)}
        />
      </label>
      <label>
        Follow
        <select
          value={settings.follow ?? ""}
          onChange={(event) => choose("follow", event.currentTarget.value)}
        >
          <option value="">nothing</option>
          <option value="position">position</option>
          <option value="heading">position and heading</option>
        </select>
      </label>
      <label>
        Frame to follow
        <FrameChoice
          frames={frames}
          chosen={settings.robot ?? ""}
          usual={robot || "the robot"}
          choose={(frame) => choose("robot", frame)}
        />
      </label>
      <label>
        Axes
        <select
          value={settings.axes ?? ""}
          onChange={(event) => choose("axes", event.currentTarget.value)}
        >
          <option value="0">hidden</option>
          <option value="0.1">0.1 m</option>
          <option value="">0.4 m</option>
          <option value="1">1 m</option>
          <option value="3">3 m</option>
        </select>
      </label>
      <label>
        <input
          type="checkbox"
          checked={settings.names !== "0"}
          onChange={(event) => choose("names", event.currentTarget.checked ? "" : "0")}
        />
        Names of frames
      </label>
      <ul>
        {sceneTopics(topics).map((topic) => (
          <TopicRow key={topic.topic} {...props} one={topic} />
        ))}
      </ul>
    </div>
  );
}

interface ChoiceProps {
  frames: string[];
  chosen: string;
  usual: string;
  choose(frame: string): void;
}

function FrameChoice({ frames, chosen, usual, choose }: ChoiceProps) {
  const isKnown = chosen === "" || frames.includes(chosen);
  return (
    <select value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
      <option value="">{usual}</option>
      {(isKnown ? frames : [chosen, ...frames]).map((frame) => (
        <option key={frame} value={frame}>
          {frame.slice(0, 80)}
        </option>
      ))}
    </select>
  );
}

/** They say themselves how they are coloured, or by a palette. */
const OWN_COLOURS: Kind[] = ["grid", "cells", "markers", "entities", "robot"];

function TopicRow({ one, place, topics, feed, set }: PanelProps & { one: Topic }) {
  const name = one.topic;
  const shown = isShown(place, one, topics);
  const choices = coloursOf(one, feed.at(name)?.value);
  const chosen = chosenColour(place, one);
  const { field } = colouringOf(place, one, topics, choices);
  const hasFlat = !OWN_COLOURS.includes(kindOf(one)!);
  const isFlat = hasFlat && (chosen.startsWith("#") || (choices.length > 0 && !field));
  const flat = colourText(flatColour(place, one, topics));
  const choose = (colour: string) => set({ settings: withColour(place, one, colour) });
  return (
    <li>
      <label>
        <input
          type="checkbox"
          checked={shown}
          onChange={(event) =>
            set({ settings: withShown(place, one, topics, event.currentTarget.checked) })
          }
        />
        <span title={one.type}>{name}</span>
      </label>
      {choices.length > 0 && (
        <select
          aria-label={`What ${name} is coloured by`}
          value={isFlat ? "#" : chosen}
          onChange={(event) => {
            const { value } = event.currentTarget;
            choose(value === "#" ? flat : value);
          }}
        >
          {!choices.includes(chosen) && <option value="">{field || "usual"}</option>}
          {choices.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
          {hasFlat && <option value="#">one colour</option>}
        </select>
      )}
      {hasFlat && (choices.length === 0 || isFlat) && (
        <input
          type="color"
          aria-label={`Colour of ${name}`}
          value={flat}
          onChange={(event) => choose(event.currentTarget.value)}
        />
      )}
    </li>
  );
}

/** What a topic can be coloured by, other than one colour. */
function coloursOf(topic: Topic, value: unknown): string[] {
  switch (kindOf(topic)) {
    case "scan":
      return ["range", "intensity"];
    case "cloud":
    case "cells":
    case "old cloud":
      return cloudFields(value);
    case "grid":
      return ["map", "costmap"];
    default:
      return [];
  }
}
