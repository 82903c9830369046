// What one does with the whole screen, in the head of the page: search, panels of the whole bag,
// saved layouts, the link to it, and the keys.

import { useEffect, useRef, useState } from "preact/hooks";

import type { Desk } from "./desk";
import { Menu } from "./menu";
import { deleteLayout, keeper, layoutOf, savedLayouts, saveLayout, type Saved } from "./saved";

export function AddMenu({ desk }: { desk: Desk }) {
  const panels = desk.panels.filter((panel) => panel.isOfBag);
  if (!panels.length) return null;
  return (
    <Menu label="Add a panel" face={<span>+ Panel</span>}>
      {(close) => (
        <ul>
          {panels.map(({ name, title }) => (
            <li key={name}>
              <button
                onClick={() => {
                  desk.openPanel(name);
                  close();
                }}
              >
                {title}
              </button>
            </li>
          ))}
        </ul>
      )}
    </Menu>
  );
}

/** The layout that a key stands for: 1 is the first one. */
export function chooseLayout(desk: Desk, number: number): boolean {
  const saved = savedLayouts(keeper())[number - 1];
  return saved ? showLayout(desk, saved) : false;
}

function showLayout(desk: Desk, saved: Saved): boolean {
  const layout = layoutOf(saved);
  if (layout !== undefined) desk.change(layout);
  return layout !== undefined;
}

export function LayoutMenu({ desk }: { desk: Desk }) {
  return (
    <Menu label="Layouts" face={<span>Layouts</span>}>
      {(close) => <Layouts desk={desk} close={close} />}
    </Menu>
  );
}

function Layouts({ desk, close }: { desk: Desk; close(): void }) {
  const [all, setAll] = useState(() => savedLayouts(keeper()));
  const [problem, setProblem] = useState("");
  const save = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const name = String(new FormData(form).get("name")).trim().slice(0, 60);
    if (!name) return;
    setProblem(saveLayout(keeper(), name, desk.layout));
    setAll(savedLayouts(keeper()));
    form.reset();
  };
  return (
    <>
      <ul>
        {all.map((saved, i) => (
          <li key={saved.name}>
            <button
              data-layout={saved.name}
              onClick={() => {
                if (showLayout(desk, saved)) close();
                else setProblem("This layout cannot be read.");
              }}
            >
              <span class="name">{saved.name}</span>
              {i < 9 && <kbd>{i + 1}</kbd>}
            </button>
            <button
              class="delete"
              aria-label={`Delete the layout ${saved.name}`}
              title="Delete"
              onClick={() => {
                deleteLayout(keeper(), saved.name);
                setAll(savedLayouts(keeper()));
              }}
            >
              ×
            </button>
          </li>
        ))}
        <li>
          <button
            onClick={() => {
              desk.reset();
              close();
            }}
          >
            Reset to the default
          </button>
        </li>
      </ul>
      <form onSubmit={save}>
        <input name="name" placeholder="Name" aria-label="Name of this layout" autocomplete="off" />
        <button class="primary">Save</button>
      </form>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </>
  );
}

const SAID_MS = 2000;

/** Copies the link. Where a browser does not allow that, it shows the link, to be copied. */
export function Share({ link }: { link(): string }) {
  const [said, setSaid] = useState("");
  const [shown, setShown] = useState("");
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => setSaid(""), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  useEffect(() => field.current?.select(), [shown]);
  const share = async () => {
    const text = link();
    try {
      await navigator.clipboard.writeText(text);
      setShown("");
      setSaid("Copied");
    } catch {
      setShown(text); // not a secure context, or not allowed
    }
  };
  return (
    <div class="menu share">
      <button title="Copy a link to this screen" onClick={share}>
        {said || "Share"}
      </button>
      <span class="hidden" role="status">
        {said && "The link is copied"}
      </span>
      {shown && (
        <div class="sheet" role="group" aria-label="The link">
          <input
            ref={field}
            readOnly
            value={shown}
            aria-label="Link to this screen"
            onFocus={(event) => event.currentTarget.select()}
            onBlur={() => setShown("")}
            onKeyDown={(event) => event.key === "Escape" && setShown("")}
          />
        </div>
      )}
    </div>
  );
}
