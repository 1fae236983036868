/** Searches that can not end with a capacity, on loads that are made up: a generator that is the limit, a target that never recovers. */
import assert from "node:assert/strict";
import { TargetError, UntrustedError } from "../../base/errors.ts";
import { verifyCapacities } from "../../cli/output/verify_capacity.ts";
import { capacitySentence } from "../../report/subjects/capacity.ts";
import { searchCapacity } from "../../runner/capacity/capacity.ts";
import type { SearchTerms } from "../../runner/capacity/search_terms.ts";
import type { TrialRequest } from "../../runner/capacity/trial.ts";
import { UNKNOWN_ACTIVITY } from "../../runner/host/host_activity.ts";
import { Recorder } from "../../runner/load/recording/recorder.ts";
import { reportOfSilent } from "../../runner/load/worker/silent_worker.ts";
import type { Loaded, Loader, LoaderHooks, LoadRequest } from "../../runner/measure/loader.ts";
import type { RunCapacity } from "../../runner/result/capacity.ts";
import { objective } from "../../scenarios/claims/objective.ts";
import { durationMsOf } from "../../scenarios/load/load.ts";
import { requestScenarioSpec } from "../../scenarios/request/request_scenario.ts";
import { scriptOf } from "../../scenarios/request/script.ts";

const REQUEST: TrialRequest = {
  origin: "http://127.0.0.1:1",
  script: scriptOf(requestScenarioSpec.parse({ get: "/" }), 0),
  load: {
    ...{ kind: "rate", ratePerSec: 1, arrivals: "uniform", durationMs: 1_000 },
    ...{ connections: 2, keepAlive: true, timeout: 1_000, workers: 1 },
  },
  ...{ seed: 1, driver: "auto", intervalMs: 250, logPath: null, implicitCheck: false },
};
const TERMS: SearchTerms = {
  objectives: [objective.parse("p99 < 20ms"), objective.parse("success >= 99%")],
  ...{ widthRatio: 0.1, trialS: [1, 2], budgetS: 100, recoverS: 1 },
};
const PEAK_PER_SEC = 1_000;
const DRAINED = 10;

interface Case {
  /** What the generator sends at most; it drops the others. */
  readonly mostPerSec: number;
  /** From the first load beyond this on, every response takes 50 ms instead of 0.1 ms. */
  readonly breaksAtPerSec: number;
  /** Beyond these it refuses, at once. */
  readonly servesPerSec?: number;
  /** From that load on it gives no response at all. */
  readonly hangs?: boolean;
}

function loaderOf(given: Case): Loader {
  const { mostPerSec, breaksAtPerSec, servesPerSec = Infinity, hangs = false } = given;
  let isSlow = false;
  return {
    load: (request, hooks) => {
      const { load } = request;
      if (load.kind === "rate" && load.ratePerSec > breaksAtPerSec) isSlow = true;
      if (isSlow && hangs) return Promise.resolve(unheard(request, hooks));
      const serviceUs = isSlow ? 50_000 : 100;
      return Promise.resolve(loaded(request, hooks, { mostPerSec, serviceUs, servesPerSec }));
    },
    close: () => Promise.resolve(),
  };
}

interface Served extends Required<Omit<Case, "breaksAtPerSec" | "hangs">> {
  readonly serviceUs: number;
}

function loaded(
  { load }: LoadRequest,
  hooks: LoaderHooks,
  { mostPerSec, serviceUs, servesPerSec }: Served,
): Loaded {
  const durationUs = (durationMsOf(load) ?? 0) * 1_000;
  const duePerSec = load.kind === "rate" ? load.ratePerSec : PEAK_PER_SEC;
  const [due, sent] = [duePerSec, Math.min(duePerSec, mostPerSec)]
    .map((perSec) => Math.round(perSec * durationUs / 1e6));
  const isBusy = sent < due;
  const health = { cpuRatio: isBusy ? 1 : 0.5, lateUs: 0 };
  const recorder = new Recorder(250_000, (part) => hooks.onInterval(0, part, health));
  hooks.onReady(1);
  hooks.onStart(0);
  const drained = load.kind === "closed" ? DRAINED : 0;
  recorder.due = sent + drained;
  const servedShare = Math.min(1, servesPerSec / Math.min(duePerSec, mostPerSec));
  const complete = (i: number): void => {
    const dueUs = i * durationUs / sent;
    recorder.complete(0, 200, dueUs, dueUs, dueUs + serviceUs, dueUs + serviceUs);
    recorder.checked(Math.floor((i + 1) * servedShare) > Math.floor(i * servedShare));
  };
  for (let i = 0; i < sent; i++) complete(i);
  recorder.seal(durationUs);
  // What was in flight at the end of a closed loop is waited for, and is in no rate.
  for (let i = sent; i < sent + drained; i++) complete(i);
  for (let i = sent; i < due; i++) recorder.drop(0, durationUs - 1, durationUs);
  return loadedBy(recorder, durationUs, health.cpuRatio);
}

