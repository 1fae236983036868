/** Checks a response to a gRPC call for a preflight. */
import { type KeptResponse, KeptRoom } from "../../base/http/kept.ts";
import { CallPlan, CallReader, type CallTaker } from "../load/engine/streams/call_reader.ts";
import type { CallSpec } from "../load/engine/streams/stream_spec.ts";

/** Ignores messages, because the reader itself keeps them. */
const UNHEARD: CallTaker = { onMessage: () => {} };

/** Why the response is wrong; null if it is right. Replaces the response's body with its message as JSON. */
export function wholeResponseProblem(spec: CallSpec, kept: KeptResponse): string | null {
  const reader = new CallReader(new CallPlan({ ...spec, keeps: true }), new KeptRoom(), UNHEARD);
  const wrong = reader.headProblem(kept);
  if (wrong !== null) return wrong;
  const body = kept.body();
  reader.read(body, 0, body.length);
  reader.end();
  const problem = reader.verdict(kept);
  kept.keepInstead(reader.json);
  return problem;
}

/** Why a response is wrong, judged by its head alone; null if nothing is wrong so far. */
export function headProblem(spec: CallSpec, kept: KeptResponse): string | null {
  const reader = new CallReader(new CallPlan(spec), new KeptRoom(), UNHEARD);
  const wrong = reader.headProblem(kept);
  return wrong ?? (kept.field("grpc-status") === null ? null : reader.verdict(kept));
}
