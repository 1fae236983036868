/** How often rows of tables are sent: as each worker takes its turns, and what that comes to. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Load } from "../../scenarios/load/load.ts";
import type { Script } from "../../scenarios/request/script.ts";
import { rowUseOf } from "../../runner/measure/row_use.ts";
import { shareOut } from "../../runner/measure/share.ts";
import { SessionRecorder } from "../../runner/load/recording/totals.ts";
import { forAll } from "../for_all.ts";
import { flowOf, requestsOf } from "../scenarios/made_script.ts";

type Reports = Parameters<typeof rowUseOf>[1];

/** Workers that have begun so many requests, or sessions at the places that are named. */
function reportsOf(begun: readonly number[], sessions: readonly number[][] = []): Reports {
  return begun.map((completed, worker) => {
    const recorder = new SessionRecorder();
    for (const place of sessions[worker] ?? []) recorder.begin(place);
    const totals = { completed, failed: 0, unfinished: 0 };
    return { sessions: recorder.totals(), totals } as Reports[number];
  });
}

const ROWS = { user: { csv: "people.csv" } };

/** What workers send who follow their shares, turn by turn. */
function sent(script: Script & { kind: "requests" }, begun: readonly number[]): string[] {
  const load: Load = {
    ...{ kind: "closed", connections: 8, keepAlive: true, timeout: 1_000, pipeline: 1 },
    ...{ workers: begun.length, durationMs: 1_000, requests: null },
  };
  const request = { script, load, origin: "http://127.0.0.1:1", seed: 1, driver: "tcp" as const };
  const shares = shareOut(
    { ...request, intervalMs: 250, logPath: null, implicitCheck: false },
    "tcp",
  );
  return shares.flatMap(({ script: spec }, worker) => {
    assert.ok(spec.kind === "requests");
    return Array.from(
      { length: begun[worker] },
      (_, turn) => script.requests[spec.sequence[turn % spec.sequence.length]].wire.path,
    );
  });
}

Deno.test("the use of rows is what workers send who take turns", () => {
  const script = requestsOf({
    mix: [{ get: "/{{ user.name }}", weight: 2 }, { get: "/none" }, { get: "/b/{{ user.name }}" }],
    values: ROWS,
  });
  forAll([fc.array(fc.nat({ max: 5_000 }), { minLength: 1, maxLength: 4 })], (begun) => {
    const names = sent(script, begun).map((path) => path.replace("/b/", "/"))
      .filter((path) => path !== "/none");
    const counts = [...Map.groupBy(names, (path) => path).values()].map(({ length }) => length);
    const { rows } = rowUseOf(script, reportsOf(begun));
    assert.deepEqual(rows, [{
      ...{ values: ["user"], file: "people.csv", rows: 3 },
      ...{ used: counts.length, mostUsed: Math.max(0, ...counts) },
    }]);
  });
});

Deno.test("each session of a flow sends the next row, and rows begin again", () => {
  const script = flowOf({ flow: [{ get: "/{{ user.name }}" }], values: ROWS });
  const usedBy = (...sessions: number[]) => {
    const [use] =
      rowUseOf(script, reportsOf(sessions, sessions.map((length) => Array(length).fill(0)))).rows ??
        [];
    return [use.used, use.mostUsed];
  };
  assert.deepEqual(usedBy(1, 1), [2, 1]);
  assert.deepEqual(usedBy(4, 3), [3, 3]);
});

Deno.test("of rows that are unique each place that had a session has used one, whether or not it sent it", () => {
  const script = flowOf({
    flow: [{ get: "/{{ user.name }}" }],
    values: { user: { csv: "people.csv", order: "unique" } },
  });
  const { rows: [use] = [] } = rowUseOf(script, reportsOf([0, 0], [[0, 0, 2], [1]]));
  assert.deepEqual([use.used, use.mostUsed], [3, 2]);
});
