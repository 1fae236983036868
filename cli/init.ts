/** `plateau init [FILE]`: an experiment to start from. */
import { z } from "zod";
import { EXIT, messageOf, UserError } from "../scenarios/errors.ts";
import { defineCommand } from "./define.ts";
import starter from "./starter.yaml" with { type: "text" };
import { print } from "./terminal.ts";

export const init = defineCommand({
  parts: {
    file: {
      operand: "[FILE]",
      about: "Where to write it (default: experiment.yaml)",
      schema: z.string().default("experiment.yaml"),
    },
  },
  async run({ file }): Promise<number> {
    try {
      await Deno.writeTextFile(file, starter, { createNew: true });
    } catch (error) {
      throw new UserError([{ place: file, ...whyNot(error) }]);
    }
    await print(`Wrote ${file}. It runs at once: plateau run ${file}\n`);
    return EXIT.done;
  },
});

function whyNot(error: unknown): { message: string; fix?: string } {
  return error instanceof Deno.errors.AlreadyExists
    ? { message: "Cannot write over a file that is there", fix: "name another" }
    : { message: `Cannot write it: ${messageOf(error)}` };
}
