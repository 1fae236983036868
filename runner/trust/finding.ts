/** What is judged, and what is found: shared by the checks of the generator and of the machine. */
import type { Cause, Trust, WorkerUse } from "../result/generator.ts";
import type { Measurement } from "../result/result.ts";
import type { Evidence } from "./evidence.ts";

/** One run, before it is judged. */
export interface Case {
  readonly evidence: Evidence;
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

export interface Finding {
  readonly level: Exclude<Trust, "valid">;
  readonly cause: Cause;
  /** A whole sentence, with what to do. */
  readonly reason: string;
}

/** From `suspect` and from `invalid` on, by one figure. */
export interface Limits {
  readonly suspect: number;
  readonly invalid: number;
}

/** The level of a figure; null below both limits. */
export function levelOf(figure: number, { suspect, invalid }: Limits): Finding["level"] | null {
  if (figure >= invalid) return "invalid";
  return figure >= suspect ? "suspect" : null;
}

/** Share of the run in which a worker had something to do, whether or not it had a core to do it on. */
export function occupiedShare({ cpu, spinning, waiting }: WorkerUse): number {
  return Math.max(0, cpu - spinning) + (waiting ?? 0);
}

/** The worker that had the most to do. */
export function busiestOf({ each }: Evidence): WorkerUse {
  return each.reduce((busiest, use) => occupiedShare(use) > occupiedShare(busiest) ? use : busiest);
}

/** Nobody minds a request that comes a millisecond late; slow answers forgive more. */
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

/** `97 %` */
export function percent(share: number): string {
  return `${share < 0.1 ? Math.round(share * 1_000) / 10 : Math.round(share * 100)} %`;
}

/** `1.5 ms` */
export function millis(ms: number): string {
  return `${Number(ms.toPrecision(2))} ms`;
}

/** `1 worker`, `12,345 requests` */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}
