/**
 * Tests whether `plateau ab` can tell two builds apart if the capacity of one is 10 % lower, and whether it finds no
 * difference if both are the same. The capacities of both builds are searched alternately, in fresh processes. The
 * server holds each request for 1 ms; the slower build holds it for 1/0.9 ms.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { printError } from "../../cli/terminal/terminal.ts";
import { textLines } from "../../report/writing/terminal.ts";
import { atLeast, atMost, type Bar } from "../bar.ts";
import type { Bench, Row, Section } from "../bench.ts";
import { type AbPlace, runAb } from "../stage/ab.ts";
import { temporaryFolder } from "../stage/folder.ts";
import { commitAll, envIn, git, initRepository } from "../stage/repository.ts";
import { keepTrial, readTrials } from "../trials.ts";

const HOLD_US = 1_000;
const SLOWER = 0.9;
const MOST_S = 300;

interface Case {
  readonly name: string;
  readonly holdUs: number;
  readonly isRight: (verdict: string) => boolean;
  readonly bar: Bar;
}

const CASES: readonly Case[] = [
  {
    name: "10 % slower",
    holdUs: Math.round(HOLD_US / SLOWER),
    isRight: (verdict) => verdict === "worse",
    bar: atLeast(90),
  },
  {
    name: "the same build",
    holdUs: HOLD_US,
    isRight: (verdict) => verdict !== "worse" && verdict !== "better",
    bar: atLeast(95),
  },
];

/**
 * The rounds go through these cases again and again: of 30 rounds, 10 have a slower build, and 20 have the same build
 * twice.
 */
const TURNS = [CASES[0], CASES[1], CASES[1]];

/**
 * The settings for a full and for a short run of the bench. The exact test needs at least seven pairs to call two
 * figures different; with eight, one of them may be an outlier. The rule is about p90, because in such short trials a
 * pause of the machine already shows in p99.
 */
const EFFORTS = {
  all: { flags: "--repeat 8 --confirm no", width: "4%", trial: ["1s", "2s"], budget: "7s" },
  short: { flags: "--repeat 2 --confirm no", width: "20%", trial: ["1s", "1s"], budget: "6s" },
};
const WITHIN = "p90 < 20ms";
type Effort = typeof EFFORTS[keyof typeof EFFORTS];

const bound = z.number().nullable();

/** One line of the log file. */
const trial = z.strictObject({
  holdUs: z.int(),
  asked: z.string().describe("How it was searched and compared"),
  seconds: z.number(),
  verdict: z.string().describe("Verdict on requests/s, which are the capacity"),
  ratio: bound.describe("Capacity of the new build over that of the old one"),
  low: bound,
  high: bound,
  reason: z.string().nullable().describe("Reason for the verdict"),
  fault: z.string().nullable().describe("Wrong responses, if the verdict is about them; else null"),
});

type Trial = z.output<typeof trial>;

export const builds: Bench = {
  about: "capacities of two builds compared: one 10 % slower, and the same one twice",
  rounds: 30,
  async run({ rounds, short, only = "", log }): Promise<Section[]> {
    using folder = temporaryFolder();
    const file = log ?? join(folder.path, "trials.jsonl");
    const effort = EFFORTS[short ? "short" : "all"];
    const turns = TURNS.filter(({ name }) => name.includes(only));
    const repository = await repositoryIn(folder.path, effort);
    for (let round = 1; round <= rounds; round++) {
      const kept = keptOf(file, effort);
      const next = turns[kept.length % turns.length];
      const one = await tryOne(next, kept.length + 1, { repository, effort });
      keepTrial(file, one);
      printError(textLines([`  round ${round} of ${rounds}: ${sentenceOf(one)}`]));
    }
    return sectionsOf(keptOf(file, effort));
  },
};

function keptOf(file: string, effort: Effort): Trial[] {
  return readTrials(file, trial).filter(({ asked }) => asked === askedOf(effort));
}

function askedOf(effort: Effort): string {
  return JSON.stringify({ within: WITHIN, ...effort });
}

