/** `plateau setup frameworks [NAME…]`: installs the servers of the frameworks study. */
import { z } from "zod";
import { textLines } from "../report/writing/terminal.ts";
import type { Written } from "../report/writing/written.ts";
import { EXIT, TargetError } from "../base/errors.ts";
import { install } from "../targets/frameworks/install.ts";
import {
  type FrameworkName,
  frameworkNamed,
  frameworkNames,
} from "../targets/frameworks/registry.ts";
import { defineCommand } from "./define.ts";
import { interruptible } from "./interrupt.ts";
import { print } from "./terminal.ts";

export const setup = defineCommand({
  parts: {
    what: {
      operand: "<WHAT>",
      about: "What to install: frameworks",
      schema: z.literal("frameworks"),
    },
    names: {
      operand: "[NAMES...]",
      about: `Which of them: ${frameworkNames.join(", ")}; all when left out`,
      schema: z.array(z.enum(frameworkNames)).default([]),
    },
  },
  more:
    "What is there already stays as it is. It goes into plateau/frameworks in the folder of your " +
    "caches\n(XDG_CACHE_HOME, or else ~/.cache).",
  run({ names }): Promise<number> {
    const asked = names.length === 0 ? frameworkNames : [...new Set(names)];
    return interruptible(async (signal) => {
      const missed: FrameworkName[] = [];
      for (const name of asked) {
        if (!await setUp(name, { signal, tell: print })) missed.push(name);
      }
      if (missed.length > 0) throw notAll(missed, asked.length);
      return EXIT.done;
    });
  },
});

interface SettingUp {
  readonly signal: AbortSignal;
  /** Takes what is said about it, whole lines. */
  readonly tell: (text: Written) => void | Promise<void>;
}

/** Installs it and says so, or why not. False when it can't be had. */
export async function setUp(
  name: FrameworkName,
  { signal, tell }: SettingUp,
): Promise<boolean> {
  const title = `${name.padEnd(16)}${frameworkNamed(name).version.padEnd(9)}`;
  const startMs = performance.now();
  try {
    const { fresh, folder } = await install(name, signal);
    const tookS = (performance.now() - startMs) / 1_000;
    const what = fresh ? `installed in ${tookS.toFixed(1)} s` : "is there";
    await tell(textLines([`${title}${what}: ${folder}`]));
    return true;
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    const [first, ...evidence] = error.lines;
    await tell(textLines([`${title}skipped: ${first}`, ...evidence]));
    return false;
  }
}

function notAll(missed: readonly FrameworkName[], asked: number): TargetError {
  return new TargetError(
    `Cannot install ${missed.length} of ${asked} frameworks: ${missed.join(", ")}; see above why`,
  );
}
