// The page: the list of bags or one of them, as the URL says; before that the token, if the server
// wants one.

import { useCallback, useEffect, useState } from "preact/hooks";

import { giveToken } from "./api";
import { ListPage } from "./list/list";
import { PlayerPage } from "./player/page";
import { ChooseAgain, DropZone } from "./source/choose";
import { closeLocals, missingLocal, openLocal, withOwnNames } from "./source/local/local";
import { nameOf, namesIn, shownName } from "./source/source";
import { readScreen, writeScreen, type Screen } from "./url";

export function App() {
  const [screen, setScreen] = useState<Screen>(() => readScreen(location.search));
  const [needsToken, setNeedsToken] = useState(false);
  useEffect(() => {
    const back = () => setScreen(readScreen(location.search));
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);
  useEffect(() => {
    document.title = screen.bag === null ? "kitbag" : `${shownName(screen.bag)} – kitbag`;
  }, [screen.bag]);
  const open = useCallback((bag: string | null) => {
    const next = { bag, time: null, layout: undefined };
    history.pushState(null, "", writeScreen(next) || "/");
    setScreen(next);
  }, []);
  // The same name may be another file.
  const [files, setFiles] = useState(0);
  const openFiles = useCallback((chosen: File[]) => {
    if (!chosen.length) return;
    setFiles((count) => count + 1);
    const bags = withOwnNames(chosen).map(openLocal);
    // A file that was chosen again is looked at as before.
    const shown = namesIn(readScreen(location.search).bag ?? "");
    if (bags.every((bag) => shown.includes(bag))) return;
    closeLocals(bags);
    open(nameOf(bags));
  }, []);
  const refuse = useCallback(() => setNeedsToken(true), []);
  if (needsToken) return <TokenPage onDone={() => setNeedsToken(false)} />;
  return (
    <>
      <Content screen={screen} files={files} open={open} openFiles={openFiles} refuse={refuse} />
      <DropZone onFiles={openFiles} />
    </>
  );
}

interface ContentProps {
  screen: Screen;
  files: number;
  open(bag: string | null): void;
  openFiles(files: File[]): void;
  refuse(): void;
}

function Content({ screen, files, open, openFiles, refuse }: ContentProps) {
  const { bag } = screen;
  if (bag === null) return <ListPage onOpen={open} onFiles={openFiles} onRefused={refuse} />;
  const leave = () => open(null);
  const missing = missingLocal(namesIn(bag));
  if (missing !== null) {
    return <ChooseAgain bag={missing} onFiles={openFiles} onLeave={leave} />;
  }
  const key = `${bag} ${files}`;
  return <PlayerPage key={key} screen={screen} onLeave={leave} onRefused={refuse} />;
}

function TokenPage({ onDone }: { onDone(): void }) {
  const [problem, setProblem] = useState("");
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const token = new FormData(form).get("token") as string;
    try {
      if (await giveToken(token)) onDone();
      else setProblem("The server does not accept this token.");
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  return (
    <main class="token">
      <form onSubmit={send}>
        <h1>kitbag</h1>
        <label for="token">This server answers with a token only.</label>
        <input id="token" name="token" type="password" autocomplete="current-password" autofocus />
        <button class="primary">Open</button>
        <p role="alert">{problem}</p>
      </form>
    </main>
  );
}
