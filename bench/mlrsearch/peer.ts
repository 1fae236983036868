/**
 * Runs MLRsearch (draft-ietf-bmwg-mlrsearch) from its authors' Python package, on trials that this process simulates.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { TargetError } from "../../base/errors.ts";

/** The terms of a search. Quotation marks enclose the names that the package uses. */
export interface MlrTerms {
  /** "Goal loss ratio": the share of requests that may be late, that is, take longer than the time limit. */
  readonly lossRatio: number;
  /** "Goal exceed ratio": the share of the duration sum in which trials may exceed the loss ratio. */
  readonly exceedRatio: number;
  /** "Goal width", relative to the upper bound. */
  readonly widthRatio: number;
  /** "Goal initial trial duration", in seconds. */
  readonly shortS: number;
  /** "Goal final trial duration", in seconds. */
  readonly longS: number;
  /** "Goal duration sum": the total duration of the trials that settle a bound, in seconds. */
  readonly sumS: number;
  /** "Min load", in requests per second. */
  readonly leastPerSec: number;
  /** "Max load", in requests per second. */
  readonly mostPerSec: number;
}

export interface MlrTrial {
  readonly seconds: number;
  readonly ratePerSec: number;
}

/** The counts of a trial. `late` requests took longer than the time limit; MLRsearch counts them as lost. */
export interface MlrCounts {
  readonly requests: number;
  readonly late: number;
}

const bound = z.number().nullable();
const said = z.union([
  z.strictObject({ seconds: z.number(), ratePerSec: z.number() }),
  z.strictObject({
    result: z.strictObject({
      low: bound.describe("Relevant lower bound, requests per second"),
      high: bound.describe("Relevant upper bound"),
    }),
  }),
]);

type MlrResult = Extract<z.output<typeof said>, { result: unknown }>["result"];

/** A Python process that runs any number of searches, one after the other. */
export class MlrSearch implements AsyncDisposable {
  readonly #python: ChildProcessByStdio<Writable, Readable, null>;
  readonly #lines: AsyncIterator<string>;
  readonly #ended: Promise<void>;

  constructor(python: string) {
    const script = fileURLToPath(new URL("search.py", import.meta.url));
    this.#python = spawn(python, [script], { stdio: ["pipe", "pipe", "inherit"] });
    this.#ended = new Promise((resolve) => this.#python.once("close", () => resolve()));
    this.#lines = createInterface({ input: this.#python.stdout })[Symbol.asyncIterator]();
  }

  async search(terms: MlrTerms, trial: (plan: MlrTrial) => MlrCounts): Promise<MlrResult> {
    this.#say(terms);
    for (;;) {
      const { value, done } = await this.#lines.next();
      if (done) throw new TargetError("Cannot measure: search.py ended within a search");
      const message = said.parse(JSON.parse(value));
      if ("result" in message) return message.result;
      this.#say(trial(message));
    }
  }

  #say(message: unknown): void {
    this.#python.stdin.write(`${JSON.stringify(message)}\n`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#python.stdin.end();
    await this.#ended;
  }
}
