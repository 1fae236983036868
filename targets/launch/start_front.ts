/** Starts a front of ours, the caching proxy or the balancer: this program again, as `front`. */
import type { FrontSettings } from "../front/settings.ts";
import { bringUp } from "./bring_up.ts";
import { startSelf } from "./child.ts";
import type { LaunchContext, RunningTarget } from "./launcher.ts";
import { OWN_RUNTIME } from "./runtime.ts";

export interface StartedFront {
  readonly front: RunningTarget;
  /** Tells the front something while it runs, see `Front.tell`. */
  readonly tell: (line: string) => Promise<void>;
}

/** Throws as `bringUp` does. */
export async function startFront(
  settings: FrontSettings,
  context: LaunchContext & { readonly readyPath: string },
): Promise<StartedFront> {
  const port = context.listen?.port ?? 0;
  const child = startSelf(["front", String(port), context.host], {});
  void child.tell(JSON.stringify(settings));
  const front = await bringUp(
    { child, runtime: OWN_RUNTIME, path: context.readyPath, port: null },
    context,
  );
  return { front, tell: child.tell };
}
