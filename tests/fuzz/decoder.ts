/** One decoder that is fuzzed: one file a member, one line in `registry.ts`. */
import type { Seeds } from "./mutate.ts";

export interface Decoder {
  readonly seeds: Seeds;
  /** Reads one input, as the program would. An ExpectedError is as right as a value; all else is a finding. */
  readonly decode: (input: string) => unknown;
}

/** Raised by a decoder whose value is wrong. */
export class Finding extends Error {}
