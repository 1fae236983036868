/**
 * Workflow commands: when a step of a GitHub workflow prints one, GitHub shows an annotation. The title and message are
 * escaped so that they can't start another command. Pure.
 * @see https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
import { GLUE } from "./units.ts";
import { harmless, withoutCommands } from "../../base/control.ts";
import type { Written } from "./written.ts";

export interface Annotation {
  readonly level: "error" | "warning";
  readonly title: string;
  /** May contain line breaks, which the annotation shows. */
  readonly message: string;
}

/** A workflow command on one line, without a final line break. */
export function command({ level, title, message }: Annotation): Written<"annotation"> {
  return `::${level} title=${property(title)}::${data(message)}` as Written<"annotation">;
}

/** Workflow commands as lines, each ending with a line break. */
export function commandLines(
  commands: readonly Written<"annotation">[],
): Written<"annotation"> {
  return commands.map((line) => `${line}\n`).join("") as Written<"annotation">;
}

/** Escapes the message of a workflow command, which follows its second `::`, as GitHub's actions/toolkit does. */
function data(text: string): string {
  return text.split(/\r?\n/).map((line) => withoutCommands(harmless(line))).join("\n")
    .replaceAll(GLUE, " ").replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/** Escapes the value of a property, in which colons and commas have a meaning, too. */
function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