/** By a target that hangs: interval after interval goes by without a response, until the load is ended. */
function unheard({ load, intervalMs }: LoadRequest, hooks: LoaderHooks): Loaded {
  const duePerSec = load.kind === "rate" ? load.ratePerSec : 0;
  hooks.onReady(1);
  hooks.onStart(0);
  const recorder = new Recorder(
    intervalMs * 1_000,
    (part) => hooks.onInterval(0, part, { cpuRatio: 0.5, lateUs: 0 }),
  );
  const endUs = (durationMsOf(load) ?? 0) * 1_000;
  let nowUs = 0;
  while (nowUs < endUs && !hooks.signal.aborted) recorder.advance(nowUs += intervalMs * 1_000);
  recorder.seal(nowUs);
  const due = Math.round(duePerSec * nowUs / 1e6);
  for (let i = 0; i < due; i++) recorder.drop(0, i / duePerSec * 1e6, nowUs);
  return loadedBy(recorder, nowUs, 0.5);
}

function loadedBy(recorder: Recorder, elapsedUs: number, cpuRatio: number): Loaded {
  const share = { pacer: { kind: "closed", requests: Infinity }, durationUs: elapsedUs } as const;
  const { report } = reportOfSilent({ ...share, scriptKind: "requests" }, null);
  const time = { cpuUs: cpuRatio * elapsedUs, waitedUs: 0 };
  const reports = [{ ...report, totals: recorder.finish(elapsedUs), elapsedUs, time }];
  const stage = { hostActivity: UNKNOWN_ACTIVITY, calibration: null, sharesMachine: false };
  return { driver: "tcp", connections: [2], reports, stage, agents: null };
}

async function searched(given: Case, terms = TERMS): Promise<RunCapacity> {
  let nowMs = 0;
  const found = await searchCapacity(terms, { request: REQUEST, earlier: null }, {
    loader: loaderOf(given),
    onProgress: () => {},
    signal: new AbortController().signal,
    nowMs: () => nowMs += 10,
  });
  assert.ok(!("unanswered" in found));
  return found;
}

Deno.test("a sustained trial at a rate below that of every other trial is made", async () => {
  for (const servesPerSec of [1_020, 1_030, 1_050]) {
    const { end, capacity } = await searched({
      ...{ mostPerSec: Infinity, breaksAtPerSec: Infinity, servesPerSec },
    });
    assert.equal(end, "found");
    assert.ok(capacity?.high && capacity.low <= servesPerSec && servesPerSec <= capacity.high);
  }
});

Deno.test("a target that is faster than the generator takes at least what that sends, which strict calls untrusted", async () => {
  const found = await searched({ mostPerSec: 700, breaksAtPerSec: Infinity });
  assert.equal(found.end, "generator");
  const { capacity, trials } = found;
  assert.ok(capacity !== null && capacity.bound === "generator" && capacity.high === null);
  assert.ok(capacity.value <= 700 && capacity.value > 700 / 1.1 ** 2, `${capacity.value}`);
  assert.ok(trials.every(({ outcome, counts }) => counts === (outcome === "held")));
  assert.ok(trials.some(({ droppedRatio = 0 }) => droppedRatio > 0));
  for (const { success, droppedRatio = 0 } of trials) {
    assert.ok(Math.abs(success + droppedRatio - 1) < 1e-9, "what was not served was not sent");
  }
  assert.deepEqual(found.breaking, [], "of a bound there are no multiples");
  assert.match(
    capacitySentence(found),
    /^At least [\d,]+\/s \(generator\) with p99 < 20ms and success >= 99%$/,
  );
  const verified = (isStrict: boolean): void =>
    verifyCapacities([{ place: "", search: found }], { isStrict, isPrinted: true });
  verified(false);
  assert.throws(() => verified(true), UntrustedError);
});

Deno.test("a target that never recovers ends the search, with what was measured before", async () => {
  const found = await searched({ mostPerSec: Infinity, breaksAtPerSec: 1_100 });
  const { end, capacity, trials } = found;
  assert.equal(end, "not-recovered");
  assert.ok(trials.length >= 2 && trials[0].outcome === "held");
  assert.equal(trials.at(-1)?.recoveryS, null);
  assert.ok(capacity !== null && capacity.value >= PEAK_PER_SEC, "the first trial held");
  assert.match(capacitySentence(found), /the target did not recover from the last trial$/);
  assert.throws(
    () => verifyCapacities([{ place: "", search: found }], { isStrict: false, isPrinted: true }),
    TargetError,
  );
});

