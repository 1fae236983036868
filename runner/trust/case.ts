/** One run with its evidence, and the limits that its checks share. */
import type { Severity } from "../result/findings.ts";
import type { WorkerUse } from "../result/generator.ts";
import type { Measurement } from "../result/result.ts";
import type { GeneratorEvidence } from "./evidence.ts";

/** One run, before it is judged. */
export interface Case {
  readonly evidence: GeneratorEvidence;
  readonly run: Pick<
    Measurement,
    | "driver"
    | "load"
    | "elapsedS"
    | "requests"
    | "reasons"
    | "rate"
    | "service"
    | "connect"
    | "warmup"
  >;
  /** Whether the target runs on the same machine. */
  readonly sharesMachine: boolean;
}

/** From `suspect` and from `invalid` on, by one figure. */
export interface Limits {
  readonly suspect: number;
  readonly invalid: number;
}

/** Null below both limits. */
export function severityOf(figure: number, { suspect, invalid }: Limits): Severity | null {
  if (figure >= invalid) return "invalid";
  return figure >= suspect ? "suspect" : null;
}

/** Share of the run in which a worker had something to do, with or without a core for it. */
export function occupiedShare({ cpu, spinning, waiting }: WorkerUse): number {
  return Math.max(0, cpu - spinning) + (waiting ?? 0);
}

/** The worker that had the most to do. */
export function busiestOf({ each }: GeneratorEvidence): WorkerUse {
  return each.reduce((busiest, use) => occupiedShare(use) > occupiedShare(busiest) ? use : busiest);
}

/** Nobody minds a request that comes a millisecond late; slow responses forgive more. */
const HARMLESS_DELAY_MS: Limits = { suspect: 1, invalid: 10 };
/** Of the median service time. */
const HARMLESS_DELAY_SHARE: Limits = { suspect: 0.1, invalid: 1 };
/**
 * A short run's p99 is made by a single hiccup: 20 ms, once, are 10 ms in a run of a second, and nothing
 * in one of ten. So short runs are forgiven more: this many ms, divided by the seconds of the run.
 */
const HARMLESS_HICCUP: Limits = { suspect: 10, invalid: 30 };

/** How late a worker of an open loop may come, p99, ms. */
export function harmlessDelay({ service, elapsedS }: Case["run"]): Limits {
  const limit = (level: keyof Limits): number =>
    Math.max(
      HARMLESS_DELAY_MS[level],
      HARMLESS_DELAY_SHARE[level] * service.percentiles["50"],
      HARMLESS_HICCUP[level] / elapsedS,
    );
  return { suspect: limit("suspect"), invalid: limit("invalid") };
}
