// The list of bags: a table, live ones first, then the newest. A folder may have thousands of them,
// and a catalog millions (loader.ts), so only the rows on the screen exist (window.ts), and only
// these ask for more (facts.ts).

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Bag } from "../api";
import { countText } from "../format";
import { RecorderBar } from "../live/bar";
import { FileButton } from "../source/choose";
import { FactFinder } from "./facts";
import "./list.css";
import { BagLoader, PAGE_BAGS } from "./loader";
import { catalogQuery } from "./query";
import { Row } from "./row";
import { chosenTo, withToggled } from "./select";
import { SelectionBar } from "./selection_bar";
import { sortBags, type SortKey } from "./sort";
import { useMedia, useRefresh } from "./use";
import { shownRows } from "./window";
import { hasWords, readWords } from "./words";

const REFRESH_MS = 3000;
const GROWTH_MS = 1200;
/** So many of these between two looks at a catalog. */
const CATALOG_TICKS = 4;
/** A search waits for so long for the next letter. */
const TYPING_MS = 250;
/** As in list.css. */
const PHONE = "(max-width: 640px)";
const ROW_PX = 40;
const PHONE_ROW_PX = 56;

const HINT = "topic:/odom  type:Image  2023";
const CATALOG_HINT = "topic:/odom  type:Image  tag:robot=r7  time:2023-10";

