/** Makes up texts that fit the format, pattern and lengths of a schema. Pure. */
import { matchFor, wrongMatch } from "../../../base/pattern.ts";

const FORMATS: Readonly<Record<string, string>> = {
  "date-time": "2026-01-31T12:00:00Z",
  "date": "2026-01-31",
  "time": "12:00:00Z",
  "duration": "P1D",
  "email": "ada@example.org",
  "idn-email": "ada@example.org",
  "hostname": "example.org",
  "idn-hostname": "example.org",
  "ipv4": "192.0.2.1",
  "ipv6": "2001:db8::1",
  "uri": "https://example.org/",
  "url": "https://example.org/",
  "iri": "https://example.org/",
  "uri-reference": "/example",
  "iri-reference": "/example",
  "uri-template": "/example/{id}",
  "uuid": "3fa85f64-5717-4562-b3fc-2c963f66afa6",
  "json-pointer": "/example",
  "regex": "^a$",
  "byte": "dGV4dA==",
  "int32": "1",
  "int64": "1",
};

const LONGEST = 10_000;
const MOST_LABEL_CHARS = 63;

/**
 * How long the text of a format may become when letters are appended to it. The texts of all other formats stay as they
 * are. Domain names and mail addresses end with a label, whose length is limited (RFC 1035 §2.3.4).
 */
const LENGTHENED: Readonly<Record<string, number>> = {
  "email": "ada@example.".length + MOST_LABEL_CHARS,
  "idn-email": "ada@example.".length + MOST_LABEL_CHARS,
  "hostname": "example.".length + MOST_LABEL_CHARS,
  "idn-hostname": "example.".length + MOST_LABEL_CHARS,
  "uri": LONGEST,
  "url": LONGEST,
  "iri": LONGEST,
  "uri-reference": LONGEST,
  "iri-reference": LONGEST,
  "uri-template": LONGEST,
  "json-pointer": LONGEST,
  "regex": LONGEST,
};

/**
 * A text of allowed length that fits the pattern or, if there is none, the format; null if none is found, or if it
 * would be very long.
 */
export function madeText(words: Readonly<Record<string, unknown>>): string | null {
  const { format, pattern, minLength, maxLength } = words;
  const least = typeof minLength === "number" ? minLength : 0;
  const most = typeof maxLength === "number" ? maxLength : Infinity;
  if (typeof pattern === "string") return matching(pattern, least, most);
  const known = typeof format === "string" ? FORMATS[format] : undefined;
  if (known === undefined) {
    return least > Math.min(most, LONGEST) ? null : "text".padEnd(least, "x").slice(0, most);
  }
  const longest = LENGTHENED[String(format)] ?? known.length;
  return least > longest || Math.max(least, known.length) > most ? null : known.padEnd(least, "x");
}

/** A text of allowed length that the pattern matches; null if none was found. */
function matching(pattern: string, least: number, most: number): string | null {
  if (wrongMatch(pattern) !== null) return null;
  const isMatch = matchFor(pattern);
  for (const repeats of [0, 1, least, Math.ceil(least / 2)]) {
    const text = new PatternText(pattern, repeats).text();
    if (text === null) return null;
    if (text.length >= least && text.length <= most && isMatch(new TextEncoder().encode(text))) {
      return text;
    }
  }
  return null;
}

/**
 * Makes a text that fits a pattern, with the first of all possibilities at each position, while reading the pattern
 * from left to right.
 */
class PatternText {
  #at = 0;
  #isKnown = true;

  /** @param more How often to repeat each repeatable part, if its limits allow that. */
  constructor(private readonly pattern: string, private readonly more: number) {}

  text(): string | null {
    const text = this.#alternatives();
    return this.#isKnown && this.#at === this.pattern.length ? text : null;
  }

  /** Text for the first alternative. The others are read, but not used. */
  #alternatives(): string {
    const first = this.#sequence();
    while (this.pattern[this.#at] === "|") {
      this.#at++;
      this.#sequence();
    }
    return first;
  }

  #sequence(): string {
    let text = "";
    while (
      this.#isKnown && this.#at < this.pattern.length && !"|)".includes(this.pattern[this.#at])
    ) {
      text += this.#repeated(this.#one());
      if (text.length > LONGEST) this.#isKnown = false;
    }
    return text;
  }

  #one(): string {
    const sign = this.pattern[this.#at++];
    switch (sign) {
      case "^":
      case "$":
        return "";
      case ".":
        return "a";
      case "(": {
        const [kind = ""] = /^\?(?::|<[^=!>]+>|[=!]|<[=!])/.exec(this.pattern.slice(this.#at)) ??
          [];
        if (/[=!]$/.test(kind)) this.#isKnown = false;
        this.#at += kind.length;
        const inner = this.#alternatives();
        if (this.pattern[this.#at++] !== ")") this.#isKnown = false;
        return inner;
      }
      case "[":
        return this.#class();
      case "\\":
        return this.#escaped();
      default:
        return sign;
    }
  }

  #repeated(one: string): string {
    const [whole = "", sign, from, , to] =
      /^(?:([*+?])|\{(\d+)(,(\d*))?\})\??/.exec(this.pattern.slice(this.#at)) ?? [];
    if (whole === "") return one;
    this.#at += whole.length;
    const least = sign === undefined ? Number(from) : sign === "+" ? 1 : 0;
    const most = sign === "?"
      ? 1
      : whole.includes(",") || sign !== undefined
      ? to === undefined || to === "" ? LONGEST : Number(to)
      : least;
    return one.repeat(Math.min(LONGEST, most, Math.max(least, this.more)));
  }

  #escaped(): string {
    const sign = this.pattern[this.#at++];
    const known = ESCAPES[sign];
    if (known !== undefined) return known;
    if (/[A-Za-z0-9]/.test(sign ?? "1")) this.#isKnown = false;
    return sign ?? "";
  }

  /** The first character that a character class such as `[a-z]` allows. */
  #class(): string {
    const end = /^\^?\]?(?:\\.|[^\]\\])*\]/s.exec(this.pattern.slice(this.#at));
    if (end === null) {
      this.#isKnown = false;
      return "";
    }
    const source = `[${end[0]}`;
    this.#at += end[0].length;
    try {
      const one = new RegExp(source, "u");
      const found = [...CANDIDATES].find((sign) => one.test(sign));
      if (found !== undefined) return found;
    } catch {
      // The class is invalid, so the pattern counts as unsupported.
    }
    this.#isKnown = false;
    return "";
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  d: "1",
  w: "a",
  s: " ",
  D: "a",
  S: "a",
  W: "-",
  b: "",
  t: "\t",
  n: "\n",
};

const CANDIDATES =
  "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:+@# ,;!?~*'()=&%$";
