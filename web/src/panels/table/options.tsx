import { useEffect, useState } from "preact/hooks";

import type { PanelProps } from "../panel";
import { chosenColumns, columnsOf, type Column } from "./cells";

/** Which columns the table has. */
export function TableOptions({ place, topic, feed, set }: PanelProps) {
  const [columns, setColumns] = useState<Column[]>([]);
  useEffect(() => {
    let last: unknown;
    return feed.onFrame(() => {
      const message = feed.at(topic.topic);
      if (!message || message === last) return;
      last = message;
      const next = columnsOf([message.value]);
      const names = (of: Column[]) => of.map((each) => each.name).join("\n");
      setColumns((now) => (names(now) === names(next) ? now : next));
    });
  }, [feed, topic.topic]);
  const chosen = chosenColumns(columns, place.settings.columns?.split("\n"));
  const names = new Set(chosen.map((each) => each.name));
  const toggle = (name: string) => {
    const next = columns.filter((each) => names.has(each.name) !== (each.name === name));
    set({ settings: { ...place.settings, columns: next.map((each) => each.name).join("\n") } });
  };
  const usual = () => {
    const { columns: _, ...settings } = place.settings;
    set({ settings });
  };
  return (
    <fieldset class="table-options">
      <legend>Columns</legend>
      {columns.length === 0 && <p class="quiet">No message yet at this time</p>}
      {columns.map(({ name }) => (
        <label key={name}>
          <input type="checkbox" checked={names.has(name)} onChange={() => toggle(name)} /> {name}
        </label>
      ))}
      {place.settings.columns !== undefined && (
        <button class="link" onClick={usual}>
          The usual columns
        </button>
      )}
    </fieldset>
  );
}
