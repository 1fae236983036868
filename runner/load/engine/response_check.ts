/**
 * Checks completed responses, on bytes: no text is made for a response unless it is expected to be JSON or to match a
 * pattern.
 */
import type { ReceivedResponse } from "../../../base/http/received.ts";
import { matchFor } from "../../../base/pattern.ts";
import type { Json } from "../../../base/yaml/json_text.ts";
import { isExpectedJson, jsonIn } from "../../../scenarios/request/expected_json.ts";

/** The conditions for a correct response. */
export interface ResponseExpectation {
  /** Accepted statuses. */
  readonly statuses: readonly number[];
  /** The exact body. */
  readonly body: Uint8Array<ArrayBuffer> | null;
  /** Bytes that the body must contain. */
  readonly contains: Uint8Array<ArrayBuffer> | null;
  /** JSON that the body must equal by value. */
  readonly json?: Json;
  /** Pattern that must match somewhere in the body. */
  readonly matches?: string;
  /** The body is a stream of messages, which were checked as they arrived. */
  readonly isStream?: true;
}

type BodyRule = (body: Uint8Array<ArrayBuffer>) => boolean;

const STATUS_CODES = 1_000;
const NOTHING = { bytes: new Uint8Array(0), problem: null };

export class ResponseCheck {
  readonly #right = new Uint8Array(STATUS_CODES);

  readonly #contains: ByteSearch | null;
  readonly #rules: readonly BodyRule[];

  /** Must be called within `withEngine`, because patterns need the regular-expression engine. */
  constructor(private readonly check: ResponseExpectation) {
    this.#contains = check.contains && new ByteSearch(check.contains);
    this.#rules = textRules(check);
    for (const status of check.statuses) this.#right[status] = 1;
  }

  /** Whether response bodies must be kept to be checked. */
  get readsBody(): boolean {
    const { body, contains, isStream = false } = this.check;
    return isStream || body !== null || contains !== null || this.#rules.length > 0;
  }

  // hot: if only the status is checked, this is one look-up.
  passes(response: ReceivedResponse): boolean {
    if (this.#right[response.status] === 0) return false;
    if (!this.readsBody) return true;
    if (this.check.isStream) return response.kept?.streamProblem === null;
    const { bytes: body, problem } = response.kept?.content() ?? NOTHING;
    return problem === null && this.holdsIn(body);
  }

  /** Whether a body, or a message of a stream, meets the expectation. */
  holdsIn(body: Uint8Array<ArrayBuffer>): boolean {
    const { body: whole } = this.check;
    return (whole === null || (body.length === whole.length && isSame(body, whole))) &&
      (this.#contains?.isIn(body) ?? true) && this.#rules.every((holds) => holds(body));
  }
}

/**
 * Returns a function that makes one check for each expectation, and returns the same check when it is given the
 * expectation again, because a check takes more than 1 kB.
 */
export function sharedChecks(): (check: ResponseExpectation | null) => ResponseCheck | null {
  const known = new Map<ResponseExpectation, ResponseCheck>();
  return (check) => {
    if (check === null) return null;
    const made = known.get(check) ?? new ResponseCheck(check);
    known.set(check, made);
    return made;
  };
}

/** The checks that need the body as text or JSON. */
function textRules({ json, matches }: ResponseExpectation): BodyRule[] {
  const rules: BodyRule[] = [];
  if (json !== undefined) {
    rules.push((body) => isExpectedJson(jsonIn(body), json));
  }
  if (matches !== undefined) rules.push(matchFor(matches));
  return rules;
}

function isSame(bytes: Uint8Array, others: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== others[i]) return false;
  return true;
}

/**
 * Searches bytes for other bytes in linear time (Knuth, Morris & Pratt 1977). A naive search would take time
 * proportional to the product of both lengths if the body nearly contains the sought bytes everywhere.
 */
export class ByteSearch {
  /** For each prefix of the sought bytes: the length of its longest proper suffix that is also a prefix. */
  readonly #again: Uint32Array<ArrayBuffer>;

  constructor(private readonly sought: Uint8Array<ArrayBuffer>) {
    this.#again = new Uint32Array(sought.length + 1);
    for (let length = 1, same = 0; length < sought.length; length++) {
      while (same > 0 && sought[length] !== sought[same]) same = this.#again[same];
      if (sought[length] === sought[same]) same++;
      this.#again[length + 1] = same;
    }
  }

  // hot: loops over every byte of a searched body.
  isIn(bytes: Uint8Array): boolean {
    const { sought } = this;
    let found = 0;
    for (let at = 0; at < bytes.length && found < sought.length; at++) {
      while (found > 0 && bytes[at] !== sought[found]) found = this.#again[found];
      if (bytes[at] === sought[found]) found++;
    }
    return found === sought.length;
  }
}
