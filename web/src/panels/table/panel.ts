import type { Panel } from "../panel";
import { TableOptions } from "./options";
import { TableView } from "./view";

/** The messages of a topic as rows, whatever its type is. */
export const table: Panel = {
  name: "table",
  title: "Table",
  shows: () => 0.08,
  take: (place, topic, field) => {
    if (topic.topic !== place.topic) {
      const { columns: _, ...settings } = place.settings;
      if (field) settings.columns = field;
      return { ...place, topic: topic.topic, settings };
    }
    if (!field) return place;
    const columns = place.settings.columns?.split("\n") ?? [];
    if (columns.includes(field)) return place;
    return { ...place, settings: { ...place.settings, columns: [...columns, field].join("\n") } };
  },
  View: TableView,
  Options: TableOptions,
};
