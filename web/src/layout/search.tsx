// The search in the head of the page: a few results while one types, arrows and Enter choose one.

import type { RefObject } from "preact";
import { useId, useState } from "preact/hooks";

import { FIELD_TYPE, putTopic } from "./drag";
import type { Found, Source } from "./find";

const MOST = 10;

interface Props {
  input: RefObject<HTMLInputElement>;
  sources: Source[];
  onDone?(): void;
}

export function Search({ input, sources, onDone }: Props) {
  const id = useId();
  const [word, setWord] = useState("");
  const [at, setAt] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const found = isOpen ? sources.flatMap((source) => source(word, MOST)).slice(0, MOST) : [];
  const open = (each: Found) => {
    each.open();
    setWord("");
    setOpen(false);
    input.current?.blur();
    onDone?.();
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length) {
      event.preventDefault();
      setAt((at + step + found.length) % found.length);
    } else if (event.key === "Enter" && found[at]) {
      event.preventDefault();
      open(found[at]);
    }
  };
  const drag = (event: DragEvent, { dragged }: Found) => {
    if (!dragged) return event.preventDefault();
    putTopic(event.dataTransfer!, dragged.topic);
    if (dragged.field === undefined) return;
    event.dataTransfer!.setData(FIELD_TYPE, JSON.stringify(dragged));
  };
  return (
    <div class="search">
      <input
        ref={input}
        type="search"
        role="combobox"
        placeholder="Search topics, fields and events  ( / )"
        aria-label="Search topics, fields and events"
        aria-expanded={found.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={found.length ? `${id}-${at}` : undefined}
        value={word}
        onInput={(event) => {
          setWord(event.currentTarget.value);
          setAt(0);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={press}
      />
      <ul id={id} role="listbox" aria-label="Found" hidden={!found.length}>
        {found.map((each, i) => (
          <li
            key={`${each.kind} ${each.text} ${each.note}`}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === at}
            draggable={each.dragged !== undefined}
            onDragStart={(event) => drag(event, each)}
            onPointerMove={() => setAt(i)}
            // Not the focus, which would close the list; but a drag begins.
            onMouseDown={(event) => !each.dragged && event.preventDefault()}
            onClick={() => open(each)}
          >
            <span class="kind">{each.kind}</span>
            <span class="name">{each.text}</span>
            <span class="quiet">{each.note}</span>
          </li>
        ))}
      </ul>
      {isOpen && word.trim() && !found.length && (
        <p class="none" role="status">
          Nothing of this name
        </p>
      )}
    </div>
  );
}
