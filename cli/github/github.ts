/** What a step on GitHub tells beside its log: a summary, and annotations of what went wrong. */
import { textLines } from "../../report/writing/terminal.ts";
import type { Written } from "../../report/writing/written.ts";
import { messageOf } from "../../base/errors.ts";
import { variable } from "../terminal/environment.ts";
import { secrets } from "../../base/secrets.ts";
import type { Annotation } from "../../report/writing/annotation.ts";
import { printError } from "../terminal/terminal.ts";

export interface ForGithub {
  readonly markdown: () => Written<"markdown"> | Promise<Written<"markdown">>;
  readonly annotations: () => readonly Annotation[] | Promise<readonly Annotation[]>;
}

/**
 * Does nothing elsewhere. Annotations go to standard error, which GitHub reads as it does standard output, so
 * that the latter holds what was asked for alone.
 */
export async function tellGithub({ markdown, annotations }: ForGithub): Promise<void> {
  const summary = variable("GITHUB_STEP_SUMMARY");
  if (summary) await appendSummary(summary, await markdown());
  if (variable("GITHUB_ACTIONS")) {
    const { annotationLines } = await import("./github_annotations.ts");
    const { commandLines } = await import("../../report/writing/annotation.ts");
    printError(commandLines(annotationLines(await annotations())));
  }
}

/** A summary that can't be written must not cost the measurement. */
async function appendSummary(path: string, markdown: string): Promise<void> {
  const { shortened } = await import("./github_summary.ts");
  try {
    const writtenBytes = await Deno.stat(path).then(({ size }) => size, () => 0);
    const text = secrets.form(shortened(markdown, writtenBytes));
    await Deno.writeTextFile(path, text, { append: true });
  } catch (error) {
    printError(
      textLines([`Cannot write the summary of the step into ${path}: ${messageOf(error)}`]),
    );
  }
}
