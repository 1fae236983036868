/** "Launches" a server that already runs: checks that it answers, and leaves it alone. */
import { messageOf, TargetError } from "../../scenarios/errors.ts";
import type { UrlTarget } from "../spec.ts";
import { askStatus } from "./answer.ts";
import type { Launcher, RunningTarget } from "./launcher.ts";

export const urlLauncher: Launcher<UrlTarget> = {
  async start({ url }, { name, readyTimeoutMs, signal }): Promise<RunningTarget> {
    const { origin } = new URL(url);
    try {
      await askStatus(`${origin}/`, { limitMs: readyTimeoutMs, signal });
    } catch (error) {
      signal.throwIfAborted();
      throw new TargetError(
        `Cannot use target ${name}: ${origin} does not answer: ${messageOf(error)}`,
      );
    }
    return {
      origin,
      pid: null,
      supervised: false,
      startUpMs: null,
      exited: new Promise(() => {}),
      lastLines: () => [],
      stop: () => Promise.resolve(),
    };
  },
};
