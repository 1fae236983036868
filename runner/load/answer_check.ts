/**
 * Whether a completed response is the right one, decided on bytes: no text is made per response.
 */
import type { ResponseReader } from "../../base/http/response.ts";
import { ByteSearch } from "./byte_search.ts";

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

  readonly #contains: ByteSearch | null;

  constructor(private readonly check: Check) {
    this.#contains = check.contains && new ByteSearch(check.contains);
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
    const { body: whole } = this.check;
    return (whole === null || (body.length === whole.length && isSame(body, whole))) &&
      (this.#contains?.isIn(body) ?? true);
  }
}

function isSame(bytes: Uint8Array, others: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== others[i]) return false;
  return true;
}
