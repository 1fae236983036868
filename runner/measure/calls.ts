/** How gRPC calls ended, over all workers. */
import { GRPC_STATUSES } from "../../scenarios/request/request.ts";
import type { WorkerTotals } from "../load/recording/totals.ts";
import type { Measurement } from "../result/result.ts";

/** The figures of gRPC calls; empty if no request is one. */
export function callFigures(totals: readonly WorkerTotals[]): Pick<Measurement, "grpc"> {
  const parts = totals.flatMap(({ calls }) => calls ?? []);
  if (parts.length === 0) return {};
  const sum = (at: number): number => parts.reduce((total, counts) => total + counts[at], 0);
  const status = GRPC_STATUSES.map((name, at) => [name, sum(at)] as const)
    .filter(([, count]) => count > 0);
  return { grpc: { status: Object.fromEntries(status), noStatus: sum(GRPC_STATUSES.length) } };
}
