/**
 * The secret values of this process, and texts without them. Whatever becomes a result, a report, a log
 * or a message passes through here: an echo of a target, an excerpt of a response and a defect's stack
 * may hold a secret where no structure shows it. What is replaced is a value in the forms in which it travels: as it
 * is, in JSON (RFC 8259 §7), percent-encoded (RFC 3986 §2.1), in base64 (RFC 4648), in HTML and XML.
 */

/** What stands in the place of a secret that has no name of its own, as `${env.NAME}` is one. */
export const SECRET = "[secret]";

/** One character, and two digits: they stand in every figure and place. */
const HIDES_NOTHING = /^\s*(?:.?|\d\d)\s*$/su;
/** A shorter one is replaced only where it is a word of its own, or it would take whole texts apart. */
const LEAST_WITHIN = 4;
/** A shorter part of one, such as a line of a key or its middle in base64, is no secret. */
const LEAST_PART = 8;

/** A secret value, and what is shown in its place. */
export type SecretValue = readonly [value: string, shown: string];

type Replace = (text: string) => string;

export class Secrets {
  readonly #shown = new Map<string, string>();
  #everywhere: Replace | null = null;
  #inForms: Replace | null = null;

  keep(value: string, shown = SECRET): void {
    if (HIDES_NOTHING.test(value) || this.#shown.has(value)) return;
    this.#shown.set(value, shown);
    this.#everywhere = this.#inForms = null;
  }

  /** Until it is disposed. Those that are known already stay. */
  keepWhile(values: readonly SecretValue[]): Disposable {
    const added = values.filter(([value]) => !this.#shown.has(value));
    for (const [value, shown] of added) this.keep(value, shown);
    return {
      [Symbol.dispose]: () => {
        for (const [value] of added) this.#shown.delete(value);
        this.#everywhere = this.#inForms = null;
      },
    };
  }

  /** A text for people without any of them. */
  text(text: string): string {
    if (this.#shown.size === 0) return text;
    return (this.#everywhere ??= replacer(formsOf(this.#shown)))(text);
  }

  /** A text whose beginning was cut off, maybe in the middle of a secret. */
  cutText(text: string): string {
    for (const [value, shown] of this.#shown) {
      for (let from = 1; from <= value.length - LEAST_WITHIN; from++) {
        if (text.startsWith(value.slice(from))) {
          return this.text(shown + text.slice(value.length - from));
        }
      }
    }
    return this.text(text);
  }

  /**
   * A whole document (JSON, a page, a table), of which the data came without secrets: once more, but
   * only for values that can be neither a figure nor a word of the document itself.
   */
  form(text: string): string {
    if (this.#shown.size === 0) return text;
    this.#inForms ??= replacer(
      formsOf([...this.#shown].filter(([value]) => isUnlikeOthers(value))),
    );
    return this.#inForms(text);
  }

  /**
   * Data with every string that is a value in it without them; keys and numbers stay as they are.
   * @param replace What takes them out of a string.
   */
  data<Data>(data: Data, replace: Replace = (text) => this.text(text)): Data {
    return this.#shown.size === 0 ? data : inStrings(data, replace) as Data;
  }

  /** Those that a text holds, in whatever form. */
  heldBy(text: string): SecretValue[] {
    return [...this.#shown].filter((secret) => replacer(formsOf([secret]))(text) !== text);
  }
}

/** Of this process. */
export const secrets = new Secrets();

/** A text for people, as it may be shown. */
export function withoutSecrets(text: string): string {
  return secrets.text(text);
}

function inStrings(value: unknown, replace: Replace): unknown {
  if (typeof value === "string") return replace(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => inStrings(item, replace));
  if ("toJSON" in value && typeof value.toJSON === "function") {
    return inStrings(value.toJSON(), replace);
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, inStrings(inner, replace)]),
  );
}

/** No number, and no word alone. */
function isUnlikeOthers(value: string): boolean {
  return value.length >= LEAST_PART && !/^[\d.,:+eE-]+$/.test(value) && !/^\p{L}+$/u.test(value);
}

/** What a text may hold, and what to show instead. The first that has a form keeps it. */
function formsOf(values: Iterable<SecretValue>): Map<string, string> {
  const forms = new Map<string, string>();
  for (const [value, shown] of values) {
    const lines = value.split(/\r?\n/).map((line) => line.trim());
    const parts = lines.length > 1 ? lines.filter(({ length }) => length >= LEAST_PART) : [];
    for (const part of [value, ...parts]) {
      for (const form of writtenForms(part)) if (!forms.has(form)) forms.set(form, shown);
    }
  }
  return forms;
}

/** Longest first, as one may hold another. */
function replacer(forms: ReadonlyMap<string, string>): Replace {
  if (forms.size === 0) return (text) => text;
  const longestFirst = [...forms.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map(asPattern).join("|"), "gu");
  return (text) => text.replaceAll(pattern, (found) => forms.get(found) ?? SECRET);
}

function asPattern(form: string): string {
  const plain = form.toWellFormed().replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return form.length < LEAST_WITHIN ? `(?<![\\p{L}\\p{N}_])${plain}(?![\\p{L}\\p{N}_])` : plain;
}

function writtenForms(value: string): Set<string> {
  const json = JSON.stringify(value).slice(1, -1);
  const percent = encodeURIComponent(value.toWellFormed());
  return new Set([
    value,
    json,
    JSON.stringify(json).slice(1, -1), // JSON within a text of JSON
    percent,
    percent.replaceAll(/%[0-9A-F]{2}/g, (octet) => octet.toLowerCase()),
    percent.replaceAll("%20", "+"),
    encodeURI(value.toWellFormed()),
    ...["&#39;", "&#x27;", "&apos;", "'"].map((apostrophe) => inMarkup(value, apostrophe)),
    ...inBase64(new TextEncoder().encode(value)),
  ]);
}

function inMarkup(value: string, apostrophe: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;").replaceAll("'", apostrophe);
}

/**
 * Alone, and as a part of something longer, as `user:password` is (RFC 7617 §2): base64 writes three
 * bytes as four characters, so a part looks in three ways, but for the characters at its ends, in which
 * its neighbours have bits, too.
 */
function inBase64(bytes: Uint8Array<ArrayBuffer>): string[] {
  const alone = bytes.toBase64();
  const within = [0, 1, 2].map((before) => {
    const padded = new Uint8Array(before + bytes.length);
    padded.set(bytes, before);
    const isCut = padded.length % 3 !== 0;
    const text = padded.toBase64().replace(/=+$/, "");
    return text.slice(before === 0 ? 0 : before + 1, isCut ? -1 : undefined);
  });
  const standard = [alone, ...within.filter(({ length }) => length >= LEAST_PART)]
    .filter(({ length }) => length >= LEAST_WITHIN);
  const forUrls = standard.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  return [...standard, ...forUrls, ...forUrls.map((text) => text.replace(/=+$/, ""))];
}
