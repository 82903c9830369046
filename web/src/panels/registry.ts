// All panels, a line each, in the order in which a topic prefers them where they show it equally
// well.

import type { Panel } from "./panel";
import { diagnostics } from "./diagnostics/panel";
import { image } from "./image/panel";
import { log } from "./log/panel";
import { map } from "./map/panel";
import { plot } from "./plot/panel";
import { tf } from "./tf/panel";
import { scene } from "./scene/panel";
import { states } from "./states/panel";
import { statistics } from "./statistics/panel";
import { table } from "./table/panel";
import { tree } from "./tree/panel";

export const panels: Panel[] = [
  scene,
  image,
  plot,
  log,
  map,
  tree,
  tf, // the last one: a bag opens with a message rather than with its frames
  diagnostics,
  states,
  table,
  statistics,
];

export function panelNamed(name: string): Panel | undefined {
  return panels.find((panel) => panel.name === name);
}