/**
 * Creates a repository with an experiment and a server; on its main branch, the server holds requests for the usual
 * time.
 */
async function repositoryIn(folder: string, effort: Effort): Promise<AbPlace> {
  const path = join(folder, "repository");
  await initRepository(path);
  const source = fileURLToPath(new URL("holding.c", import.meta.url));
  Deno.copyFileSync(source, join(path, "holding.c"));
  Deno.writeTextFileSync(join(path, "experiment.yaml"), JSON.stringify(experimentOf(effort)));
  holdFor(path, HOLD_US, 0);
  await commitAll(path, "Hold each request");
  await git(path, "switch", "--quiet", "--create", "change");
  return { path, env: envIn(folder) };
}

function experimentOf({ width, trial, budget }: Effort): unknown {
  const cores = navigator.hardwareConcurrency;
  const command = ["sh", "server.sh", "{port}"];
  const build = [["cc", "-O2", "-o", "holding", "holding.c"]];
  return {
    name: "builds",
    targets: { holding: { command, build } },
    scenarios: { root: { get: "/" } },
    load: { capacity: { within: WITHIN, width, trial, budget }, connections: 64 },
    ...cores > 1 && { pin: { targets: "0", workers: `1-${cores - 1}` } },
  };
}

/** @param number Differs in each call, so that the file and its commit are new, and the commit is built anew. */
function holdFor(path: string, holdUs: number, number: number): void {
  const script = `# build ${number}\nexec ./holding "$1" ${holdUs}\n`;
  Deno.writeTextFileSync(join(path, "server.sh"), script);
}

interface Stage {
  readonly repository: AbPlace;
  readonly effort: Effort;
}

async function tryOne(
  { name, holdUs }: Case,
  number: number,
  { repository, effort }: Stage,
): Promise<Trial> {
  holdFor(repository.path, holdUs, number);
  await commitAll(repository.path, `${name}, ${number}`);
  const flags = `${effort.flags} --seed ${number}`;
  const { seconds, fault, figures: { rate } } = await runAb(repository, flags, "main..HEAD");
  const { base: _, ...found } = rate;
  return { holdUs, asked: askedOf(effort), seconds, ...found, fault };
}

function sentenceOf({ holdUs, verdict, reason, seconds, fault, ...found }: Trial): string {
  const [ratio, low, high] = [found.ratio, found.low, found.high]
    .map((one) => one?.toFixed(3) ?? "?");
  const why = reason === null ? "" : ` (${reason})`;
  return `${HOLD_US} and ${holdUs} µs: ${verdict}${why}, ${ratio} [${low}, ${high}], ` +
    `after ${seconds.toFixed(0)} s${fault === null ? "" : `; ${fault}`}`;
}

/** Makes the sections from all trials in the log file, those of earlier runs included. */
function sectionsOf(trials: readonly Trial[]): Section[] {
  const rows = (row: (of: readonly Trial[], one: Case) => Omit<Row, "what">): Row[] =>
    CASES.flatMap((one) => {
      const of = trials.filter(({ holdUs }) => holdUs === one.holdUs);
      return of.length === 0 ? [] : [{ what: `${one.name} (${of.length})`, ...row(of, one) }];
    });
  return [
    {
      caption:
        "Comparisons that are right: worse of the slower build, neither worse nor better else",
      unit: "%",
      rows: rows((of, { isRight, bar }) => ({
        samples: [100 * of.filter(({ verdict }) => isRight(verdict)).length / of.length],
        bar,
      })),
    },
    {
      caption: "Capacity of the new build over that of the old one",
      unit: "×",
      rows: rows((of) => ({ samples: of.flatMap(({ ratio }) => ratio ?? []) })),
    },
    {
      caption: "Longest comparison, with its builds",
      unit: "s",
      rows: rows((of) => ({
        samples: [Math.max(...of.map(({ seconds }) => seconds))],
        bar: atMost(MOST_S),
      })),
      notes: trials.map(sentenceOf),
    },
  ];
}
