import { scales } from "../scales";
import { infoTopic } from "./calibration";
import type { PanelProps } from "../panel";

/** Settings: `map`, `low` and `high` of pixels that are numbers, `info` ("on") for camera info. */
export function ImageOptions({ place, topics, set }: PanelProps) {
  const { settings } = place;
  const choose = (name: string, value: string) => {
    const { [name]: _, ...others } = settings;
    set({ settings: value === "" ? others : { ...others, [name]: value } });
  };
  const info = infoTopic(place.topic, topics);
  const end = (name: "low" | "high", text: string) => (
    <label>
      {text}
      <input
        type="number"
        step="any"
        placeholder="of the picture"
        value={settings[name] ?? ""}
        onChange={(event) => choose(name, event.currentTarget.value)}
      />
    </label>
  );
  return (
    <div class="image-options">
      <label>
        Colours of numbers
        <select
          value={settings.map ?? ""}
          onChange={(event) => choose("map", event.currentTarget.value)}
        >
          <option value="">as the encoding suggests</option>
          {scales.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      {end("low", "Least number")}
      {end("high", "Greatest number")}
      <label>
        <input
          type="checkbox"
          disabled={!info}
          checked={settings.info === "on"}
          onChange={(event) => choose("info", event.currentTarget.checked ? "on" : "")}
        />
        Camera info{info ? ` of ${info}` : ": no topic has one"}
      </label>
    </div>
  );
}
