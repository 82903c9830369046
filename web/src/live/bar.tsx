// What the bar on top says of live things: the recorder and its buttons, and of a bag that is being
// recorded, whether the player follows it.

import { useEffect, useState } from "preact/hooks";

import { lengthText } from "../format";
import { useRefresh } from "../list/use";
import type { Player } from "../player/player";
import "./bar.css";
import { Live } from "./live";
import {
  askRecorder,
  commandsIn,
  Forbidden,
  hasRecorder,
  tell,
  titles,
  type Command,
  type RecorderState,
} from "./recorder";

const POLL_MS = 1000;

export function RecorderBar() {
  const [recorder, setRecorder] = useState<RecorderState | null>(null);
  const [isAllowed, setAllowed] = useState(true);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let isGone = false;
    const look = async () => {
      if (!document.hidden) {
        const answer = await askRecorder().catch(() => null);
        if (!isGone) setRecorder(answer);
      }
      if (!isGone) timer = setTimeout(look, POLL_MS);
    };
    void hasRecorder().then((has) => {
      if (has && !isGone) void look();
    });
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, []);
  if (!recorder) return null;
  const press = async (command: Command) => {
    try {
      setRecorder(await tell(command));
      setProblem("");
    } catch (error) {
      if (error instanceof Forbidden) setAllowed(false);
      setProblem((error as Error).message);
    }
  };
  const { state, file = "", reason } = recorder;
  return (
    <div class="recorder" role="group" aria-label="Recorder" data-state={state}>
      <span class="recording" title={[file, reason].filter(Boolean).join(": ")}>
        {state} {state !== "stopped" && lengthText(recorder.seconds, 0)}
      </span>
      {isAllowed &&
        commandsIn(recorder).map((command) => (
          <button key={command} data-command={command} onClick={() => void press(command)}>
            {titles[command]}
          </button>
        ))}
      {problem && (
        <span class="bad" role="alert" title={problem}>
          {problem}
        </span>
      )}
    </div>
  );
}

interface LiveBarProps {
  player: Player;
  /** The bag was opened without a time. */
  follows: boolean;
}

export function LiveBar({ player, follows }: LiveBarProps) {
  const [, refresh] = useRefresh();
  const [live, setLive] = useState<Live | null>(null);
  useEffect(() => {
    const made = new Live(player, follows, refresh);
    setLive(made);
    void made.begin();
    return () => made.close();
  }, [player]);
  useEffect(() => {
    let was = player.isFollowing;
    return player.onFrame(() => {
      if (player.isFollowing !== was) refresh();
      was = player.isFollowing;
    });
  }, [player]);
  if (!live?.isLive) return null;
  return (
    <>
      <button
        class="live"
        aria-pressed={player.isFollowing}
        title={live.problem || "Follow what is being recorded"}
        onClick={() => player.follow()}
      >
        live
      </button>
      <RecorderBar />
    </>
  );
}
