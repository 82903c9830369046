// What is done with the bags that are selected in the list.

import { nameOf } from "../source/source";

interface Props {
  /** In the order in which they are opened. */
  bags: string[];
  onOpen(bag: string): void;
  onClear(): void;
}

export function SelectionBar({ bags, onOpen, onClear }: Props) {
  if (!bags.length) return null;
  return (
    <div class="selection" role="group" aria-label="Selected bags">
      <span role="status">
        {bags.length} selected
        {bags.length === 1 && (
          <span class="quiet"> · select more to see them on one timeline</span>
        )}
      </span>
      <button class="primary" onClick={() => onOpen(nameOf(bags)!)}>
        {bags.length === 1 ? "Open" : "Open together"}
      </button>
      <button class="plain" title="Select none (Esc)" onClick={onClear}>
        Clear
      </button>
    </div>
  );
}