interface Props {
  onOpen(bag: string): void;
  onFiles(files: File[]): void;
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

/** Kept while the page shows a bag. */
const facts = new FactFinder();

export function ListPage({ onOpen, onFiles, onRefused }: Props) {
  const [, refresh] = useRefresh();
  const [loader] = useState(() => new BagLoader(refresh, onRefused));
  const [isNewestFirst, setNewestFirst] = useState(true);
  const [search, setSearch] = useState("");
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const input = useRef<HTMLInputElement>(null);
  const { bags, count, problem } = loader;
  const isPaged = count !== null;
  useEffect(() => {
    let ticks = 0;
    const load = () => {
      // A search in a catalog costs more than a list of a folder.
      const isTurn = loader.count === null || ++ticks % CATALOG_TICKS === 0;
      if (!document.hidden && isTurn) void loader.load();
    };
    load();
    // Soon again: only then it is known which bags grow.
    const soon = setTimeout(load, GROWTH_MS);
    const timer = setInterval(load, REFRESH_MS);
    return () => {
      clearTimeout(soon);
      clearInterval(timer);
    };
  }, [loader]);
  const query = catalogQuery(search, isNewestFirst);
  useEffect(() => {
    if (!isPaged) return;
    const timer = setTimeout(() => void loader.search(query), TYPING_MS);
    return () => clearTimeout(timer);
  }, [isPaged, query, loader]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "/" || isTyping(event)) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  const isPhone = useMedia(PHONE);
  useEffect(() => {
    facts.onNews = refresh;
    return () => void (facts.onNews = () => {});
  }, []);

  // A server with a catalog has searched.
  const words = isPaged ? [] : readWords(search);
  const answers = (bags ?? []).map((bag) => ({
    bag,
    has: hasWords(bag, words, facts.of(bag).topics ?? undefined),
  }));
  // A bag whose topics did not come is not looked for in vain again and again.
  const open = answers.filter(({ bag, has }) => has === undefined && facts.of(bag).topics !== null);
  const found = answers.filter(({ has }) => has === true).map(({ bag }) => bag);
  const unknown = open.map(({ bag }) => bag);
  // The earliest first, whatever the table is sorted by: what a bag adds is said of the later one.
  const chosen = (bags ?? [])
    .filter((bag) => selected.has(bag.filename) && bag.error === undefined)
    .sort((a, b) => (a.start_time ?? 0) - (b.start_time ?? 0))
    .map((bag) => bag.filename);
  const shownCount = count ?? found.length;
  const progress = unknown.length
    ? `, looking into the topics of ${countText(unknown.length)} more …`
    : "";
  return (
    <>
      <header class="top">
        <h1>kitbag</h1>
        <input
          ref={input}
          type="search"
          placeholder={isPhone ? "Search" : `Search  ( / )   ${isPaged ? CATALOG_HINT : HINT}`}
          aria-label="Search bags by name, time, topic and type"
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
        <span class="quiet end" role="status">
          {bags && `${countText(shownCount)} ${shownCount === 1 ? "bag" : "bags"}${progress}`}
        </span>
        <RecorderBar />
        <FileButton onFiles={onFiles}>{isPhone ? "File …" : "Open a file …"}</FileButton>
      </header>
      <main class="list">
        <SelectionBar bags={chosen} onOpen={onOpen} onClear={() => setSelected(new Set())} />
        {problem && (
          <p class="problem" role="alert">
            {problem}. Trying again …
          </p>
        )}
        {bags?.length === 0 && !isPaged && <Empty />}
        {bags === null && !problem && <p class="missing">Loading …</p>}
        {bags && bags.length > 0 && (
          <Table
            bags={found}
            searched={unknown}
            onOpen={onOpen}
            isSearch={search.trim() !== "" && (!isPaged || loader.shown === query)}
            selected={selected}
            select={setSelected}
            pages={isPaged ? { isNewestFirst, setNewestFirst, loader } : null}
          />
        )}
        {bags && bags.length > 0 && found.length === 0 && unknown.length === 0 && (
          <p class="missing">No bag has all of this in its name, time, topics or types.</p>
        )}
        {isPaged && bags?.length === 0 && (
          <p class="missing">
            {search.trim()
              ? "No bag of the catalog has all of this."
              : "The catalog has no bags yet; kitbag catalog scan adds some."}
          </p>
        )}
      </main>
    </>
  );
}

function Empty() {
  return (
    <div class="empty">
      <h2>No bags here yet</h2>
      <p>Record one into this folder; it appears here while it is recorded:</p>
      <pre>kitbag record --all --from ros2:// -o run.mcap</pre>
      <p>Or let the server record, and delete what is old:</p>
      <pre>kitbag serve . --record ros2:// --max-total-size 20GB</pre>
    </div>
  );
}

interface TableProps {
  bags: Bag[];
  searched: Bag[];
  isSearch: boolean;
  onOpen(bag: string): void;
  selected: ReadonlySet<string>;
  select(bags: ReadonlySet<string>): void;
  /** Of a server with a catalog, which sorts; null: all bags are there. */
  pages: Pages | null;
}

interface Pages {
  isNewestFirst: boolean;
  setNewestFirst(isNewestFirst: boolean): void;
  loader: BagLoader;
}

const isTyping = ({ target }: Event) =>
  target instanceof HTMLInputElement && target.type !== "checkbox";

function Table({ bags, searched, isSearch, onOpen, selected, select, pages }: TableProps) {
  const [own, setOwn] = useState<{ key: SortKey; isDown: boolean }>({
    key: "start_time",
    isDown: true,
  });
  const sort = pages ? { key: "start_time", isDown: pages.isNewestFirst } : own;
  const setSort = (key: SortKey) => {
    if (pages) pages.setNewestFirst(!pages.isNewestFirst);
    else setOwn({ key, isDown: own.key !== key || !own.isDown });
  };
  const [, refresh] = useRefresh();
  const scroller = useRef<HTMLDivElement>(null);
  /** The row that the keys have chosen; it is focused once it exists. */
  const cursor = useRef<string | null>(null);
  /** Where a range of selected rows begins. */
  const anchor = useRef<string | null>(null);
  const isPhone = useMedia(PHONE);
  const isDark = useMedia("(prefers-color-scheme: dark)");
  const rowPx = isPhone ? PHONE_ROW_PX : ROW_PX;
  const isSorted = pages !== null;
  const sorted = useMemo(
    () => (isSorted ? bags : sortBags(bags, own.key, own.isDown)),
    [bags, own, isSorted],
  );
  const { scrollTop = 0, clientHeight = 0 } = scroller.current ?? {};
  const { from, to } = shownRows(sorted.length, rowPx, scrollTop, clientHeight);
  const shown = sorted.slice(from, to);
  const names = sorted.filter((bag) => bag.error === undefined).map((bag) => bag.filename);
  const choose = (bag: string, isRange: boolean) => {
    if (isRange && anchor.current !== null) {
      select(chosenTo(selected, names, anchor.current, bag));
    } else {
      select(withToggled(selected, bag));
      anchor.current = bag;
    }
  };

  useLayoutEffect(() => {
    const sizes = new ResizeObserver(refresh);
    sizes.observe(scroller.current!);
    return () => sizes.disconnect();
  }, []);
  useEffect(() => facts.want(shown, searched));
  const shownQuery = pages?.loader.shown;
  useEffect(() => {
    // Another list begins at its first row.
    scroller.current!.scrollTop = 0;
    refresh();
  }, [shownQuery]);
  useEffect(() => {
    if (pages && to > sorted.length - PAGE_BAGS / 2) void pages.loader.more();
  });
  useEffect(() => () => facts.want([], []), []);
  useEffect(() => {
    if (cursor.current === null) return;
    const rows = [...scroller.current!.querySelectorAll<HTMLElement>("tbody tr[data-bag]")];
    const row = rows.find((each) => each.dataset.bag === cursor.current);
    row?.querySelector<HTMLElement>(".filename a, .filename [tabindex]")?.focus({
      preventScroll: true,
    });
    if (row) cursor.current = null;
  });
  // Before the rows are painted: a key that is pressed then is about these rows.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const at = focusedRow(sorted);
      const here = sorted[at];
      const isBox = event.target instanceof HTMLInputElement && !isTyping(event);
      if (event.key === " " && here && !isBox && !(event.target instanceof HTMLButtonElement)) {
        event.preventDefault();
        if (here.error === undefined) choose(here.filename, event.shiftKey);
        return;
      }
      if (event.key === "Escape" && selected.size && !isTyping(event)) {
        select(new Set());
        return;
      }
      const page = Math.max(1, Math.floor(clientHeight / rowPx) - 2);
      const isInText = isTyping(event);
      const steps: Record<string, number> = {
        ArrowDown: at + 1,
        ArrowUp: at - 1,
        PageDown: at + page,
        PageUp: at - page,
        Home: isInText ? NaN : 0,
        End: isInText ? NaN : sorted.length - 1,
        // What was searched for and found is opened.
        Enter: isInText && isSearch ? 0 : NaN,
      };
      const wanted = steps[event.key] ?? NaN;
      if (Number.isNaN(wanted) || !sorted.length) return;
      event.preventDefault();
      const to = Math.min(Math.max(0, wanted), sorted.length - 1);
      const bag = sorted[to]!;
      if (event.key === "Enter") {
        if (bag.error === undefined) onOpen(bag.filename);
        return;
      }
      if (event.shiftKey && !isInText && here) {
        if (anchor.current === null) anchor.current = here.filename;
        select(chosenTo(selected, names, anchor.current, bag.filename));
      }
      cursor.current = bag.filename;
      reveal(scroller.current!, to, rowPx);
      refresh();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [sorted, rowPx, clientHeight, isSearch, onOpen, selected]);

