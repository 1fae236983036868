/** `plateau init [FILE]`: an experiment to start from, or one that is converted from another tool's file. */
import * as z from "zod";
import { textLines } from "../../report/writing/terminal.ts";
import { readText } from "../../base/bounded_file.ts";
import { convertedFile } from "../../scenarios/file/experiment_file.ts";
import { EXIT, messageOf, UserError } from "../../base/errors.ts";
import { withoutSecrets } from "../../base/secrets.ts";
import { defineCommand } from "../command_line/arguments.ts";
import starter from "./starter.yaml" with { type: "text" };
import { print, printError, terminalOptions } from "../terminal/terminal.ts";

export const initCommand = defineCommand({
  parts: {
    file: {
      operand: "[FILE]",
      about: "File to write (default: experiment.yaml); - for standard output",
      schema: z.string().default("experiment.yaml"),
    },
    from: {
      flags: "--from <FILE>",
      about: "Converts an Artillery script, a k6 script, a JMeter plan or a HAR file",
      schema: z.string().min(1).optional(),
    },
  },
  async run({ file, from }): Promise<number> {
    const { text, next, notes } = from === undefined
      ? { text: starter, next: `Run it: plateau run ${file}`, notes: [] }
      : await converted(from, file);
    const noteLines = textLines(notes.map((note) => `Note: ${note}`), terminalOptions());
    if (file === "-") {
      await print(textLines(text.trimEnd().split("\n")));
      printError(noteLines);
      return EXIT.done;
    }
    try {
      await Deno.writeTextFile(file, text, { createNew: true });
    } catch (error) {
      throw new UserError([{ place: withoutSecrets(file), ...whyNot(error) }]);
    }
    await print(textLines([`Wrote ${file}. ${next}`]), noteLines);
    return EXIT.done;
  },
});

interface Made {
  readonly text: string;
  /** The next step, as a sentence. */
  readonly next: string;
  readonly notes: readonly string[];
}

async function converted(from: string, file: string): Promise<Made> {
  const imported = await convertedFile(await textOf(from), from, file);
  if (imported === null) {
    const message =
      "Cannot convert this file: it is neither an Artillery script, nor a k6 script, nor a JMeter plan, nor a HAR file";
    throw new UserError([{ place: from, message }]);
  }
  return { ...imported, next: `Check it: plateau check ${file}` };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readText(path, "foreignFile");
  } catch (error) {
    throw new UserError([{
      place: withoutSecrets(path),
      message: `Cannot read it: ${messageOf(error)}`,
    }]);
  }
}

function whyNot(error: unknown): { message: string; fix?: string } {
  return error instanceof Deno.errors.AlreadyExists
    ? { message: "Cannot overwrite an existing file", fix: "name another" }
    : { message: `Cannot write it: ${messageOf(error)}` };
}
