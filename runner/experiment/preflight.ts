/**
 * Who proves that a target answers right: the process that is measured, before its load, or one apart,
 * once for each cell, so that the measured ones begin with caches and rate limits untouched.
 */
import { TargetError } from "../../base/errors.ts";
import type { Cell } from "../../scenarios/plan/plan.ts";
import type { Script } from "../../scenarios/request/script.ts";
import type { RunningTarget } from "../../targets/launch/launcher.ts";
import { settlesWithin } from "../../targets/launch/settles.ts";
import { describeExit } from "../../targets/launch/start_up.ts";
import { prove } from "./preflight_check.ts";

/** The end of a process is known within this after its connections have closed. */
const END_KNOWN_MS = 500;

interface Subject {
  readonly cell: Cell;
  readonly target: RunningTarget;
  readonly script: Script;
}

/** Throws as `prove` does; of a target that has ended meanwhile also how, and its last lines. */
export async function proveAnswers(
  { cell, target, script }: Subject,
  signal: AbortSignal,
): Promise<void> {
  const { origin, access, pid, exited } = target;
  const { timeoutMs } = cell.load;
  try {
    await prove({ target: cell.target, origin, ...access, script, timeoutMs, signal });
  } catch (error) {
    if (!(error instanceof TargetError) || pid === null || signal.aborted) throw error;
    if (!await settlesWithin(exited, END_KNOWN_MS)) throw error;
    const why = `${error.message}; ${describeExit(await exited)}`;
    throw new TargetError(why, target.lastLines());
  }
}

export class ProofsApart {
  readonly #proofs = new Map<Cell, Promise<void>>();

  /** @param start Starts a process of the cell's target, for its proof alone. */
  constructor(
    private readonly start: (cell: Cell) => Promise<RunningTarget>,
    private readonly signal: AbortSignal,
  ) {}

  /** Throws as the start of a target and `prove` do: what was wrong once is so at every repetition. */
  prove(cell: Cell, script: Script): Promise<void> {
    const proof = this.#proofs.get(cell) ?? this.#proveOnce(cell, script);
    this.#proofs.set(cell, proof);
    return proof;
  }

  async #proveOnce(cell: Cell, script: Script): Promise<void> {
    const target = await this.start(cell);
    try {
      await proveAnswers({ cell, target, script }, this.signal);
    } finally {
      await target.stop();
    }
  }
}
