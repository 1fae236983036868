/** Pages of the manual, in the language of man(7), from the declarations that `--help` is made of. Pure. */
import { Option } from "commander";
import type { DeclaredCommand } from "../cli/completions/scripts.ts";
import type { CommandParts, Flag, Operand } from "../cli/command_line/command.ts";
import { DESCRIPTION, SUMMARY, VERSION } from "./product.ts";

export interface Manual {
  readonly commands: readonly DeclaredCommand[];
  /** What each exit code means. */
  readonly exitCodes: readonly (readonly [code: string, meaning: string])[];
  /** Date, such as 2026-01-31. */
  readonly date: string;
}

/** Text of each page by its file name: `plateau.1`, and `plateau-COMMAND.1` for each command. */
export function manualPages(manual: Manual): Map<string, string> {
  const { commands } = manual;
  return new Map([
    ["plateau.1", overview(manual)],
    ...commands.map((command): [string, string] => [
      `plateau-${command.name}.1`,
      commandPage(command, manual),
    ]),
  ]);
}

function overview({ commands, exitCodes, date }: Manual): string {
  return page([
    title("plateau", date),
    section("NAME", [`plateau ${DASH} ${escaped(SUMMARY)}`]),
    section("SYNOPSIS", [`.B plateau\n.I COMMAND\n[options]`]),
    section("DESCRIPTION", [escaped(DESCRIPTION)]),
    section(
      "COMMANDS",
      commands.map(({ name, summary }) => item(`.BR plateau\\-${escaped(name)} (1)`, summary)),
    ),
    section("EXIT STATUS", exitCodes.map(([code, meaning]) => item(bold(code), meaning))),
  ]);
}

function commandPage(
  { name, summary, parts, more }: DeclaredCommand,
  { commands, date }: Manual,
): string {
  const own = `plateau-${name}`;
  const operands = Object.values(parts).flatMap((part) => isFlag(part) ? [] : [part]);
  const others = commands.filter((command) => command.name !== name)
    .map((command) => `.BR plateau\\-${escaped(command.name)} (1)`);
  return page([
    title(own, date),
    section("NAME", [`${escaped(own)} ${DASH} ${escaped(summary)}`]),
    section("SYNOPSIS", [
      [
        `.B plateau ${escaped(name)}`,
        "[options]",
        ...operands.map(({ operand }) => escaped(operand)),
      ].join("\n"),
    ]),
    section(
      "OPERANDS",
      operands.map(({ operand, about }) =>
        item(`.I ${escaped(operand.replace(/[<>[\]]/g, ""))}`, about)
      ),
    ),
    ...flagSections(parts),
    section("EXAMPLES AND NOTES", more === undefined ? [] : [verbatim(more.trimEnd())]),
    section("SEE ALSO", [[".BR plateau (1)", ...others].join(" ,\n")]),
  ]);
}

/** A section for each heading of the command's help. */
function flagSections(parts: CommandParts): string[] {
  const flags = Object.values(parts).filter(isFlag);
  const byHeading = Map.groupBy(flags, ({ heading }) => heading ?? "Options:");
  return [...byHeading].map(([heading, some]) =>
    section(heading.replace(/:$/, "").toUpperCase(), some.map(flagItem))
  );
}

function flagItem({ flags, about, preset }: Flag): string {
  const { short, long } = new Option(flags);
  const value = /[<[].+$/.exec(flags)?.[0];
  const names = [short, long].flatMap((name) => name === undefined ? [] : [bold(name)]).join(", ");
  const text = preset === undefined ? about : `${about} (default: ${preset})`;
  return item(value === undefined ? names : `${names} \\fI${escaped(value)}\\fR`, text);
}

function isFlag(part: Flag | Operand): part is Flag {
  return "flags" in part;
}

// Markup of man(7).

const DASH = "\\-";

function page(sections: readonly string[]): string {
  return `${sections.filter((text) => text !== "").join("\n")}\n`;
}

function title(name: string, date: string): string {
  return `.TH "${escaped(name.toUpperCase())}" 1 "${date}" "Plateau ${VERSION}" "Plateau"`;
}

/** A section; "" if it has no content. */
function section(heading: string, paragraphs: readonly string[]): string {
  return paragraphs.length === 0 ? "" : `.SH "${escaped(heading)}"\n${paragraphs.join("\n")}`;
}

function item(term: string, text: string): string {
  return `.TP\n${term}\n${escaped(text)}`;
}

function bold(text: string): string {
  return `\\fB${escaped(text)}\\fR`;
}

function verbatim(text: string): string {
  return `.nf\n${escaped(text)}\n.fi`;
}

/** Escapes text: a line must not begin like a request of roff, and hyphens must be ones that readers can copy. */
function escaped(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replace(/^(?=[.'])/gm, "\\&");
}
