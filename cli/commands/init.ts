/** `plateau init [FILE]`: an experiment to start from, or what a file of another tool becomes. */
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { z } from "zod";
import { textLines } from "../../report/writing/terminal.ts";
import { readText } from "../../base/bounded_file.ts";
import { filesFrom } from "../../scenarios/file/disk_files.ts";
import { EXIT, messageOf, UserError } from "../../base/errors.ts";
import { defineCommand } from "../command_line/arguments.ts";
import starter from "./starter.yaml" with { type: "text" };
import { print, terminalOptions } from "../terminal/terminal.ts";

export const initCommand = defineCommand({
  parts: {
    file: {
      operand: "[FILE]",
      about: "Where to write it (default: experiment.yaml)",
      schema: z.string().default("experiment.yaml"),
    },
    from: {
      flags: "--from <FILE>",
      about: "Writes what an Artillery script or a HAR file becomes here",
      schema: z.string().min(1).optional(),
    },
  },
  async run({ file, from }): Promise<number> {
    const { text, next, notes } = from === undefined
      ? { text: starter, next: `It runs at once: plateau run ${file}`, notes: [] }
      : await converted(from, file);
    try {
      await Deno.writeTextFile(file, text, { createNew: true });
    } catch (error) {
      throw new UserError([{ place: file, ...whyNot(error) }]);
    }
    await print(
      textLines([`Wrote ${file}. ${next}`]),
      textLines(notes.map((note) => `Note: ${note}`), terminalOptions()),
    );
    return EXIT.done;
  },
});

interface Made {
  readonly text: string;
  /** What to do with it, as a sentence. */
  readonly next: string;
  readonly notes: readonly string[];
}

async function converted(from: string, file: string): Promise<Made> {
  const { importedFile: foreignFile } = await import("../../scenarios/imports/registry.ts");
  const { withEngine } = await import("../../base/pattern.ts");
  const folder = dirname(resolve(from));
  const pathOf = (path: string): string =>
    isAbsolute(path) ? path : relative(dirname(resolve(file)), join(folder, path));
  const text = await textOf(from);
  const beside = { files: filesFrom(folder), pathOf };
  const foreign = await withEngine(() => foreignFile(text, from, beside));
  if (foreign === null) {
    const message = "Cannot take this over: it is neither an Artillery script nor a HAR file";
    throw new UserError([{ place: from, message }]);
  }
  return { ...foreign, next: `plateau check ${file} tells what it runs` };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readText(path, "foreignFile");
  } catch (error) {
    throw new UserError([{ place: path, message: `Cannot read it: ${messageOf(error)}` }]);
  }
}

function whyNot(error: unknown): { message: string; fix?: string } {
  return error instanceof Deno.errors.AlreadyExists
    ? { message: "Cannot write over a file that is there", fix: "name another" }
    : { message: `Cannot write it: ${messageOf(error)}` };
}
