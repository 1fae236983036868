/** Failed requests by their kind and by their exact reason. */
import { type ErrorKind, ERRORS } from "../result/outcome.ts";

/** How a request ended in an error. */
export interface Failure {
  readonly kind: ErrorKind;
  /** In words, for people. */
  readonly reason: string;
}

/** So that a server that breaks in ever new ways can't fill the memory. */
export const MAX_REASONS = 100;

export class Failures {
  /** In the order of ERRORS. */
  readonly errors = new Float64Array(ERRORS.length);
  readonly reasons = new Map<string, number>();

  add({ kind, reason }: Failure): void {
    this.errors[ERRORS.indexOf(kind)]++;
    const known = this.reasons.size < MAX_REASONS || this.reasons.has(reason)
      ? reason
      : "other reasons";
    this.reasons.set(known, (this.reasons.get(known) ?? 0) + 1);
  }
}
