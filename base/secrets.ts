/**
 * The secret values of this process, and texts without them. Whatever becomes a result, a report, a log or a message
 * passes through here. A value from outside (an echo of a target, an excerpt of a response, an argument) loses every
 * secret, in the forms in which it travels. Plateau's own sentences and documents are made of such values, and lose
 * once more what cannot be a word of their own: a secret such as `user` stays a word of a sentence.
 */
import { secretsInWord, writtenForms } from "./secret_fields.ts";

/** What stands in the place of a secret that has no name of its own, as `${env.NAME}` is one. */
export const SECRET = "[secret]";

/** One character, and two digits: they stand in every figure and place. */
const HIDES_NOTHING = /^(?:.?|\d\d)$/su;
/** A shorter one is replaced only where it is a word of its own, or it would take whole texts apart. */
const LEAST_WITHIN = 4;
/** A shorter one may be a word of a document itself. */
const LEAST_IN_DOCUMENTS = 8;
/** Shorter words, with hyphens or without, are common ones, which a sentence may have itself. */
const LEAST_UNCOMMON = 12;
/** Words alone, and amounts such as `30s`, `1.5x` or `127.0.0.1:8080`. */
const WORDS = /^\p{L}+(?:[-_ ]\p{L}+)*$/u;
const AMOUNT = /^[\d.,:+%/-]+(?:[a-zµ]{0,3}(?:\/s)?)$/i;

/** A secret value, and what is shown in its place. */
export type SecretValue = readonly [value: string, shown: string];

/** How many secrets are kept, and how long they may be together. */
export interface SecretRoom {
  readonly values: number;
  readonly chars: number;
}

type Replace = (text: string) => string;