Deno.test("a target that hangs is noticed by what is overdue, long before the end of its trial", async () => {
  const patient: SearchTerms = {
    ...TERMS,
    objectives: [objective.parse("p99 < 500ms")],
    ...{ trialS: [10, 20], budgetS: 200 },
  };
  const hanging = { mostPerSec: Infinity, breaksAtPerSec: 1_100, hangs: true };
  const { end, trials } = await searched(hanging, patient);
  const [first, last] = [trials[0], trials[trials.length - 1]];
  assert.deepEqual([end, first.outcome, last.outcome], ["not-recovered", "held", "broken"]);
  assert.equal(first.elapsedS, first.plannedS);
  assert.ok(last.elapsedS <= last.plannedS / 4, `${last.elapsedS} of ${last.plannedS} s`);
});

Deno.test("a search begins at what a target serves, not at what it refuses, and finds how much it may refuse", async () => {
  const refusing = { mostPerSec: Infinity, breaksAtPerSec: Infinity, servesPerSec: 300 };
  const { peakPerSec, trials, capacity } = await searched(refusing);
  assert.equal(peakPerSec.toFixed(6), "300.000000");
  assert.equal(trials[0].ratePerSec, peakPerSec);
  const most = 300 / 0.99;
  assert.ok(capacity !== null && capacity.low <= most && most <= (capacity.high ?? 0));
});

/** Searches until the budget is spent; each load takes its time and `lastMs`. @returns Also when the trials ended, s. */
async function searchedInTime(
  terms: SearchTerms,
  given: Case,
  { lastMs, beganMs }: { readonly lastMs: number; readonly beganMs: number },
): Promise<{ found: RunCapacity; endsS: number[] }> {
  const loader = loaderOf(given);
  let nowMs = 0;
  const endsS: number[] = [];
  const found = await searchCapacity(terms, { request: REQUEST, earlier: null }, {
    loader: {
      ...loader,
      load: async (request, hooks) => {
        const ended = await loader.load(request, hooks);
        nowMs += (durationMsOf(request.load) ?? 0) + lastMs;
        if (request.load.kind === "rate") endsS.push((nowMs - beganMs) / 1_000);
        return ended;
      },
    },
    onProgress: () => {},
    signal: new AbortController().signal,
    nowMs: () => nowMs,
    beganMs,
  });
  assert.ok("end" in found && found.end === "budget", JSON.stringify(found));
  return { found, endsS };
}

Deno.test("a trial that does not fit into the budget with its last responses is not begun", async () => {
  const terms = { ...TERMS, objectives: [objective.parse("p99 < 900ms")], budgetS: 40 };
  const refusing = { mostPerSec: Infinity, breaksAtPerSec: Infinity, servesPerSec: 300 };
  const { endsS } = await searchedInTime(terms, refusing, { lastMs: 900, beganMs: -10_000 });
  assert.ok(endsS.length > 0);
  assert.deepEqual(endsS.filter((endS) => endS > 40), []);
});

Deno.test("trials that are too short for the limit bound nothing, whatever held in them", async () => {
  const objectives = ["p99 < 2s", "success >= 99%"].map((text) => objective.parse(text));
  const short: SearchTerms = { ...TERMS, objectives, widthRatio: 0.5, budgetS: 12 };
  const fast = { mostPerSec: Infinity, breaksAtPerSec: Infinity };
  const { found } = await searchedInTime(short, fast, { lastMs: 10, beganMs: 0 });
  assert.ok(found.trials.length > 0 && found.trials.every(({ outcome }) => outcome === "held"));
  assert.equal(found.capacity, null);
  assert.match(
    capacitySentence(found),
    /^No capacity known with p99 < 2s and success >= 99%; .*\/s held for 2\ss, which is too short/,
  );
});

Deno.test("what still waits when the budget is spent is given up, whatever the time-out and the recovery", async () => {
  const loader = loaderOf({ mostPerSec: Infinity, breaksAtPerSec: Infinity });
  const hung: AbortSignal[] = [];
  const terms = { ...TERMS, budgetS: 1.2, recoverS: 3_600 };
  const request = { ...REQUEST, load: { ...REQUEST.load, timeout: 3_600_000 } };
  const found = await searchCapacity(terms, { request, earlier: null }, {
    loader: {
      ...loader,
      load: async (request, hooks) => {
        const ended = await loader.load(request, hooks);
        if (request.load.kind === "rate") {
          hung.push(hooks.signal);
          const { promise, resolve } = Promise.withResolvers<void>();
          hooks.signal.addEventListener("abort", () => resolve());
          if (!hooks.signal.aborted) await promise;
        }
        return ended;
      },
    },
    onProgress: () => {},
    signal: new AbortController().signal,
    nowMs: () => 0, // so that every trial fits
  });
  assert.ok("end" in found && found.end === "budget", JSON.stringify(found));
  assert.equal(hung.length, 1);
  assert.deepEqual(found.trials, []);
});
