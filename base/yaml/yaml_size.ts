/**
 * Whether a YAML text is more than its reader can take: that one makes an object of every word and sign,
 * goes down into nested values by calling itself, and looks through the whole text for every alias.
 */
import { Lexer } from "yaml";
import { beyond, isWithin, type LimitName, oneMoreThan } from "../limits.ts";

/** Comes before a text that stands without quotes, which may look like a sign. */
const PLAIN = "\x1f";

/** The reason, or null when it is not. Words and signs are looked at one by one, and not kept. */
export function whyTooMuch(text: string): string | null {
  if (!isWithin("experimentFile", text.length)) return beyond("experimentFile", text.length);
  const size = new Size();
  for (const token of new Lexer().lex(text)) {
    const limit = size.add(token);
    if (limit !== null) return beyond(limit, oneMoreThan(limit));
  }
  return null;
}

/** What has come of a text. */
class Size {
  #tokens = 0;
  #aliases = 0;
  /** Brackets and braces that are open. */
  #open = 0;
  /** Lists and keys that begin in the line at hand: `- - - a`. */
  #begun = 0;
  #isPlain = false;

  /** Gives the limit that it is beyond now. */
  add(token: string): LimitName | null {
    const isText = this.#isPlain;
    this.#isPlain = token === PLAIN;
    if (++this.#tokens > 0 && !isWithin("yamlTokens", this.#tokens)) return "yamlTokens";
    return isText ? null : this.#addSign(token);
  }

  #addSign(token: string): LimitName | null {
    if (token === "[" || token === "{") this.#open++;
    else if (token === "]" || token === "}") this.#open--;
    else if (token === "-" || token === "?") this.#begun++;
    else if (token.endsWith("\n")) this.#begun = 0;
    else if (/^[*&]/.test(token) && !isWithin("yamlAliases", ++this.#aliases)) return "yamlAliases";
    return isWithin("nesting", Math.max(this.#open, this.#begun)) ? null : "nesting";
  }
}
