/** `plateau versus` before and between its loads: two URLs, what is of one of them, and when there are enough sessions. */
import assert from "node:assert/strict";
import { TargetError } from "../../base/errors.ts";
import { ResolvedHost } from "../../base/target/access.ts";
import { lookAt } from "../../cli/experiment/looks.ts";
import type { RawArguments } from "../../cli/command_line/command.ts";
import { readArguments } from "../../cli/command_line/arguments.ts";
import { benchParts } from "../../cli/flags/bench_flags.ts";
import { abCommand } from "../../cli/ab/command.ts";
import { compareCommand } from "../../cli/commands/compare.ts";
import { versusCommand } from "../../cli/versus/command.ts";
import { comparisonOf, sessionPlan, sessionsOf } from "../../cli/versus/sessions.ts";
import { distinctPids, sideConflicts, sidesOf } from "../../cli/versus/sides.ts";
import type { FigureComparison } from "../../report/judge/comparison.ts";
import {
  compareResults,
  isTrusted,
  type ResultsComparison,
} from "../../report/subjects/comparison/comparison.ts";
import type { Results, Run } from "../../runner/result/result.ts";
import { toldOf } from "./command_line.ts";
import { doubted } from "../report/concluded.ts";
import { thresholdsOf } from "../report/gated.ts";
import { besideNeighbour, slicedSides, type SlicedSpec } from "../report/sliced.ts";

const PARTS = versusCommand.parts ?? {};
const [A, B] = ["https://a.example/", "https://b.example/"];

function placesOf(given: RawArguments): string[] {
  return sideConflicts({ base: A, next: B, ...given }).map(({ place }) => place);
}

Deno.test("versus takes of https what bench takes of it, also where one URL alone is", () => {
  const plain = "http://b.example/";
  assert.deepEqual(placesOf({ cacert: "ca.pem", cert: "c.pem", key: "k.pem", tls: "resume" }), []);
  assert.deepEqual(placesOf({ cacert: "ca.pem", cert: "c.pem", key: "k.pem", next: plain }), []);
  assert.deepEqual(placesOf({ cacert: "ca.pem", base: "http://a.example/", next: plain }), [
    "--cacert",
  ]);
  assert.deepEqual(placesOf({ tls: "resume", next: plain }), ["--tls"]);
  assert.deepEqual(placesOf({ cert: "c.pem" }), ["--cert"], "a problem of both is told once");
});

Deno.test("versus refuses an address of neither host, and one socket for two servers", () => {
  assert.deepEqual(placesOf({ resolve: "a.example:443:127.0.0.1" }), []);
  assert.deepEqual(placesOf({ resolve: "b.example:443:127.0.0.1" }), []);
  assert.deepEqual(placesOf({ resolve: "c.example:443:127.0.0.1" }), ["--resolve", "--resolve"]);
  const [base, next] = ["http://a.example/x", "http://b.example/x"];
  assert.deepEqual(placesOf({ base, next, unix: "s.sock" }), ["--unix"]);
  assert.deepEqual(placesOf({ base, next: "http://a.example/y", unix: "s.sock" }), []);
});

Deno.test("versus dials an address for the host that it is of alone", async () => {
  const spec = { parts: PARTS, run: () => Promise.resolve(0) };
  const read = readArguments(spec, { name: "versus", summary: "" }, [A, B]);
  assert.ok(read.wants === "values");
  const resolve = new ResolvedHost("a.example", 443, "127.0.0.1");
  const values = { ...read.values, resolve } as Parameters<typeof sidesOf>[0];
  const sides = await sidesOf(values, 1_000);
  assert.deepEqual(
    sides.map(({ endpoint }) => "path" in endpoint ? null : endpoint.addresses),
    [["127.0.0.1"], undefined],
  );
});

Deno.test("ab, versus and compare say their exit codes in the order of the table, and all of them", async () => {
  const page = await Deno.readTextFile(`${import.meta.dirname}/../../docs/compare.md`);
  const [, table] = page.split("the first row that applies decides");
  const rows = [...table.split("\n\n")[0].matchAll(/^\| (\d.*?) +\| (.*)/gm)];
  const told = ({ more = "" }: { readonly more?: string }): string[] =>
    [...more.matchAll(/^ {2}(\d(?:, \d or \d)?) {2}/gm)].map(([, code]) => code);
  const codes = rows.map(([, code]) => code);
  assert.deepEqual(codes, ["3", "1", "4", "0, 1 or 5", "5", "1", "5", "0"]);
  assert.deepEqual(told(versusCommand), codes);
  const ofCompare = rows.filter(([, , when]) => !when.includes("`ab` or `versus`"));
  assert.deepEqual(told(compareCommand), ofCompare.map(([, code]) => code));
  const ofAb = rows.filter(([, , when]) => !/`compare` or `versus`|unless `ab`/.test(when));
  assert.deepEqual(told(abCommand), ofAb.map(([, code]) => code));
});

