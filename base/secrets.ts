/**
 * The secret values of this process, and texts without them. Whatever becomes a result, a report, a log or a message
 * passes through here. A value from outside (an echo of a target, an excerpt of a response, an argument) loses every
 * secret, in all forms in which secrets travel. Plateau's own sentences and documents are made of such values, and are
 * searched again, but only for secrets that cannot be words of their own: a secret such as `user` stays in a sentence.
 */
import { secretsInWord, writtenForms } from "./secret_fields.ts";

/** Stands in place of a secret that has no name such as `${env.NAME}`. */
export const SECRET = "[secret]";

/**
 * Values that are never hidden: an empty text, a single character, two digits. Hiding them would garble every figure.
 */
const HIDES_NOTHING = /^(?:.?|\d\d)$/su;
/** A shorter secret is replaced only where it is a whole word: to replace it within words would garble whole texts. */
const LEAST_WITHIN = 4;
/** A shorter secret may be a word of the document itself, so it is not searched for in documents. */
const LEAST_IN_DOCUMENTS = 8;
/**
 * A shorter secret is not searched for in Plateau's own sentences if it consists of words (perhaps joined by hyphens),
 * because the sentences may contain the same words.
 */
const LEAST_UNCOMMON = 12;
/** Plain words, and amounts such as `30s`, `1.5x` or `127.0.0.1:8080`. */
const WORDS = /^\p{L}+(?:[-_ ]\p{L}+)*$/u;
const AMOUNT = /^[\d.,:+%/-]+(?:[a-zµ]{0,3}(?:\/s)?)$/i;

/** A secret value, and the text that is shown in its place. */
export type SecretValue = readonly [value: string, shown: string];

/** Limits of the found secrets that are kept: their number, and their total length in characters. */
export interface SecretRoom {
  readonly values: number;
  readonly chars: number;
}

type Replace = (text: string) => string;

export class Secrets {
  readonly #shown = new Map<string, string>();
  /** Secrets found during a run, such as a server's cookie; the latest comes last. */
  readonly #found = new Set<string>();
  #foundChars = 0;
  #everywhere: Forms | null = null;
  #inSentences: Forms | null = null;
  #inDocuments: Forms | null = null;

