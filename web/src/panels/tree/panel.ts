import type { Panel } from "../panel";
import { TreeView } from "./view";

/** The fields of a message, whatever it is. */
export const tree: Panel = {
  name: "tree",
  title: "Message",
  shows: () => 0.1,
  View: TreeView,
};
