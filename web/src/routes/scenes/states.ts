/** What a stage says of itself, in a word or two. */
import type { Connection } from "../../api/follow";
import type { SceneView } from "../../folds/scene";
import { say } from "../../words/say";

export interface StageState {
  readonly kind: "plain" | "good" | "warn" | "bad";
  readonly text: string;
}

export function states(view: SceneView, connection: Connection): StageState {
  if (view.ended) {
    const { reason, goal_achieved: achieved } = view.ended;
    return { kind: achieved ? "good" : reason === "cast_unavailable" ? "bad" : "warn", text: say(`stage.ended.${reason}`) };
  }
  if (view.stopped || connection === "over") {
    const failed = view.stopped !== null && !["", "CANCELLED"].includes(view.stopped.code ?? "");
    return { kind: failed ? "bad" : "warn", text: say(failed ? "stage.failed" : "stage.stopped") };
  }
  const most = view.opened?.config.maxBeats;
  const beat = most ? ` · ${say("stage.beat", { beat: view.beat, most })}` : "";
  return { kind: "plain", text: `${say("stage.playing")}${beat}` };
}