  keep(value: string, shown = SECRET): void {
    if (HIDES_NOTHING.test(value.trim())) return;
    if (this.#found.delete(value)) this.#foundChars -= value.length;
    if (this.#shown.has(value)) return;
    this.#shown.set(value, shown);
    this.#everywhere?.add([value, shown]);
    if (isUncommon(value)) this.#inSentences?.add([value, shown]);
    if (isUnlikeOthers(value)) this.#inDocuments?.add([value, shown]);
  }

  /**
   * Keeps a secret that was found while running, such as a server's cookie. When the secrets found exceed twice the
   * room, the oldest are forgotten until the others fit into the room.
   * @returns Whether the value takes up room. It takes none if the user has given it too, or if it is never hidden.
   */
  keepFound(value: string, { values, chars }: SecretRoom): boolean {
    if (this.#shown.has(value) && !this.#found.has(value)) return false; // the user has given this secret
    this.keep(value);
    if (!this.#shown.has(value)) return false; // the value is never hidden
    this.#found.add(value);
    this.#foundChars += value.length;
    const isFull = this.#found.size > 2 * values || this.#foundChars > 2 * chars;
    if (isFull) this.#forgetOldest({ values, chars });
    return true;
  }

  #forgetOldest({ values, chars }: SecretRoom): void {
    for (const old of this.#found) {
      if (this.#found.size <= values && this.#foundChars <= chars) break;
      this.#found.delete(old);
      this.#foundChars -= old.length;
      this.#forget(old);
    }
  }

  /** Keeps values as secrets until the result is disposed; values that were known before stay. */
  keepWhile(values: readonly SecretValue[]): Disposable {
    const added = values.filter(([value]) => !this.#shown.has(value));
    for (const [value, shown] of added) this.keep(value, shown);
    return {
      [Symbol.dispose]: () => {
        for (const [value] of added) this.#forget(value);
      },
    };
  }

  #forget(value: string): void {
    this.#shown.delete(value);
    this.#everywhere = this.#inSentences = this.#inDocuments = null;
  }

  get #forms(): Forms {
    return this.#everywhere ??= new Forms(this.#shown);
  }

  /** Removes the secrets from a text that comes from outside. */
  text(text: string): string {
    return this.#shown.size === 0 ? text : this.#forms.without(text);
  }

  /** A value from outside as a sentence quotes it: as JSON, without secrets. */
  quoted(value: unknown): string {
    return this.text(JSON.stringify(value) ?? String(value));
  }

  /**
   * Removes the secrets from a sentence of Plateau's own. The values in it have been redacted already, so the search is
   * only for secrets that can be neither a word nor an amount of the sentence itself.
   */
  sentence(text: string): string {
    if (this.#shown.size === 0) return text;
    this.#inSentences ??= new Forms([...this.#shown].filter(([value]) => isUncommon(value)));
    return this.#inSentences.without(text);
  }

  /** Removes the secrets from a text whose beginning was cut off, maybe in the middle of a secret. */
  cutText(text: string): string {
    if (this.#shown.size === 0) return text;
    const { length, shown } = this.#forms.cutAtStart(text);
    return this.text(length < LEAST_WITHIN ? text : shown + text.slice(length));
  }

  /**
   * Removes the secrets from a whole document (JSON, a page, a table). The data in it has been redacted already, so the
   * search is only for secrets that can be neither a figure nor a word of the document itself.
   */
  form(text: string): string {
    if (this.#shown.size === 0) return text;
    this.#inDocuments ??= new Forms(
      [...this.#shown].filter(([value]) => isUnlikeOthers(value)),
    );
    return this.#inDocuments.without(text);
  }

  /**
   * Data with secrets removed from every string that is a value; keys and numbers stay.
   * @param replace Removes the secrets from a string.
   */
  data<Data>(data: Data, replace: Replace = (text) => this.text(text)): Data {
    return this.#shown.size === 0 ? data : inStrings(data, replace) as Data;
  }

  /** Secrets that a text contains, in any written form. */
  heldBy(text: string): SecretValue[] {
    const held = this.#forms.heldBy(text);
    return [...this.#shown].filter(([value]) => held.has(value));
  }
}

/** The secrets of this process. */
export const secrets = new Secrets();

/** A text from outside, without its secrets. */
export function withoutSecrets(text: string): string {
  return secrets.text(text);
}

/** A value from outside, quoted and without its secrets, for use in a sentence. */
export function quotedOpenly(value: unknown): string {
  return secrets.quoted(value);
}

/**
 * Keeps the secrets in the words of a command line. After `--like`, one word is the whole command line of another tool.
 */
export function keepSecretsOf(args: readonly string[]): void {
  for (const secret of args.flatMap(secretsInWord)) secrets.keep(secret);
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

/** Whether a value is neither short, nor a common word, nor an amount. */
function isUncommon(value: string): boolean {
  const isWord = WORDS.test(value) && value.length < LEAST_UNCOMMON;
  return value.length >= LEAST_WITHIN && !isWord && !AMOUNT.test(value);
}

/** Whether a value is neither short, nor a number, nor a single word. */
function isUnlikeOthers(value: string): boolean {
  return value.length >= LEAST_IN_DOCUMENTS && !/^[\d.,:+eE-]+$/.test(value) &&
    !/^\p{L}+$/u.test(value);
}

/** How many characters at the start of a form are used to look it up; the rest of a longer form is compared. */
const HEAD = 64;

/**
 * The most characters that are compared in one text: `least`, plus `each` for each of the text's characters. Only a
 * text full of beginnings of secrets needs more. The rest of such a text is hidden.
 */
const COMPARED = { each: 128, least: 1_000_000 } as const;

/** A secret as it may be written in a text. */
interface WrittenForm {
  readonly text: string;
  readonly secret: SecretValue;
}

/**
 * The written forms of all secrets. Their number and length would exceed the limits of one regular expression. So each
 * form is looked up by its head: its first `HEAD` characters, or all of a short form.
 */
class Forms {
  /** Holds 1 at the hash of each pair of characters with which some form begins. */
  readonly #begins = new Uint8Array(65_536);
  /**
   * For each beginning of heads (their first `LEAST_WITHIN` characters, or all of a shorter head), the lengths of all
   * heads that begin so.
   */
  readonly #headLengths = new Map<string, number[]>();
  /** Forms keyed by their head; those with the same head are in the order in which they were added. */
  readonly #byHead = new Map<string, WrittenForm[]>();
  #compared = 0;

  constructor(secrets: Iterable<SecretValue>) {
    for (const secret of secrets) this.add(secret);
  }

  add(secret: SecretValue): void {
    for (const text of writtenForms(secret[0])) {
      const head = text.slice(0, HEAD);
      const start = text.slice(0, LEAST_WITHIN);
      const lengths = this.#headLengths.get(start) ?? [];
      this.#begins[hashOf(text.charCodeAt(0), text.charCodeAt(1))] = 1;
      if (!lengths.includes(head.length)) this.#headLengths.set(start, [...lengths, head.length]);
      const forms = this.#byHead.get(head) ?? [];
      forms.push({ text, secret });
      this.#byHead.set(head, forms);
    }
  }

  without(text: string): string {
    const most = COMPARED.least + COMPARED.each * text.length;
    this.#compared = 0;
    let [shown, from] = ["", 0];
    for (let at = this.#next(text, 0); at < text.length;) {
      const [form] = this.#at(text, at);
      if (this.#compared > most) return shown + text.slice(from, at) + SECRET;
      if (form !== undefined) {
        shown += text.slice(from, at) + form.secret[1];
        from = at + form.text.length;
      }
      at = this.#next(text, Math.max(from, at + 1));
    }
    return from === 0 ? text : shown + text.slice(from);
  }

  /** The secrets that a text holds in any form, including one inside another. */
  heldBy(text: string): Set<string> {
    const held = new Set<string>();
    for (let at = this.#next(text, 0); at < text.length; at = this.#next(text, at + 1)) {
      for (const { secret: [value] } of this.#at(text, at)) held.add(value);
    }
    return held;
  }

  /** How many characters at the start of a text are the end or the middle of a form, and what to show instead. */
  cutAtStart(text: string): { readonly length: number; readonly shown: string } {
    const borders = bordersOf(text);
    let most = { length: 0, shown: "" };
    for (const form of [...this.#byHead.values()].flat()) {
      const length = overlapOf(form.text, text, borders);
      if (length > most.length) most = { length, shown: form.secret[1] };
    }
    return most;
  }

  /** The next place, from `from` on, at which a form may begin; the end of the text if there is none. */
  #next(text: string, from: number): number {
    const begins = this.#begins;
    for (let at = from, code = text.charCodeAt(from); at + 1 < text.length; at++) {
      const next = text.charCodeAt(at + 1);
      if (begins[hashOf(code, next)] === 1) return at;
      code = next;
    }
    return text.length;
  }

  /**
   * The forms that stand at a place of a text: longest first; of equal length, in the order in which they were added.
   */
  #at(text: string, at: number): readonly WrittenForm[] {
    const found: WrittenForm[] = [];
    for (let start = LEAST_WITHIN; start > 1; start--) {
      for (const length of this.#headLengths.get(text.slice(at, at + start)) ?? []) {
        this.#compared += length;
        for (const form of this.#byHead.get(text.slice(at, at + length)) ?? []) {
          if (this.#stands(form.text, text, at)) found.push(form);
        }
      }
    }
    return found.sort((a, b) => b.text.length - a.text.length);
  }

  /** Whether the whole form stands where its head was found. A short form must also be a whole word. */
  #stands(form: string, text: string, at: number): boolean {
    for (let from = HEAD; from < form.length; from *= 2) {
      this.#compared += from;
      const part = form.slice(from, 2 * from);
      if (text.slice(at + from, at + from + part.length) !== part) return false; // faster than startsWith
    }
    return form.length >= LEAST_WITHIN || isWord(text, at, at + form.length);
  }
}

function hashOf(code: number, next: number): number {
  return (31 * code + next) & 0xffff;
}

function isWord(text: string, from: number, to: number): boolean {
  return !/[\p{L}\p{N}_]$/u.test(text.slice(Math.max(0, from - 2), from)) &&
    !/^[\p{L}\p{N}_]/u.test(text.slice(to, to + 2));
}

/**
 * For each prefix of a text, by its length: the length of its longest proper prefix that is also its suffix (Knuth,
 * Morris and Pratt).
 */
function bordersOf(text: string): Int32Array {
  const borders = new Int32Array(text.length + 1);
  for (let at = 1, length = 0; at < text.length; at++) {
    while (length > 0 && text[at] !== text[length]) length = borders[length];
    if (text[at] === text[length]) length++;
    borders[at + 1] = length;
  }
  return borders;
}

/**
 * Length of the longest prefix of `text` that is also a proper suffix of `form`, or of all of `text` if it is inside
 * `form`.
 */
function overlapOf(form: string, text: string, borders: Int32Array): number {
  let length = 0;
  for (let at = 1; at < form.length && length < text.length; at++) {
    while (length > 0 && form[at] !== text[length]) length = borders[length];
    if (form[at] === text[length]) length++;
  }
  return length;
}
