/** Forms of several parts, as curl and oha have them. */
import { formPart } from "../flags/form_flag.ts";
import { lastOf, type Meaning, type TranslatedLine, withFlags } from "./tool.ts";

/** A part that `bench` writes in the same way. */
export function formMeaning(text: string): Meaning {
  return formPart.safeParse(text).success
    ? { flags: [["--form", text]] }
    : { refused: `the part ${text} of its form` };
}

/** A part in which no sign means anything. */
export function literalPart(text: string): Meaning {
  const isPlain = !/^[^=]*=[@<]|;/.test(text);
  return isPlain ? formMeaning(text) : { refused: `the part ${text} of its form` };
}

/** A form is posted, where nothing else is said. */
export function withForm(line: TranslatedLine): TranslatedLine {
  const isPosted = lastOf(line, "--form") !== undefined && lastOf(line, "-m") === undefined;
  return isPosted ? withFlags(line, ["-m", "post"]) : line;
}
