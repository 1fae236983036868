/**
 * Tests whether profile runs leave the measured runs unchanged: experiments with and without profile runs are measured
 * alternately, and Plateau compares them. Also tests whether a profile has the same shares as one from Node's own
 * `--cpu-prof`, of the same server under the same load.
 */
import { join } from "node:path";
import { type FrameTime, frameTimes } from "../base/profile/frame_times.ts";
import { TargetError } from "../base/errors.ts";
import { compareResults } from "../report/subjects/comparison/comparison.ts";
import type { ResultSide } from "../report/judge/differences.ts";
import type { Results } from "../runner/result/result.ts";
import { medianOf } from "../runner/stats/quantile.ts";
import { installedAt } from "../targets/frameworks/install.ts";
import { frameworkNamed } from "../targets/frameworks/registry.ts";
import { type CpuProfile, cpuProfile, treeOfCpuProfile } from "../targets/profile/v8.ts";
import { within } from "./bar.ts";
import type { Bench, Effort, Row, Section } from "./bench.ts";
import { commandOf, RUNTIMES } from "./causes/cases.ts";
import { runExperiment } from "./causes/runs.ts";
import { CHANGE, comparedSection } from "./stage/compared.ts";
import { temporaryFolder } from "./stage/folder.ts";
import type { Command } from "./stage/programs.ts";

const [NODE] = RUNTIMES;
const PARTS = { "measured runs": measuredRuns, "--cpu-prof": besideCpuProf };

export const profiles: Bench = {
  about: "whether profiles leave measured runs as they are, and agree with Node's own",
  rounds: 16,
  async run({ only = "", ...effort }): Promise<Section[]> {
    using folder = temporaryFolder();
    const sections: Section[] = [];
    for (const [name, part] of Object.entries(PARTS)) {
      if (name.includes(only)) sections.push(...await part(effort, folder.path));
    }
    return sections;
  },
};

const RUNS = 4;

async function measuredRuns(
  { rounds, short }: Effort,
  folder: string,
): Promise<Section[]> {
  const command = commandOf(
    { runtime: NODE, command: await NODE.command(folder), folder },
    "work 2 8",
  );
  const sessions: Record<"without" | "with", Results[]> = { without: [], with: [] };
  for (let round = 0; round < rounds; round++) {
    const pair = ["without", "with"] as const;
    for (const side of round % 2 === 0 ? pair : pair.toReversed()) {
      sessions[side].push(
        await runExperiment({
          name: `${side}-${round}`,
          commands: [command],
          more: [
            "scenarios: { root: { get: / } }",
            // Discards the start, when the server compiles its code.
            `load: { duration: ${short ? "400ms" : "1300ms"}, connections: 8 }`,
            "discard: 300ms",
            `repeat: ${RUNS}`,
            ...side === "with" ? ["profile: { runs: 1 }"] : [],
          ],
        }, { runtime: NODE, folder }),
      );
    }
  }
  ensureProfiled(sessions.with);
  const [base, next] = [sessions.without, sessions.with].map(asOneSession);
  const caption = "Measured runs: how much profile runs change them at most, with 95 % confidence";
  return [comparedSection(caption, compareResults(base, next), CHANGE)];
}

/** Throws a TargetError if an experiment has no profile, or a process has no samples. */
function ensureProfiled(sessions: readonly Results[]): void {
  const samples = sessions.map(({ profiles = [] }) =>
    profiles.flatMap(({ processes }) => processes.map(({ samples }) => samples))
  );
  if (samples.some((each) => each.length === 0 || each.includes(0))) {
    throw new TargetError("Cannot measure: an experiment has no profile");
  }
}

/**
 * Joins all experiments of one side (with or without profile runs) into one. Repetitions are numbered in the order of
 * measurement, so that runs that were close in time make a pair.
 */
function asOneSession(sessions: readonly Results[]): ResultSide {
  const runs = sessions.flatMap(({ runs }, at) =>
    runs.map((run) => ({ ...run, repetition: at * RUNS + run.repetition }))
  );
  return { ...sessions[0], startedAt: "in turns", runs };
}

const FRAMEWORKS = ["express", "fastify"] as const;
type FrameworkName = typeof FRAMEWORKS[number];

const PROFILES = 3;
/**
 * Only the last part of the load, this share of its duration, is used of Node's own profiles, because Plateau's
 * profiles exclude the start-up, too.
 */
const LAST_RATIO = 0.6;
const MOST_FRAMES = 6;
/**
 * How far Plateau's and Node's shares of a function may differ: in percentage points or relative to the share,
 * whichever is more. Two profiles of one server differ by as much.
 */
const NOISE = { points: 3, ratio: 0.2 };

