import type { Panel } from "../panel";
import { asksOf, firstFields, plainType, taken, topicsOf, usual } from "./lines";
import { PlotOptions } from "./options";
import { PlotView } from "./view";

/** Numbers over time, of one topic or of several. */
export const plot: Panel = {
  name: "plot",
  title: "Plot",
  shows: (topic) => {
    const at = Object.keys(usual).indexOf(plainType(topic.type));
    return at < 0 ? 0 : 0.9 - at / 100;
  },
  fields: firstFields,
  reads: topicsOf,
  take: taken,
  asks: asksOf,
  View: PlotView,
  Options: PlotOptions,
};
