import assert from "node:assert/strict";
import fc from "fast-check";
import { freeOf, workersByAgent } from "../../runner/fleet/coordinator/roster.ts";
import type { Presence } from "../../runner/fleet/protocol/agent_message.ts";
import { VERSION } from "../../base/version.ts";
import { TargetError } from "../../base/errors.ts";
import { forAll } from "../for_all.ts";
import { thrown } from "../thrown.ts";

function agent(name: string, differing: Partial<Presence> = {}): Presence {
  return {
    name,
    version: VERSION,
    host: "h",
    cores: 2,
    openFiles: null,
    workers: 1,
    driver: "epoll",
    peakThroughput: null,
    allow: [],
    clock: { offsetMs: 0, uncertaintyMs: 0 },
    coordinator: null,
    since: 0,
    ...differing,
  };
}

const ANN = agent("ann");
const BOB = agent("bob");
const BUSY = agent("busy", { coordinator: "host-1" });
const OLD = agent("old", { version: "0.0.1" });

Deno.test("all means all agents that are free and of this version", () => {
  assert.deepEqual(freeOf([ANN, BUSY, OLD, BOB], "all"), [ANN, BOB]);
});

Deno.test("too few agents are refused, with what the others are at", () => {
  const error = thrown(TargetError, () => freeOf([ANN, BUSY, OLD], 2));
  assert.deepEqual(error.lines, [
    "Cannot load from 2 agents: 1 is free",
    "  agent busy is working for host-1",
    `  agent old has version 0.0.1, but this is version ${VERSION}`,
  ]);
});

Deno.test("without any agent the way to start one is told", () => {
  for (const wanted of ["all", 1] as const) {
    assert.throws(() => freeOf([], wanted), /none is free/);
    assert.throws(() => freeOf([], wanted), (error) => {
      assert.match((error as TargetError).lines.join("\n"), /plateau agent --redis URL/);
      return true;
    });
  }
});

Deno.test("a crew is as large as it may be, nobody brings more than it has, and shares are even", () => {
  const workers = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 12 });
  forAll([workers, fc.integer({ min: 1, max: 60 })], (brought, most) => {
    const own = workersByAgent(brought.map((count) => ({ workers: count })), most);
    const sum = own.reduce((whole, count) => whole + count, 0);
    assert.equal(sum, Math.min(most, brought.reduce((whole, count) => whole + count, 0)));
    own.forEach((count, at) => assert.ok(count <= brought[at]));
    // Nobody has two workers more than somebody who could have had another one.
    const least = Math.min(...own.filter((count, at) => count < brought[at]));
    own.forEach((count) => assert.ok(count <= least + 1));
  });
});
