/**
 * Tests whether `plateau ab` finds a planted slowdown, and reports none if none was planted, while a neighbour uses a
 * core in bursts. The slowdown is a loop whose length is chosen as a share of the measured CPU time of a request.
 */
import { temporaryFolder } from "./stage/folder.ts";
import { join } from "node:path";
import { atLeast, atMost, type Bar } from "./bar.ts";
import type { Bench, Row, Section } from "./bench.ts";
import { printError } from "../cli/terminal/terminal.ts";
import { textLines } from "../report/writing/terminal.ts";
import { type App, APPS, plantedRepository } from "./planted/repository.ts";
import {
  calibrationFlags,
  type Known,
  knownOf,
  type Trial,
  trial,
  tryOne,
} from "./planted/trials.ts";
import { keepTrial, readTrials } from "./trials.ts";

interface Change {
  /** The time that the loop adds, as a share of the CPU time of a request. */
  readonly planted: number;
  /**
   * The share of starts, on both sides, in which the loop runs. Absent: it runs in every start of HEAD, and never in
   * the base.
   */
  readonly drawn?: number;
  /**
   * For each app, the flags that a user might choose to see this change: the order of runs, their number and length,
   * and the margin.
   */
  readonly flags: Readonly<Partial<Record<App, string>>>;
  readonly isCalledWorse: Bar;
  /**
   * The most seconds that a whole `ab` may take, including builds. If `isMeasuring`, the most seconds of measuring
   * alone after which a verdict still counts.
   */
  readonly mostS: number;
  readonly isMeasuring?: boolean;
}

const TENTH = {
  express: "--order blocks --repeat 20",
  gin: "--order blocks --repeat 25 --duration 2s",
};
const TWENTIETH = {
  express: "--order blocks --repeat 40 --margin 0.5%",
  gin: "--order blocks --repeat 50 --duration 4s --margin 0.5%",
};

/** The flags of a user who thinks only of the size of the change, so they are the same for all apps. */
function inSlices(margin: string): Change["flags"] {
  const flags = `--order slices --margin ${margin}`;
  return Object.fromEntries(APPS.map((app) => [app, flags]));
}

const SLICED = { isMeasuring: true } as const;

const CHANGES: readonly Change[] = [
  { planted: 0.1, flags: TENTH, isCalledWorse: atLeast(90), mostS: 300 },
  { planted: 0.05, flags: TWENTIETH, isCalledWorse: atLeast(90), mostS: 900 },
  { planted: 0, flags: TENTH, isCalledWorse: atMost(5), mostS: 300 },
  { planted: 0.3, flags: inSlices("2%"), isCalledWorse: atLeast(100), mostS: 20, ...SLICED },
  { planted: 0.05, flags: inSlices("0.5%"), isCalledWorse: atLeast(100), mostS: 60, ...SLICED },
  { planted: 0.02, flags: inSlices("0.2%"), isCalledWorse: atLeast(80), mostS: 300, ...SLICED },
  { planted: 0, flags: inSlices("0.5%"), isCalledWorse: atMost(0), mostS: Infinity, ...SLICED },
  {
    ...{ planted: 0.2, drawn: 0.5, isCalledWorse: atMost(5), mostS: Infinity, ...SLICED },
    flags: { deno: "--order slices --margin 2%" },
  },
];

interface Case extends Omit<Change, "flags"> {
  readonly app: App;
  /** The name of the case, such as `express, 10 % in blocks`. */
  readonly name: string;
  readonly flags: string;
}

const CASES: readonly Case[] = CHANGES.flatMap((change) =>
  APPS.flatMap((app): Case[] => {
    const { planted, drawn = 1, flags: { [app]: flags }, isMeasuring = false } = change;
    if (flags === undefined) return [];
    const slower = planted === 0 ? "no change" : `${100 * planted} %`;
    const starts = drawn < 1 ? ` in ${100 * drawn} % of starts of both sides` : "";
    const name = `${app}, ${slower}${starts} in ${isMeasuring ? "slices" : "blocks"}`;
    return [{ ...change, app, flags, name }];
  })
);

const BRIEFLY = "--order blocks --repeat 3 --duration 300ms";
const BRIEFLY_IN_SLICES = "--order slices --repeat 2 --duration 300ms";

