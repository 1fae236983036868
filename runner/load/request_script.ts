/**
 * Single requests in the order in which they are asked: an endless round through a sequence that was
 * drawn before the load.
 */
import { AnswerCheck } from "./answer_check.ts";
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
}
