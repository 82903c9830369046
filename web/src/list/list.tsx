// The list of bags: a table, live ones first, then the newest.

import { useEffect, useRef, useState } from "preact/hooks";

import { askJson, TokenNeeded, type Bag } from "../api";
import { countText, dateText, lengthText, sizeText } from "../format";
import { sortBags, type SortKey } from "./sort";

const REFRESH_MS = 3000;

interface Props {
  onOpen(bag: string): void;
  onRefused(): void;
}

const columns: { key: SortKey; title: string; isNumber?: boolean }[] = [
  { key: "filename", title: "Name" },
  { key: "start_time", title: "Recorded" },
  { key: "duration", title: "Length", isNumber: true },
  { key: "size_bytes", title: "Size", isNumber: true },
  { key: "topics", title: "Topics", isNumber: true },
  { key: "messages", title: "Messages", isNumber: true },
];

export function ListPage({ onOpen, onRefused }: Props) {
  const [bags, setBags] = useState<Bag[] | null>(null);
  const [problem, setProblem] = useState("");
  const [word, setWord] = useState("");
  const [sort, setSort] = useState<{ key: SortKey; isDown: boolean }>({
    key: "start_time",
    isDown: true,
  });
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const load = async () => {
      if (document.hidden) return;
      try {
        setBags(await askJson<Bag[]>("/bags/"));
        setProblem("");
      } catch (error) {
        if (error instanceof TokenNeeded) onRefused();
        else setProblem((error as Error).message);
      }
    };
    void load();
    const timer = setInterval(load, REFRESH_MS);
    return () => clearInterval(timer);
  }, [onRefused]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "/" || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      search.current?.focus();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  const shown = sortBags(bags ?? [], word, sort.key, sort.isDown);
  return (
    <>
      <header class="top">
        <h1>kitbag</h1>
        <input
          ref={search}
          type="search"
          placeholder="Search bags  ( / )"
          aria-label="Search bags"
          value={word}
          onInput={(event) => setWord(event.currentTarget.value)}
        />
        <span class="quiet end" role="status">
          {bags && `${countText(shown.length)} ${shown.length === 1 ? "bag" : "bags"}`}
        </span>
      </header>
      <main class="list">
        {problem && (
          <p class="problem" role="alert">
            {problem}. Trying again …
          </p>
        )}
        {bags?.length === 0 && (
          <p class="missing">
            No bags here yet. <code>kitbag record --from ros2:// -o run.mcap</code> records one.
          </p>
        )}
        {bags === null && !problem && <p class="missing">Loading …</p>}
        {bags && bags.length > 0 && (
          <table>
            <thead>
              <tr>
                {columns.map(({ key, title, isNumber }) => (
                  <th
                    key={key}
                    class={isNumber ? "number" : key}
                    aria-sort={sort.key !== key ? "none" : sort.isDown ? "descending" : "ascending"}
                  >
                    <button
                      onClick={() => setSort({ key, isDown: sort.key !== key || !sort.isDown })}
                    >
                      {title}
                      <i>{sort.key === key ? (sort.isDown ? " ↓" : " ↑") : ""}</i>
                    </button>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((bag) => (
                <Row key={bag.filename} bag={bag} onOpen={onOpen} />
              ))}
            </tbody>
          </table>
        )}
        {bags && bags.length > 0 && shown.length === 0 && (
          <p class="missing">No bag has this in its name or time.</p>
        )}
      </main>
    </>
  );
}

function Row({ bag, onOpen }: { bag: Bag; onOpen(bag: string): void }) {
  const open = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    onOpen(bag.filename);
  };
  return (
    <tr data-bag={bag.filename}>
      <td class="filename">
        {bag.error === undefined ? (
          <a href={`?bag=${encodeURIComponent(bag.filename)}`} onClick={open}>
            {bag.filename}
          </a>
        ) : (
          <span>{bag.filename}</span>
        )}
        {bag.recording && <span class="mark live">live</span>}
        {bag.damaged && <span class="mark">damaged</span>}
        {bag.error !== undefined && <span class="quiet"> {bag.error}</span>}
      </td>
      <td class="start_time">{bag.start_time === undefined ? "" : dateText(bag.start_time)}</td>
      <td class="number">{bag.duration === undefined ? "" : lengthText(bag.duration, 1)}</td>
      <td class="number">{sizeText(bag.size_bytes)}</td>
      <td class="number">{bag.topics === undefined ? "" : countText(bag.topics)}</td>
      <td class="number">{bag.messages === undefined ? "" : countText(bag.messages)}</td>
    </tr>
  );
}
