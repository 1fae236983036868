/** Makes characters visible that a terminal or a CI log would act on. Pure. */

/**
 * C0 and C1 controls, and invisible characters of Unicode: zero-width characters, line separators, marks of direction,
 * and the BOM.
 */
// deno-lint-ignore no-control-regex -- these are what must not reach a terminal
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Text on one line, with everything that could control a terminal written out: ESC as \x1b. */
export function harmless(text: string): string {
  return text.replace(CONTROL, writtenOut);
}

function writtenOut(character: string): string {
  const code = character.charCodeAt(0).toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, "0")}` : `\\u${code}`;
}

/** How an output writes # and : so that people can read them but the CI service does not act on them. */
interface CommandSigns {
  readonly hash: string;
  readonly colon: string;
}

/** For people, in the form of `harmless`. */
const VISIBLE: CommandSigns = { hash: "\\x23", colon: "\\x3a" };
/** For readers of HTML, XML or markdown, who see the characters themselves. */
export const REFERENCES: CommandSigns = { hash: "&#35;", colon: "&#58;" };

/**
 * The text in a form that starts no command of the CI service in whose log it is printed. Some commands start anywhere
 * in a line: `##[…]` for GitHub and Azure, `##vso[…]` for Azure, `##teamcity[…]` for TeamCity. Others start only at the
 * beginning of a line, perhaps after white space: `::error::` for GitHub.
 */
export function withoutCommands(text: string, { hash, colon } = VISIBLE): string {
  if (!text.includes("##") && !text.includes("::")) return text; // the usual case, and fast
  return text
    .replace(/##(?=[\w.-]*\[)/g, `#${hash}`)
    .replace(/^([^\S\r\n\u2028\u2029]*):(?=:)/gm, `$1${colon}`);
}