  const space = (rows: number) =>
    rows > 0 && (
      <tr class="space" aria-hidden="true">
        <td colSpan={columns.length + 3} style={{ height: `${rows * rowPx}px` }} />
      </tr>
    );
  return (
    <div class="scroller" ref={scroller} onScroll={refresh} tabIndex={-1}>
      <table aria-rowcount={pages?.loader.hasMore ? -1 : sorted.length + 1}>
        <thead>
          <tr>
            <th class="select">
              <span class="unseen">Selected</span>
            </th>
            <th class="look">
              <span class="unseen">Picture</span>
            </th>
            {columns.map(({ key, title, isNumber }) => (
              <th
                key={key}
                class={isNumber ? "number" : key}
                aria-sort={sort.key !== key ? "none" : sort.isDown ? "descending" : "ascending"}
              >
                {pages && key !== "start_time" ? (
                  title
                ) : (
                  <button onClick={() => setSort(key)}>
                    {title}
                    <i>{sort.key === key ? (sort.isDown ? " ↓" : " ↑") : ""}</i>
                  </button>
                )}
              </th>
            ))}
            <th class="density">Over time</th>
          </tr>
        </thead>
        <tbody>
          {space(from)}
          {shown.map((bag) => (
            <Row
              key={bag.filename}
              bag={bag}
              facts={facts.of(bag)}
              isDark={isDark}
              onOpen={onOpen}
              isSelected={selected.has(bag.filename)}
              onSelect={(isRange) => choose(bag.filename, isRange)}
            />
          ))}
          {space(sorted.length - to)}
        </tbody>
      </table>
    </div>
  );
}

/** The index of the row with the focus; -1: none has it. */
function focusedRow(bags: Bag[]): number {
  const row = document.activeElement?.closest<HTMLElement>("tr[data-bag]");
  return row ? bags.findIndex((bag) => bag.filename === row.dataset.bag) : -1;
}

/** Scrolls as little as it takes; the head of the table stands above the rows. */
function reveal(scroller: HTMLElement, row: number, rowPx: number): void {
  const head = scroller.querySelector("thead")!.clientHeight;
  const top = row * rowPx;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  const bottom = top + rowPx + head - scroller.clientHeight;
  if (bottom > scroller.scrollTop) scroller.scrollTop = bottom;
}
