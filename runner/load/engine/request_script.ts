/**
 * Single requests in the order in which they are asked: an endless round through a sequence that was
 * drawn before the load.
 */
import { AnswerCheck } from "./response_check.ts";
import type { ScriptSpec } from "./job.ts";

/** A request with what makes its answer right. */
interface ScriptedRequest {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly head: boolean;
  readonly check: AnswerCheck | null;
}

export class RequestScript {
  readonly requests: readonly ScriptedRequest[];
  /** Whether answers must be kept to be checked. */
  readonly readsBodies: boolean;
  readonly #sequence: Uint32Array;
  readonly #labels: string[] = [];
  #next = 0;

  constructor({ requests, sequence }: ScriptSpec & { kind: "requests" }) {
    this.requests = requests.map(({ bytes, head, check }) => ({
      bytes,
      head,
      check: check && new AnswerCheck(check),
    }));
    this.readsBodies = this.requests.some(({ check }) => check?.readsBody ?? false);
    this.#sequence = sequence;
  }

  // hot: index of the next request.
  next(): number {
    const request = this.#sequence[this.#next++];
    if (this.#next === this.#sequence.length) this.#next = 0;
    return request;
  }

  /** Method and path of a request, as sent; null for none, −1. */
  label(request: number): string | null {
    if (request < 0) return null;
    return this.#labels[request] ??= labelOf(this.requests[request].bytes);
  }
}

const SPACE = 32;

/** The request line without its version (RFC 9112 §3). */
function labelOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(SPACE, bytes.indexOf(SPACE) + 1);
  return new TextDecoder().decode(bytes.subarray(0, end));
}