async function besideCpuProf({ short }: Effort, folder: string): Promise<Section[]> {
  const sections: Section[] = [];
  for (const name of FRAMEWORKS) {
    const at = installedAt(name);
    if (at === null) {
      throw new TargetError(`Cannot measure: plateau setup frameworks ${name} installs it`);
    }
    const subject = { name, at, folder, loadS: short ? 1 : 5 };
    const own = await sharesOfPlateau(subject);
    const others = await sharesOfNode(subject);
    sections.push({
      caption: `${name}: own time of functions, of ${PROFILES} profiles`,
      unit: "%",
      baseline: "--cpu-prof",
      rows: rowsOf(own, others),
    });
  }
  return sections;
}

/** The own time of each function, as a share of the total in one profile. */
type Shares = ReadonlyMap<string, number>;

function rowsOf(own: readonly Shares[], others: readonly Shares[]): Row[] {
  const of = (all: readonly Shares[], key: string): number[] =>
    all.map((shares) => 100 * (shares.get(key) ?? 0));
  return [...new Set(own.flatMap((shares) => [...shares.keys()]))]
    .map((key) => ({
      what: key,
      samples: of(own, key),
      baseline: medianOf(of(others, key)),
      bar: within(NOISE.points, NOISE.ratio),
    }))
    .sort((a, b) => medianOf(b.samples) - medianOf(a.samples))
    .slice(0, MOST_FRAMES);
}

interface Subject {
  readonly name: FrameworkName;
  /** The folder in which the framework is installed. */
  readonly at: string;
  /** The folder for files and results. */
  readonly folder: string;
  readonly loadS: number;
}

async function sharesOfPlateau({ name, at, folder, loadS }: Subject): Promise<Shares[]> {
  const { profiles = [] } = await runExperiment({
    name: `${name}-profiled`,
    commands: [serverOf(name, at)],
    more: [...staticLoad(loadS), "repeat: 1", `profile: { runs: ${PROFILES} }`],
  }, { runtime: NODE, folder });
  return profiles.map(({ tree }) => sharesOf(frameTimes(tree)));
}

async function sharesOfNode({ name, at, folder, loadS }: Subject): Promise<Shares[]> {
  const own = join(folder, `${name}-cpu-prof`);
  const flags = ["--cpu-prof", "--cpu-prof-interval=1000", `--cpu-prof-dir=${own}`];
  await runExperiment({
    name: `${name}-cpu-prof-runs`,
    commands: [serverOf(name, at, flags)],
    more: [...staticLoad(loadS), `repeat: ${PROFILES}`],
  }, { runtime: NODE, folder });
  const files = [...Deno.readDirSync(own)].map(({ name }) =>
    cpuProfile.parse(JSON.parse(Deno.readTextFileSync(join(own, name))))
  );
  // Servers that were started only for a check lived for less time than those under load.
  const loaded = files.toSorted((a, b) => lifeUsOf(b) - lifeUsOf(a)).slice(0, PROFILES);
  return loaded.map((file) => {
    const { tree } = treeOfCpuProfile(lastPart(file, LAST_RATIO * loadS));
    return sharesOf(frameTimes(tree));
  });
}

function lifeUsOf({ startTime, endTime }: CpuProfile): number {
  return endTime - startTime;
}

function staticLoad(loadS: number): string[] {
  return [
    "scenarios: { static: { get: /static } }",
    `load: { duration: ${loadS}s, connections: 20 }`,
  ];
}

/** A module that makes Node exit in the ordinary way on SIGTERM, because only then does Node write its profile. */
const ENDING = `--import=data:text/javascript,process.on("SIGTERM",()=>process.exit())`;

function serverOf(name: FrameworkName, at: string, flags: readonly string[] = []): Command {
  const { command, settings } = frameworkNamed(name);
  const [program, ...args] = command(settings.parse({}));
  const env = ["HOST=127.0.0.1", "NODE_ENV=production", "LOGGING=off"];
  return ["env", "-C", at, ...env, program, ENDING, ...flags, ...args];
}

function lastPart(
  { samples, timeDeltas, startTime, endTime, ...rest }: CpuProfile,
  seconds: number,
): CpuProfile {
  let at = startTime;
  const moments = timeDeltas.map((us) => at += us);
  const first = moments.findIndex((us) => us >= endTime - 1e6 * seconds);
  return {
    ...rest,
    startTime: moments[first] ?? endTime,
    endTime,
    samples: first < 0 ? [] : samples.slice(first),
    timeDeltas: first < 0 ? [] : [0, ...timeDeltas.slice(first + 1)],
  };
}

function sharesOf(times: readonly FrameTime[]): Shares {
  const wholeMs = times.reduce((sum, { ownMs }) => sum + ownMs, 0);
  const shares = new Map<string, number>();
  for (const { frame: { name, module }, ownMs } of times) {
    const key = module === "" ? name : `${name} of ${module}`;
    shares.set(key, (shares.get(key) ?? 0) + ownMs / wholeMs);
  }
  return shares;
}
