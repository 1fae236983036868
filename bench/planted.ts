/**
 * Whether `plateau ab` sees a slowdown that was planted, and none where there is none, while a neighbour uses a core in
 * bursts. The slowdown is a loop whose length was measured, as a share of the CPU time of a request.
 */
import { temporaryFolder } from "./stage/folder.ts";
import { join } from "node:path";
import { atLeast, atMost, type Bar } from "./bar.ts";
import type { Bench, Row, Section } from "./bench.ts";
import { printError } from "../cli/terminal/terminal.ts";
import { textLines } from "../report/writing/terminal.ts";
import { type App, APPS, plantedRepository } from "./planted/repository.ts";
import { type Known, knownOf, type Trial, trial, tryOne } from "./planted/trials.ts";
import { keepTrial, readTrials } from "./trials.ts";

interface Change {
  /** Share of the service time of a request. */
  readonly planted: number;
  /** Blocks, the length of runs and the margin: what a user would choose who wants to see so much. */
  readonly flags: Readonly<Record<App, string>>;
  readonly isCalledWorse: Bar;
  readonly mostS: number;
}

const TENTH = {
  express: "--order blocks --repeat 20",
  gin: "--order blocks --repeat 25 --duration 2s",
};
const TWENTIETH = {
  express: "--order blocks --repeat 40 --margin 0.5%",
  gin: "--order blocks --repeat 50 --duration 4s --margin 0.5%",
};

const CHANGES: readonly Change[] = [
  { planted: 0.1, flags: TENTH, isCalledWorse: atLeast(90), mostS: 300 },
  { planted: 0.05, flags: TWENTIETH, isCalledWorse: atLeast(90), mostS: 900 },
  { planted: 0, flags: TENTH, isCalledWorse: atMost(5), mostS: 300 },
];

interface Case extends Omit<Change, "flags"> {
  readonly app: App;
  /** `express, 10 %`. */
  readonly name: string;
  readonly flags: string;
}

const CASES: readonly Case[] = CHANGES.flatMap((change) =>
  APPS.map((app) => ({
    ...change,
    app,
    flags: change.flags[app],
    name: `${app}, ${change.planted === 0 ? "no change" : `${100 * change.planted} %`}`,
  }))
);

const BRIEFLY = "--order blocks --repeat 3 --duration 300ms";

export const planted: Bench = {
  about: "whether ab sees a planted slowdown beside a neighbour, and none without it",
  rounds: 10,
  async run({ rounds, short, only = "", log }): Promise<Section[]> {
    using folder = temporaryFolder();
    const file = log ?? join(folder.path, "trials.jsonl");
    const all = CASES.map((one) => short ? { ...one, flags: BRIEFLY } : one);
    const cases = all.filter(({ name }) => name.includes(only));
    using repository = await plantedRepository();
    const known = new Map<App, Known>();
    for (const { app, flags } of cases) {
      if (!known.has(app)) known.set(app, await knownOf(app, flags, repository));
    }
    for (let round = 1; round <= rounds; round++) {
      for (const { app, planted, flags, name } of cases) {
        const seed = readTrials(file, trial).length + 1;
        const asked = { app, planted, seed, flags };
        const one = await tryOne(asked, known.get(app) as Known, repository);
        keepTrial(file, one);
        printError(textLines([`  round ${round} of ${rounds}: ${name}: ${sentenceOf(one)}`]));
      }
    }
    return sectionsOf(readTrials(file, trial), all);
  },
};

function sentenceOf({ code, seconds, loop, service, cpu, rate, p99 }: Trial): string {
  const ratios = Object.entries({ rate, p99, "CPU/request": cpu })
    .map(([figure, ratio]) => `${figure} ${ratio?.toFixed(3) ?? "unknown"}`).join(", ");
  const verdict = new Map([[0, "not worse"], [1, "worse"], [5, "inconclusive"]]).get(code);
  return `${verdict} after ${seconds.toFixed(0)} s (${ratios}; loop ${loop} µs of ${service} µs)`;
}

/** Of all trials of these cases that the file holds, in this run or an earlier one. */
function sectionsOf(kept: readonly Trial[], cases: readonly Case[]): Section[] {
  const isOf = (trial: Trial, one: Case): boolean =>
    trial.app === one.app && trial.planted === one.planted && trial.flags === one.flags;
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
      rows: rows((of, { isCalledWorse }) => ({
        samples: [100 * of.filter(({ code }) => code === 1).length / of.length],
        bar: isCalledWorse,
      })),
    },
    {
      caption: "Longest run of ab, with builds and confirmation",
      unit: "s",
      rows: rows((of, { mostS }) => ({
        samples: [Math.max(...of.map(({ seconds }) => seconds))],
        bar: atMost(mostS),
      })),
    },
    {
      caption: "CPU time per request, HEAD over BASE",
      unit: "×",
      rows: rows((of) => ({ samples: of.flatMap(({ cpu }) => cpu ?? []) })),
      notes: trials.map((one) => `${one.app}, ${100 * one.planted} %: ${sentenceOf(one)}`),
    },
  ];
}
