/** A closed loop in stages, as a server sees it: over each driver, with the level split over two workers. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { LocalLoader } from "../../runner/measure/local_loader.ts";
import type { LoaderHooks, LoadRequest } from "../../runner/measure/loader.ts";
import { NO_FILES } from "../../base/files.ts";
import { scenarioSpecWith } from "../../scenarios/request/scenario.ts";
import { type Script, scriptOf } from "../../scenarios/request/script.ts";
import { UserLevels } from "../../scenarios/pace/levels.ts";
import { DRIVER_NAMES } from "./ways.ts";

const SECOND = 1_000_000;
const [MOST, LAST] = [9, 2];
const STAGES = [
  { durationUs: SECOND, from: 1, to: MOST },
  { durationUs: SECOND, from: MOST, to: MOST },
  { durationUs: SECOND, from: LAST, to: LAST },
];
const RISING_MS = 2_000;
/** The clocks of a worker and of this thread are that near; a level lasts for longer. */
const CLOCKS_MS = 20;

interface Seen {
  readonly ms: number;
  /** Requests under way, with this one. */
  readonly underWay: number;
}

interface Witness extends AsyncDisposable {
  readonly port: number;
  readonly seen: readonly Seen[];
}

/** Each response takes a while, in which others can be under way. */
function startWitness(): Witness {
  const seen: Seen[] = [];
  let underWay = 0;
  const quiet = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const server = Deno.serve(quiet, async () => {
    seen.push({ ms: performance.timeOrigin + performance.now(), underWay: ++underWay });
    await sleep(5);
    underWay--;
    return new Response("ok");
  });
  const [{ port }] = [server.addr];
  return { port, seen, [Symbol.asyncDispose]: () => server.shutdown() };
}

function levelAt(ms: number): number {
  return new UserLevels({ stages: STAGES, worker: 0, workers: 1 }).at(Math.max(0, ms * 1_000));
}

const spec = scenarioSpecWith(NO_FILES);
const SCRIPTS: readonly (readonly [name: string, script: Script, requests: number])[] = [
  ["single requests", scriptOf(spec.parse({ get: "/" }), 0), 1],
  ["a flow", scriptOf(spec.parse({ flow: [{ get: "/" }, { get: "/next" }] }), 0), 2],
];

for (const driver of DRIVER_NAMES) {
  for (const [name, script, requests] of SCRIPTS) {
    Deno.test({
      name: `${driver}: a server sees no more of ${name} at once than the stages say, and so many`,
      sanitizeResources: false, // libc stays open
      fn: async () => {
        await using witness = startWitness();
        const loader = new LocalLoader();
        let startMs = 0;
        const hooks: LoaderHooks = {
          onNote: () => {},
          onReady: () => {},
          onStart: (atMs) => startMs = atMs,
          onInterval: () => {},
          onReportingWorkers: () => {},
          signal: new AbortController().signal,
        };
        const request: LoadRequest = {
          origin: `http://127.0.0.1:${witness.port}`,
          script,
          load: {
            kind: "closed",
            connections: MOST,
            keepAlive: true,
            timeout: 10_000,
            workers: 2,
            pipeline: 1,
            durationMs: 3_000,
            requests: null,
            stages: STAGES,
          },
          seed: 1,
          driver,
          intervalMs: 250,
          logPath: null,
          implicitCheck: false,
        };
        const { reports } = await loader.load(request, hooks);
        await loader.close();
        const { seen } = witness;
        // Whatever comes late meets a higher level, as long as that rises.
        for (const { ms, underWay } of seen.filter(({ ms }) => ms < startMs + RISING_MS)) {
          const level = levelAt(Math.min(ms - startMs + CLOCKS_MS, RISING_MS - 1));
          assert.ok(underWay <= level, `${underWay} of ${level} after ${ms - startMs} ms`);
        }
        assert.equal(Math.max(...seen.map(({ underWay }) => underWay)), MOST);
        const last = seen.slice(-10).map(({ underWay }) => underWay);
        assert.ok(last.every((underWay) => underWay <= LAST), last.join());
        const sum = (of: (report: typeof reports[number]) => number): number =>
          reports.reduce((all, report) => all + of(report), 0);
        assert.equal(sum(({ totals }) => totals.due), seen.length);
        assert.equal(sum(({ totals }) => totals.completed), seen.length);
        const [created, completed] = [
          sum(({ sessions }) => sessions.created),
          sum(({ sessions }) => sessions.completed),
        ];
        assert.ok(created >= completed && created - completed <= LAST);
        assert.ok(seen.length >= requests * completed && seen.length <= requests * created);
      },
    });
  }
}
