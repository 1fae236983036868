/** Makes visible the characters that a terminal or a CI log would act on. Pure. */

/**
 * C0 and C1 control characters, and invisible Unicode characters: zero-width characters, line separators, direction
 * marks and the BOM.
 */
// deno-lint-ignore no-control-regex -- these are what must not reach a terminal
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** The text on one line, with every character that could control a terminal escaped: ESC becomes \x1b. */
export function harmless(text: string): string {
  return text.replace(CONTROL, writtenOut);
}

function writtenOut(character: string): string {
  const code = character.charCodeAt(0).toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, "0")}` : `\\u${code}`;
}

/** Replacements for # and : that people can still read but a CI service does not act on. */
interface CommandSigns {
  readonly hash: string;
  readonly colon: string;
}

/** Replacements for plain text, in the form that `harmless` uses. */
const VISIBLE: CommandSigns = { hash: "\\x23", colon: "\\x3a" };
/** Character references for HTML, XML and Markdown, whose readers see the original characters. */
export const REFERENCES: CommandSigns = { hash: "&#35;", colon: "&#58;" };

/**
 * The text, changed so that printing it to a CI log does not start a command of the CI service. Some commands start
 * anywhere in a line: `##[…]` for GitHub and Azure, `##vso[…]` for Azure, `##teamcity[…]` for TeamCity. Others start
 * only at the beginning of a line, perhaps after white space: `::error::` for GitHub.
 */
export function withoutCommands(text: string, { hash, colon } = VISIBLE): string {
  if (!text.includes("##") && !text.includes("::")) return text; // the fast path for most texts
  return text
    .replace(/##(?=[\w.-]*\[)/g, `#${hash}`)
    .replace(/^([^\S\r\n\u2028\u2029]*):(?=:)/gm, `$1${colon}`);
}