Deno.test("versus offers no flag that it always refuses", () => {
  const refused = [
    ...["stream", "until", "hold", "reconnect", "token", "send", "every", "expect"],
    ...["follow", "requests", "phases", "replay", "agents"],
    ...["redis", "redisPasswordFile", "redisCacert", "baseline", "like", "log"],
  ];
  for (const name of refused) {
    assert.ok(name in benchParts, name);
    assert.ok(!(name in PARTS), name);
  }
});

Deno.test("versus says why it opens no WebSockets, and measures no streams", async () => {
  const told = async (...args: string[]): Promise<string> =>
    (await toldOf(["versus", ...args])).join("\n");
  assert.match(
    await told("ws://a.example/", B),
    /base: .*only plateau bench and experiment files open WebSockets/i,
  );
  assert.match(await told(A, B, "--send", "x"), /--send: .*by turns, which would cut WebSockets/);
  for (const stream of [["--stream=events"], ["--stream", "events"]]) {
    const only = /^--stream: .*by turns, which would cut streams.*$/;
    assert.match(await told(...stream, A, B), only);
  }
});

Deno.test("versus calls gRPC over HTTP/2, where a .proto file says that one message responds", async () => {
  const FOLDER = `${import.meta.dirname}/../conformance`;
  const spec = { parts: PARTS, run: () => Promise.resolve(0) };
  const sides = async (method: string, ...proto: string[]): ReturnType<typeof sidesOf> => {
    const args = ["http://a.example", "http://b.example", "--grpc", method, ...proto];
    const read = readArguments(spec, { name: "versus", summary: "" }, args);
    assert.ok(read.wants === "values");
    return await sidesOf(read.values as Parameters<typeof sidesOf>[0], 1_000);
  };
  const proto = ["--proto", `${FOLDER}/echo.proto`];
  const both = await sides("conformance.Echo/One", ...proto);
  assert.deepEqual(both.map(({ endpoint }) => endpoint.http2), [true, true]);
  assert.deepEqual(both.map(({ cell }) => cell.load.http2), [true, true]);
  await assert.rejects(sides("conformance.Echo/Many", ...proto), /are streams, which a slice/);
  await assert.rejects(sides("conformance.Echo/One"), /name the \.proto file of the method/);
});

Deno.test("processes that serve both sides are of neither", () => {
  const usedBy = (...sides: number[][]) => {
    const { pids, areShared } = distinctPids(sides.map((own) => () => own));
    return [areShared, ...pids.map((own) => own())];
  };
  assert.deepEqual(usedBy([1, 2], [3]), [false, [1, 2], [3]]);
  assert.deepEqual(usedBy([1, 2], [2, 3]), [true, [], []]);
  assert.deepEqual(usedBy([], []), [false, [], []]);
});

Deno.test("versus -d lasts as long as it says, and a budget ends it earlier", () => {
  for (const duration of [500, 1_000, 5_000, 8_000, 600_000]) {
    const { sessions, durationMs, isOpen } = sessionPlan({ duration });
    assert.deepEqual([sessions * durationMs, isOpen], [duration, false]);
  }
  assert.equal(sessionPlan({ duration: 600_000 }).budgetMs, Infinity);
  assert.equal(sessionPlan({ duration: 600_000, budget: 60_000 }).budgetMs, 60_000);
  assert.deepEqual([sessionPlan({}).budgetMs, sessionPlan({}).isOpen], [60_000, true]);
});

const OPTIONS = { intervalMs: 250, marginRatio: 0.02, thresholds: [] };

/** Of both sides of `versus`, by repetition. */
function runsAt(
  spec: Omit<SlicedSpec, "areRunning">,
  spoil: (side: Results) => void = () => {},
): Run[] {
  const sides = slicedSides({ ...spec, areRunning: true });
  sides.forEach(spoil);
  return sides.flatMap(({ runs }, side) =>
    runs.map((run) => ({ ...run, target: side === 0 ? "base" : "new" }))
  );
}

const RUNS = runsAt({ processes: 4, pairs: 30, ratio: 0.8 });
const ALIKE = runsAt({ processes: 8, pairs: 8, ratio: 1 });