export class Secrets {
  readonly #shown = new Map<string, string>();
  /** Secrets that were found during a run, as in a server's cookie; the latest at the end. */
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
   * Keeps a secret that came to light, as a server's cookie does. Beyond twice the room, the ones that came first are
   * forgotten, until the others fit the room. @returns Whether it now takes room: not if it was
   * given before, or would hide nothing.
   */
  keepFound(value: string, { values, chars }: SecretRoom): boolean {
    if (this.#shown.has(value) && !this.#found.has(value)) return false; // it was given
    this.keep(value);
    if (!this.#shown.has(value)) return false; // it would hide nothing
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

  /** Until it is disposed. Those that are known already stay. */
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

  /** A text from outside without secrets. */
  text(text: string): string {
    return this.#shown.size === 0 ? text : this.#forms.without(text);
  }

  /** A value from outside as a sentence quotes it: as JSON, without secrets. */
  quoted(value: unknown): string {
    return this.text(JSON.stringify(value) ?? String(value));
  }

  /**
   * A sentence of Plateau's own, of which the values came without secrets: once more, but only for values that can be
   * neither a word nor an amount of the sentence itself.
   */
  sentence(text: string): string {
    if (this.#shown.size === 0) return text;
    this.#inSentences ??= new Forms([...this.#shown].filter(([value]) => isUncommon(value)));
    return this.#inSentences.without(text);
  }

  /** A text whose beginning was cut off, maybe in the middle of a secret. */
  cutText(text: string): string {
    if (this.#shown.size === 0) return text;
    const { length, shown } = this.#forms.cutAtStart(text);
    return this.text(length < LEAST_WITHIN ? text : shown + text.slice(length));
  }

  /**
   * A whole document (JSON, a page, a table), of which the data came without secrets: once more, but
   * only for values that can be neither a figure nor a word of the document itself.
   */
  form(text: string): string {
    if (this.#shown.size === 0) return text;
    this.#inDocuments ??= new Forms(
      [...this.#shown].filter(([value]) => isUnlikeOthers(value)),
    );
    return this.#inDocuments.without(text);
  }

  /**
   * Data with every string that is a value in it without them; keys and numbers stay as they are.
   * @param replace What takes them out of a string.
   */
  data<Data>(data: Data, replace: Replace = (text) => this.text(text)): Data {
    return this.#shown.size === 0 ? data : inStrings(data, replace) as Data;
  }

  /** Secrets that a text contains, in whatever form. */
  heldBy(text: string): SecretValue[] {
    const held = this.#forms.heldBy(text);
    return [...this.#shown].filter(([value]) => held.has(value));
  }
}

/** The secrets of this process. */
export const secrets = new Secrets();

/** A text from outside, as it may be shown. */
export function withoutSecrets(text: string): string {
  return secrets.text(text);
}

/** A value from outside, quoted as a sentence may have it. */
export function quotedOpenly(value: unknown): string {
  return secrets.quoted(value);
}

/** The secrets in the words of a command line; the line of another tool is one word there (`--like`). */
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

/** Whether a value is neither a common word nor an amount. */
function isUncommon(value: string): boolean {
  const isWord = WORDS.test(value) && value.length < LEAST_UNCOMMON;
  return value.length >= LEAST_WITHIN && !isWord && !AMOUNT.test(value);
}

/** No number, and no word alone. */
function isUnlikeOthers(value: string): boolean {
  return value.length >= LEAST_IN_DOCUMENTS && !/^[\d.,:+eE-]+$/.test(value) &&
    !/^\p{L}+$/u.test(value);
}

/** Characters of a form that are looked up at once; the rest of a longer form is compared. */
const HEAD = 64;

/**
 * The most characters that are compared: `least` for any text, and `each` more for each of its characters. Only a text full of
 * beginnings of secrets needs more; then all that follows is hidden.
 */
const COMPARED = { each: 128, least: 1_000_000 } as const;

/** A secret as a text may have it. */
interface WrittenForm {
  readonly text: string;
  readonly secret: SecretValue;
}

/**
 * The forms of secrets, as many and as long as they may be: no regular expression holds them, as its size has an end.
 * Each is looked up by its head, which is the whole of a short one.
 */
class Forms {
  /** By a hash of two characters: 1 if any form begins with these. */
  readonly #begins = new Uint8Array(65_536);
  /** By the first characters of heads (`LEAST_WITHIN`, or all): the lengths of these heads. */
  readonly #headLengths = new Map<string, number[]>();
  /** Forms by their head, those of one head in the order in which they were added. */
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

  /** The secrets that a text has in any form, also one within another. */
  heldBy(text: string): Set<string> {
    const held = new Set<string>();
    for (let at = this.#next(text, 0); at < text.length; at = this.#next(text, at + 1)) {
      for (const { secret: [value] } of this.#at(text, at)) held.add(value);
    }
    return held;
  }

  /** How many characters at the beginning of a text are the end of a form, or its middle, and what to show instead. */
  cutAtStart(text: string): { readonly length: number; readonly shown: string } {
    const borders = bordersOf(text);
    let most = { length: 0, shown: "" };
    for (const form of [...this.#byHead.values()].flat()) {
      const length = overlapOf(form.text, text, borders);
      if (length > most.length) most = { length, shown: form.secret[1] };
    }
    return most;
  }

  /** The next place, from `from` on, at which a form may begin; the end if there is none. */
  #next(text: string, from: number): number {
    const begins = this.#begins;
    for (let at = from, code = text.charCodeAt(from); at + 1 < text.length; at++) {
      const next = text.charCodeAt(at + 1);
      if (begins[hashOf(code, next)] === 1) return at;
      code = next;
    }
    return text.length;
  }

  /** The forms that stand at a place of a text, longest first, and of one length the one that came first. */
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

  /** Whether the whole form stands at a place where its head does. */
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
 * By the length of a beginning of a text: the length of the longest shorter beginning that it ends with (Knuth, Morris,
 * Pratt).
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

/** How long the beginning of `text` is with which a form, without its first character, ends; or all, where it holds all. */
function overlapOf(form: string, text: string, borders: Int32Array): number {
  let length = 0;
  for (let at = 1; at < form.length && length < text.length; at++) {
    while (length > 0 && form[at] !== text[length]) length = borders[length];
    if (form[at] === text[length]) length++;
  }
  return length;
}
