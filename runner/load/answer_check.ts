/**
 * Whether a completed response is the right one, decided on bytes: no text is made per response.
 */
import type { ResponseReader } from "../http/response.ts";

/** What makes a completed response right. */
export interface Check {
  /** Statuses that are right. */
  readonly statuses: readonly number[];
  /** The whole body, exactly. */
  readonly body: Uint8Array<ArrayBuffer> | null;
  /** Bytes that the body must contain. */
  readonly contains: Uint8Array<ArrayBuffer> | null;
}

const STATUS_CODES = 1_000;
const NOTHING = new Uint8Array(0);

export class AnswerCheck {
  readonly #right = new Uint8Array(STATUS_CODES);

  constructor(private readonly check: Check) {
    for (const status of check.statuses) this.#right[status] = 1;
  }

  /** Whether the reader must keep bodies. */
  get readsBody(): boolean {
    return this.check.body !== null || this.check.contains !== null;
  }

  // hot: with a status alone it is one look-up.
  passes(reader: ResponseReader): boolean {
    if (this.#right[reader.status] === 0) return false;
    if (!this.readsBody) return true;
    const body = reader.kept?.body() ?? NOTHING;
    const { body: whole, contains } = this.check;
    return (whole === null || (body.length === whole.length && startsAt(body, whole, 0))) &&
      (contains === null || includes(body, contains));
  }
}

function startsAt(bytes: Uint8Array, part: Uint8Array, at: number): boolean {
  for (let i = 0; i < part.length; i++) if (bytes[at + i] !== part[i]) return false;
  return true;
}

function includes(bytes: Uint8Array, part: Uint8Array): boolean {
  for (let at = 0; at + part.length <= bytes.length; at++) {
    if (startsAt(bytes, part, at)) return true;
  }
  return false;
}
