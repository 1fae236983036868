/** Parts of jobs, and whether an agent would take them. */
import assert from "node:assert/strict";
import type * as z from "zod";
import type { ScriptRequest } from "../../scenarios/request/script.ts";

/** With a message that tells why. */
export function refuses(shape: z.ZodType, part: unknown, why: RegExp): void {
  const { error } = shape.safeParse(JSON.parse(JSON.stringify(part)));
  assert.ok(error, `accepted ${JSON.stringify(part)}`);
  const messages = error.issues.map(({ message }) => message).join("; ");
  assert.match(messages, why, JSON.stringify(part));
}

export const STEP: ScriptRequest = {
  kind: "request",
  step: 0,
  wire: { method: "GET", path: "/", headers: {}, body: null },
  expect: {},
  captures: [],
  follow: null,
};

/** A script of one step. */
export function asking(step: unknown): unknown {
  return { kind: "requests", stepNames: [], requests: [step], sequence: [0] };
}

/** A script of one request, which differs from a plain one by `wire`. */
export function sending(wire: object): unknown {
  return asking({ ...STEP, wire: { ...STEP.wire, ...wire } });
}
