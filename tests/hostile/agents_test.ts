/** A coordinator that loads with a hostile agent, or somebody in its name, and an honest one. */
import assert from "node:assert/strict";
import { FleetRun, type Length } from "../../runner/fleet/coordinator/fleet_run.ts";
import { membersOf } from "../../runner/fleet/coordinator/roster.ts";
import { agentMessage, messageSender } from "../../runner/fleet/protocol/agent_message.ts";
import { FIRST, LIES, SILENT } from "./lies.ts";
import {
  bundle,
  DURATION_MS,
  HONEST,
  INTERVAL_MS,
  LIAR,
  presenceOf,
  ready,
  REQUEST,
  RUN,
  START_AT_MS,
  wordsOf,
} from "./reported.ts";

/** Everybody has spoken by then, and nobody is waited for any more. */
const HEARD_MS = 200;
const MUCH_LATER_MS = 200_000;

/** A run of both agents by a clock that the test sets. */
function startRun(
  length: Length = { durationMs: DURATION_MS, isFixed: true },
  signal = new AbortController().signal,
): {
  run: FleetRun;
  clock: { ms: number };
  hear: (message: unknown) => void;
} {
  const clock = { ms: 0 };
  const members = membersOf(REQUEST, [presenceOf(HONEST), presenceOf(LIAR)]);
  const hooks = {
    ...{ onNote: () => {}, onReady: () => {}, onStart: () => {}, onInterval: () => {} },
    ...{ onReportingWorkers: () => {}, signal },
  };
  const run = new FleetRun(RUN, members, {
    ...{ intervalMs: INTERVAL_MS, reportEveryMs: INTERVAL_MS, hooks, now: () => clock.ms },
    ...{ touch: { inTouchSinceMs: 0, silentMs: 0 }, unread: () => Promise.resolve(0) },
  });
  run.begin(START_AT_MS, 0, length);
  const hear = (message: unknown): void => {
    const read = agentMessage.safeParse(JSON.parse(JSON.stringify(message)));
    if (read.success) return read.data.run === RUN ? run.receive(read.data) : undefined;
    const from = messageSender.safeParse(message).data;
    if (from?.run === RUN) run.doubt(from.agent);
  };
  return { run, clock, hear };
}

Deno.test("a coordinator hears out hostile agents", async (test) => {
  for (const [what, said, lost] of LIES) {
    await test.step(`${what}: ${lost === null ? "believed" : "lost"}`, async () => {
      const { run, clock, hear } = startRun();
      const over = run.over();
      clock.ms = HEARD_MS;
      for (const message of [...wordsOf(HONEST), ...said()]) hear(message);
      clock.ms = MUCH_LATER_MS;
      await over;
      const { agents, reports } = run.reports();
      assert.deepEqual(agents.map(({ name }) => name), [HONEST, LIAR]);
      assert.equal(agents[0].lost, null);
      if (lost === null) assert.equal(agents[1].lost, null);
      else assert.match(agents[1].lost?.reason ?? "believed", lost);
      const due = reports.map(({ totals }) => totals.due);
      assert.deepEqual(due, [20, 20], "each has its share, or dropped it");
      for (const message of wordsOf(LIAR)) hear(message); // too late
      assert.equal(Reflect.get({}, "polluted"), undefined);
    });
  }
  await test.step("39 agents were heard", () => assert.equal(LIES.length, 39));
});

Deno.test("nothing that an agent says before the start counts, and then it may say it again", async () => {
  const { run, clock, hear } = startRun();
  run.begin(START_AT_MS, 1e9, { durationMs: DURATION_MS, isFixed: true });
  for (const message of [...wordsOf(HONEST), ...wordsOf(LIAR)]) hear(message);
  run.begin(START_AT_MS, 0, { durationMs: DURATION_MS, isFixed: true });
  clock.ms = HEARD_MS;
  for (const message of [...wordsOf(HONEST), ...wordsOf(LIAR)]) hear(message);
  await run.over();
  assert.deepEqual(run.reports().agents.map(({ lost }) => lost), [null, null]);
});

Deno.test("who says the same 100,000 times a second is as silent as who says nothing", async () => {
  const { run, clock, hear } = startRun({ durationMs: null, isFixed: true }); // nobody knows when it ends
  const over = run.over();
  const again = agentMessage.parse(JSON.parse(JSON.stringify(FIRST)));
  for (const message of [...wordsOf(HONEST), FIRST]) hear(message);
  clock.ms = HEARD_MS;
  for (let i = 0; i < 100_000; i++) run.receive(again);
  clock.ms = MUCH_LATER_MS;
  for (let i = 0; i < 100_000; i++) run.receive(again);
  await over;
  assert.match(run.reports().agents[1].lost?.reason ?? "", SILENT);
});

Deno.test("who goes on talking when visitors of phases may go on is given up a while after Ctrl-C", async () => {
  const ended = new AbortController();
  const { run, clock, hear } = startRun({ durationMs: DURATION_MS, isFixed: false }, ended.signal);
  const over = run.over();
  clock.ms = HEARD_MS;
  for (const message of [...wordsOf(HONEST), ready(LIAR)]) hear(message);
  ended.abort();
  const more = setInterval(() => {
    clock.ms += 20_000;
    hear(bundle(LIAR, clock.ms / 20_000 | 0));
  }, 10);
  await over;
  clearInterval(more);
  assert.notEqual(run.reports().agents[1].lost, null);
});

Deno.test("an agent cannot have a load wait for years before it starts", () => {
  const isRead = (differing: object): boolean =>
    agentMessage.safeParse(ready(LIAR, differing)).success;
  assert.ok(isRead({}));
  assert.ok(!isRead({ delayMs: 3e13 }));
  assert.ok(!isRead({ clock: { offsetMs: 0, uncertaintyMs: 3e13 } }));
  assert.ok(!isRead({ notes: Array(101).fill("") }));
  assert.ok(!isRead({ agent: "\x1b[31mliar" }));
  assert.ok(!isRead({ agent: "l".repeat(1e6) }));
});
