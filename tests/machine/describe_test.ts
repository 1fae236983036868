import assert from "node:assert/strict";
import { describeMachine } from "../../base/system/describe.ts";
import { machine } from "../../base/system/facts.ts";
import { testWith } from "../needs.ts";

Deno.test("this machine's facts have the shape of the result file", () => {
  const facts = machine.parse(describeMachine());
  assert.ok(facts.allowedCores <= facts.cores);
  assert.equal(facts.deno, Deno.version.deno);
});

testWith(["linux"], "Linux tells the limits of this process", () => {
  const { openFiles, ports } = describeMachine();
  assert.ok(openFiles === null || openFiles > 0);
  assert.ok(ports !== null && ports[0] < ports[1]);
});
