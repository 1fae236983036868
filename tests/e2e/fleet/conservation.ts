/** What must add up in every measurement of a fleet, whatever happened to its agents. */
import assert from "node:assert/strict";
import type { AgentPart, Measurement } from "../../../runner/result/result.ts";

const COUNTS = ["due", "completed", "failed", "unfinished", "dropped"] as const;

/** Parts make the whole: over fates, agents and intervals. Gives the agents. */
export function assertConserved(measured: Measurement): readonly AgentPart[] {
  const { agents = [], requests, status, load, timeline } = measured;
  assert.notEqual(agents.length, 0);
  for (const part of [measured, ...agents].map((one) => one.requests)) {
    const { due, completed, failed, unfinished, dropped } = part;
    assert.equal(due, completed + failed + unfinished + dropped, JSON.stringify(part));
  }
  const inAll = COUNTS.map((name) => [name, sum(agents.map((agent) => agent.requests[name]))]);
  assert.deepEqual(Object.fromEntries(inAll), requests);
  assert.equal(sum(Object.values(status)), requests.completed);
  assert.equal(sum(agents.map(({ connections }) => connections)), load.connections);
  assert.equal(sum(agents.map(({ latency }) => latency.count)), measured.latency.count);
  const pointwise = timeline.points.map((_, at) =>
    sum(agents.map(({ completed }) => completed[at] ?? 0))
  );
  assert.deepEqual(pointwise, timeline.points.map(({ completed }) => completed));
  assert.equal(sum(pointwise), requests.completed - (measured.drain?.completed ?? 0));
  return agents;
}

/** A machine that stands still may leave what was due in the last moments of a rate unsent, for so long. */
export const LATE_SECONDS = 0.75;

/**
 * Everything that was due at a rate was asked, and nobody was lost. Gives how many were asked.
 * @param seconds How long the load took.
 */
export function assertAsked(measured: Measurement, ratePerSec: number, seconds: number): number {
  const dropped = assertNobodyLost(measured, ratePerSec, seconds);
  const late = measured.agents?.map(({ name, late }) => `${name} ${late} ms`);
  assert.ok(isLittle(dropped, ratePerSec), `${dropped} were dropped; starts late by ${late}`);
  return measured.requests.due - dropped;
}

/** The same, however many of them the machine kept from being sent. Gives how many those are. */
export function assertNobodyLost(
  measured: Measurement,
  ratePerSec: number,
  seconds: number,
): number {
  const agents = assertConserved(measured);
  const { due, dropped, failed } = measured.requests;
  const said = JSON.stringify(agents.map(({ name, requests, lost }) => ({ name, requests, lost })));
  assert.ok(agents.every(({ lost }) => lost === null), said);
  assert.deepEqual([due, failed], [ratePerSec * seconds, 0], said);
  return dropped;
}

/** Whether so many are what a busy machine makes of a rate. */
export function isLittle(requests: number, ratePerSec: number): boolean {
  return Math.abs(requests) <= LATE_SECONDS * ratePerSec;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

export function partOf(agents: readonly AgentPart[], name: string): AgentPart {
  const part = agents.find((agent) => agent.name === name);
  assert.ok(part, `${name} is none of ${agents.map((agent) => agent.name)}`);
  return part;
}