Deno.test("versus has a verdict beside a neighbour, and none where the generator was at its limit", () => {
  const outcomeOf = (spoil: (side: Results) => void): [boolean, string] => {
    const runs = runsAt({ processes: 9, pairs: 30, ratio: 0.8 }, spoil);
    const comparison = comparisonOf(runs, { plan: sessionPlan({}), ...OPTIONS });
    return [isTrusted(comparison), comparison.outcome];
  };
  assert.deepEqual(outcomeOf(besideNeighbour), [true, "fail"]);
  assert.deepEqual(outcomeOf((side) => doubted(side, () => true)), [false, "inconclusive"]);
});

/** Sessions of 10 s each. @param end Of the one that comes after `whole`. */
async function sessionsUntil(
  { whole, end, budget }: { whole: number; end: (abort: AbortController) => void; budget?: number },
): ReturnType<typeof sessionsOf> {
  const plan = sessionPlan({ duration: 8_000, budget });
  const abort = new AbortController();
  let clockMs = 0;
  return await sessionsOf({
    ...{ plan, signal: abort.signal, nowMs: () => clockMs },
    carryOut(repetition): Promise<Run[]> {
      clockMs += 10_000;
      if (repetition > whole) end(abort);
      return Promise.resolve(RUNS.filter((run) => run.repetition === repetition));
    },
    compare: (runs) => comparisonOf(runs, { plan, ...OPTIONS }),
  });
}

Deno.test("what versus has measured is compared where a session fails, is interrupted, or has no time", async () => {
  const error = new TargetError("It is gone");
  const fail = (): void => {
    throw error;
  };
  const failed = await sessionsUntil({ whole: 2, end: fail });
  assert.deepEqual([failed.failure, failed.runs.length], [error, 4]);
  assert.equal(failed.comparison?.cells.length, 1);
  for (
    const end of [(abort: AbortController) => abort.abort(), (abort: AbortController) => {
      abort.abort();
      fail();
    }]
  ) {
    const interrupted = await sessionsUntil({ whole: 2, end });
    assert.deepEqual([interrupted.failure, interrupted.runs.length], [null, 4]);
    assert.equal(interrupted.comparison?.cells.length, 1);
  }
  const none = await sessionsUntil({ whole: 0, end: fail });
  assert.deepEqual([none.failure, none.comparison], [error, null]);
  const short = await sessionsUntil({ whole: 4, end: () => {}, budget: 25_000 });
  assert.equal(short.runs.length, 4);
});

Deno.test("versus -d ends when its slices have loaded each server for that long, however few sessions that takes", async () => {
  const plan = sessionPlan({ duration: 8_000 });
  const slow = runsAt({ processes: 20, pairs: 2, ratio: 1 });
  for (const { slices } of slow) {
    assert.ok(slices);
    slices.sliceMs = 905;
  }
  const { runs } = await sessionsOf({
    ...{ plan, signal: new AbortController().signal, nowMs: () => 0 },
    carryOut: (at) => Promise.resolve(slow.filter(({ repetition }) => repetition === at)),
    compare: (runs) => comparisonOf(runs, { plan, ...OPTIONS }),
  });
  assert.equal(runs.length / 2, 5);
});

Deno.test("versus with a short budget does not take the trial before its first round for a part of a round", async () => {
  const plan = sessionPlan({ budget: 6_000 });
  let clockMs = 0;
  const { runs } = await sessionsOf({
    ...{ plan, signal: new AbortController().signal, nowMs: () => clockMs },
    carryOut(repetition): Promise<Run[]> {
      clockMs += repetition === 1 ? 3_400 : 900;
      return Promise.resolve(ALIKE.filter((run) => run.repetition === repetition));
    },
    compare: (runs) => comparisonOf(runs, { plan, ...OPTIONS }),
  });
  // After 3.4, 4.3, 5.2 s; another would end after 6.1.
  assert.equal(runs.length, 6);
});

Deno.test("versus lasts as long as its budget where no verdict ends it", () => {
  for (const [budget, lengthMs] of [[10_000, 400], [60_000, 400], [600_000, 4_000]]) {
    assert.equal(sessionPlan({ budget }).durationMs, lengthMs);
  }
  const { sessions, durationMs, budgetMs } = sessionPlan({ budget: 3_600_000 });
  const loadedMs = 2 * sessions * durationMs;
  assert.ok(loadedMs > 0.8 * budgetMs && loadedMs < budgetMs, `${loadedMs}`);
});

Deno.test("versus compares only where it looks", async () => {
  const plan = sessionPlan({});
  const compared: number[] = [];
  await sessionsOf({
    ...{ plan: { ...plan, sessions: 8 }, signal: new AbortController().signal, nowMs: () => 0 },
    carryOut: (repetition) => Promise.resolve(ALIKE.filter((run) => run.repetition === repetition)),
    compare(runs): ResultsComparison {
      compared.push(runs.length / 2);
      return comparisonOf(runs, { plan, ...OPTIONS, marginRatio: 0 });
    },
  });
  assert.deepEqual(compared, [4, 6, 8], "at two looks, and at the end");
});

