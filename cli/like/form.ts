/** Forms of several parts, as curl and oha have them. */
import { formPart } from "../flags/form_flag.ts";
import { lastOf, type Meaning, type TranslatedLine, withFlags } from "./tool.ts";

/** A part that `bench` writes in the same way. */
export function formMeaning(text: string): Meaning {
  return isChanged(text.slice(text.indexOf("=") + 1)) ? refusal(text) : taken(text);
}

/** A part in which no sign means anything. */
export function literalPart(text: string): Meaning {
  return /^[^=]*=[@<]|;/.test(text) ? refusal(text) : taken(text);
}

/** Whether curl sends another text: it takes off quotes and outer spaces, and ends at `;` (tool_formparse.c). */
function isChanged(value: string): boolean {
  if (value.startsWith("@")) return value.includes('"');
  return value.startsWith('"') || value.includes(";") || value !== value.trim();
}

function taken(text: string): Meaning {
  return formPart.safeParse(text).success ? { flags: [["--form", text]] } : refusal(text);
}

function refusal(text: string): Meaning {
  return { refused: `the part ${text} of its form` };
}

/** A form is posted, where nothing else is said. */
export function withForm(line: TranslatedLine): TranslatedLine {
  const isPosted = lastOf(line, "--form") !== undefined && lastOf(line, "-m") === undefined;
  return isPosted ? withFlags(line, ["-m", "post"]) : line;
}