export const planted: Bench = {
  about: "whether ab sees a planted slowdown beside a neighbour, and none without it",
  rounds: 10,
  async run({ rounds, short, only = "", log, untilMs = Infinity }): Promise<Section[]> {
    using folder = temporaryFolder();
    const file = log ?? join(folder.path, "trials.jsonl");
    const brief = ({ isMeasuring }: Case): string => isMeasuring ? BRIEFLY_IN_SLICES : BRIEFLY;
    const all = CASES.map((one) => short ? { ...one, flags: brief(one) } : one);
    const cases = all.filter(({ name }) => name.includes(only));
    using repository = await plantedRepository();
    const known = new Map<string, Known>();
    for (let round = 1; round <= rounds; round++) {
      for (const one of cases) {
        const { app, planted, drawn = 1, flags, name } = one;
        const kept = readTrials(file, trial);
        if (kept.filter((trial) => isOf(trial, one)).length >= round) continue;
        if (performance.now() >= untilMs) return sectionsOf(kept, all);
        const calibration = `${app} ${calibrationFlags(flags)}`;
        const before = known.get(calibration) ?? await knownOf(app, flags, repository);
        known.set(calibration, before);
        const asked = { app, planted, drawn, seed: kept.length + 1, flags };
        const made = await tryOne(asked, before, repository);
        keepTrial(file, made);
        printError(textLines([`  round ${round} of ${rounds}: ${name}: ${sentenceOf(made)}`]));
      }
    }
    return sectionsOf(readTrials(file, trial), all);
  },
};

function isOf(trial: Trial, { app, planted, drawn = 1, flags }: Case): boolean {
  return trial.app === app && trial.planted === planted && trial.drawn === drawn &&
    trial.flags === flags;
}

function sentenceOf({ code, seconds, measuredS, loop, service, cpu, rate, p99 }: Trial): string {
  const ratios = Object.entries({ rate, p99, "CPU/request": cpu })
    .map(([figure, ratio]) => `${figure} ${ratio?.toFixed(3) ?? "unknown"}`).join(", ");
  const verdict = new Map([[0, "not worse"], [1, "worse"], [5, "inconclusive"]]).get(code);
  const measuring = measuredS === null ? "" : `, ${measuredS.toFixed(0)} s of them measuring`;
  return `${verdict} after ${
    seconds.toFixed(0)
  } s${measuring} (${ratios}; loop ${loop} µs of ${service} µs)`;
}

/** The sections about these cases, over all of their trials in the log file, including those of earlier runs. */
function sectionsOf(kept: readonly Trial[], cases: readonly Case[]): Section[] {
  const trials = kept.filter((trial) => cases.some((one) => isOf(trial, one)));
  const rows = (row: (of: readonly Trial[], one: Case) => Omit<Row, "what">): Row[] =>
    cases.flatMap((one) => {
      const of = trials.filter((trial) => isOf(trial, one));
      return of.length === 0 ? [] : [{ what: `${one.name} (${of.length})`, ...row(of, one) }];
    });
  return [
    {
      caption: "Runs of ab that call HEAD worse",
      unit: "%",
      rows: rows((of, { isCalledWorse, isMeasuring = false, mostS }) => {
        const isInTime = ({ measuredS }: Trial): boolean =>
          !isMeasuring || (measuredS ?? 0) <= mostS;
        const called = of.filter((one) => one.code === 1 && isInTime(one));
        return { samples: [100 * called.length / of.length], bar: isCalledWorse };
      }),
      notes: [
        "In slices within 20 s of measuring for 30 %, 60 s for 5 % and 300 s for 2 %; builds apart.",
      ],
    },
    {
      caption: "Longest run of ab, with builds and confirmation",
      unit: "s",
      rows: rows((of, { mostS, isMeasuring = false }) => ({
        samples: [Math.max(...of.map(({ seconds }) => seconds))],
        bar: isMeasuring ? undefined : atMost(mostS),
      })),
    },
    {
      caption: "Measuring until the end, builds apart",
      unit: "s",
      rows: rows((of) => ({ samples: of.flatMap(({ measuredS }) => measuredS ?? []) })),
    },
    {
      caption: "CPU time per request, HEAD over BASE",
      unit: "×",
      rows: rows((of) => ({ samples: of.flatMap(({ cpu }) => cpu ?? []) })),
      notes: trials.map((one) => `${one.app}, ${100 * one.planted} %: ${sentenceOf(one)}`),
    },
  ];
}
