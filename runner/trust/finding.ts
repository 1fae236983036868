/** What is judged, and what is found: shared by the checks of the generator and of the machine. */
import type { Trust, WorkerUse } from "../generator.ts";
import type { Measurement } from "../result.ts";
import type { Evidence } from "./evidence.ts";

/** One run, before it is judged. */
export interface Case {
  readonly evidence: Evidence;
  readonly run: Pick<
    Measurement,
    | "driver"
    | "load"
    | "elapsed"
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
