/** `plateau setup frameworks [NAME…]`: installs the servers of the frameworks study. */
import { type FrameworkName, frameworkNames } from "../../base/target/framework_settings.ts";
import { z } from "zod";
import { EXIT, TargetError } from "../../base/errors.ts";
import { defineCommand } from "../command_line/define.ts";
import { setUp } from "../experiment/install_frameworks.ts";
import { interruptible } from "../terminal/interrupt.ts";
import { print } from "../terminal/terminal.ts";

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

function notAll(missed: readonly FrameworkName[], asked: number): TargetError {
  return new TargetError(
    `Cannot install ${missed.length} of ${asked} frameworks: ${missed.join(", ")}; see above why`,
  );
}
