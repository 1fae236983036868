/** Adds to a step of GitHub Actions what its log does not show: a summary, and annotations of failures. */
import { textLines } from "../../report/writing/terminal.ts";
import type { Written } from "../../report/writing/written.ts";
import { messageOf } from "../../base/errors.ts";
import { variable } from "../terminal/process.ts";
import { secrets } from "../../base/secrets.ts";
import type { Annotation } from "../../report/writing/annotation.ts";
import { printError } from "../terminal/terminal.ts";

interface ForGithub {
  readonly markdown: () => Written<"markdown"> | Promise<Written<"markdown">>;
  readonly annotations: () => readonly Annotation[] | Promise<readonly Annotation[]>;
}

/**
 * Does nothing outside of GitHub Actions. Annotations go to standard error, which GitHub also searches for commands, so
 * that standard output has only what the user asked for.
 */
export async function reportToGithub({ markdown, annotations }: ForGithub): Promise<void> {
  const summary = variable("GITHUB_STEP_SUMMARY");
  if (summary) await appendSummary(summary, await markdown());
  if (variable("GITHUB_ACTIONS")) {
    const { annotationLines } = await import("./annotations.ts");
    const { commandLines } = await import("../../report/writing/annotation.ts");
    printError(commandLines(annotationLines(await annotations())));
  }
}

/** Appends to the summary of the step. A failure is only printed, because it must not cost the measurement. */
async function appendSummary(path: string, markdown: string): Promise<void> {
  try {
    const writtenBytes = await Deno.stat(path).then(({ size }) => size, () => 0);
    const text = secrets.form(fittedSummary(markdown, writtenBytes));
    await Deno.writeTextFile(path, text, { append: true });
  } catch (error) {
    printError(
      textLines([`Cannot write the step summary to ${path}: ${messageOf(error)}`]),
    );
  }
}

/** Size limit in bytes for all summaries of a step together. GitHub rejects a larger file completely. */
export const MOST_BYTES = 1_048_576;

const NOTE =
  "*Shortened: GitHub accepts at most 1 MiB per step. The report and the file of --markdown are complete.*";

/**
 * The part of a summary for which there is room, with a note if it is shortened; "" if there is no room for the note
 * and at least one line.
 * @param writtenBytes Size of the step's summary so far.
 */
export function fittedSummary(markdown: string, writtenBytes: number): string {
  const encoder = new TextEncoder();
  const text = `${markdown.trimEnd()}\n\n`;
  const room = MOST_BYTES - writtenBytes;
  if (encoder.encode(text).length <= room) return text;
  const note = `\n\n${NOTE}\n\n`;
  const bytes = encoder.encode(text).subarray(0, Math.max(0, room - encoder.encode(note).length));
  const lines = new TextDecoder().decode(bytes).split("\n").slice(0, -1);
  return lines.length === 0 ? "" : lines.join("\n").trimEnd() + note;
}