Deno.test("a defect is none of a server's", async () => {
  const defect = new TypeError("x");
  await assert.rejects(
    sessionsUntil({
      whole: 2,
      end: () => {
        throw defect;
      },
    }),
    defect,
  );
});

Deno.test("a threefold ratio is decided by the first four rounds, of two pairs of slices each", () => {
  const spec = { processes: 4, pairs: 2, ratio: 2.9, slice: 0.05, areRunning: true };
  const [base, next] = slicedSides(spec);
  const compared = compareResults(base, next);
  const decisive = (...figures: ("rate" | "cpuPerRequest")[]): typeof compared => ({
    ...compared,
    cells: compared.cells.map((cell) => ({
      ...cell,
      comparison: { ...cell.comparison, decisive: figures },
    })),
  });
  assert.equal(lookAt(() => decisive("rate"), 4).isEnough, true);
  assert.equal(lookAt(() => decisive("rate"), 5).isEnough, false, "there is no look at five");
  const cpu = compared.cells[0].comparison.figures.find(({ figure }) => figure === "cpuPerRequest");
  assert.ok(cpu);
  const open = { ...cpu, verdict: "inconclusive", reason: "few-slices" } as const;
  const figures = compared.cells[0].comparison.figures.map((one) => one === cpu ? open : one);
  const [cell] = decisive("rate", "cpuPerRequest").cells;
  const cells = [{ ...cell, comparison: { ...cell.comparison, figures } }];
  assert.equal(
    lookAt(() => ({ ...compared, cells }), 4).isEnough,
    true,
    "CPU time, open alone, decides nothing",
  );
});

Deno.test("looks go on while CPU time is open that would decide for a rate that the generator limits", () => {
  const compared = comparisonOf(RUNS, { plan: sessionPlan({}), ...OPTIONS });
  const isDecidedWith = (cpu: Partial<FigureComparison>): boolean => {
    const cells = compared.cells.map((cell) => ({
      ...cell,
      comparison: {
        ...cell.comparison,
        figures: cell.comparison.figures.map((one) =>
          one.figure === "cpuPerRequest"
            ? { ...one, ...cpu }
            : { ...one, verdict: "inconclusive" as const, reason: "generator" as const }
        ),
      },
    }));
    return lookAt(() => ({ ...compared, cells }), 4).isEnough;
  };
  const open = { verdict: "inconclusive" } as const;
  assert.equal(isDecidedWith({ ...open, reason: "few-slices" }), false);
  assert.equal(isDecidedWith({ ...open, reason: "margin" }), false);
  assert.equal(isDecidedWith({ ...open, ratio: null, reason: "nothing" }), true, "nobody sees it");
  assert.equal(isDecidedWith({ verdict: "equivalent", reason: null }), true);
});

Deno.test("looks go on while a threshold is open that more sessions decide, and end when one fails", () => {
  const spec = { processes: 4, pairs: 60, ratio: 1.4 };
  const running = slicedSides({ ...spec, areRunning: true });
  const isDecidedBy = (
    threshold: string | null,
    decidedBy: "figures" | "thresholds",
    [base, next] = running,
  ): boolean => {
    const thresholds = threshold === null ? [] : thresholdsOf(threshold);
    const compared = compareResults(base, next, { thresholds, decidedBy });
    const cells = compared.cells.map((cell) => ({
      ...cell,
      comparison: { ...cell.comparison, decisive: ["rate"] as const },
    }));
    return lookAt(() => ({ ...compared, cells }), 4).isEnough;
  };
  const [, { runs }] = running;
  const mean = runs.reduce((sum, { rate }) => sum + rate, 0) / runs.length;
  const open = `rate > ${Math.round(mean)}/s`;
  assert.equal(isDecidedBy(null, "figures"), true, "the rate is better");
  for (const decidedBy of ["figures", "thresholds"] as const) {
    assert.equal(isDecidedBy(open, decidedBy), false);
    assert.equal(isDecidedBy(`rate > ${Math.round(mean / 2)}/s`, decidedBy), true);
    assert.equal(isDecidedBy(`rate > ${Math.round(mean * 2)}/s`, decidedBy), true);
  }
  const fresh = slicedSides(spec);
  assert.equal(isDecidedBy(open, "thresholds", fresh), false);
  fresh.forEach(besideNeighbour);
  assert.equal(isDecidedBy(open, "thresholds", fresh), true, "more of them would not be valid");
});
