/** One `plateau ab` after the other on planted commits, and the lines in which they are kept. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { TargetError } from "../../base/errors.ts";
import { selfCommand } from "../../targets/launch/child.ts";
import { temporaryFolder } from "../stage/folder.ts";
import { startNeighbour } from "./neighbour.ts";
import { type App, APPS, type Planted } from "./repository.ts";

const ratio = z.number().nullable();

/** A line of the file. */
const trial = z.strictObject({
  app: z.enum(APPS),
  planted: z.number().min(0).describe("Share of the service time of a request; 0 for none"),
  service: z.number().describe("CPU time of the app for a request as it is, µs"),
  loop: z.number().describe("The loop's length, µs: its rounds by what one takes"),
  flags: z.string().describe("Of ab"),
  code: z.int().describe("Exit code of ab"),
  seconds: z.number().describe("From its start to its end, both builds included"),
  rate: ratio.describe("HEAD over BASE, before the confirmation"),
  p99: ratio,
  cpu: ratio,
  alarms: z.array(z.string()).describe("Figures that ab called worse or doubtful, as it says so"),
});

export type Trial = z.output<typeof trial>;

/** What was measured before, in this run of the bench or an earlier one. */
export function readTrials(file: string): Trial[] {
  if (!existsSync(file)) return [];
  const lines = Deno.readTextFileSync(file).split("\n").filter((line) => line !== "");
  return lines.map((line) => trial.parse(JSON.parse(line)));
}

export function keepTrial(file: string, one: Trial): void {
  Deno.writeTextFileSync(file, `${JSON.stringify(one)}\n`, { append: true });
}

export interface Asked {
  readonly app: App;
  readonly planted: number;
  readonly flags: string;
  readonly seed: number;
}

/** Of an app as it is. */
export interface Known {
  readonly serviceUs: number;
  readonly roundNs: number;
}

/** Without a neighbour: the app's CPU time for a request, and what a round of its loop takes. */
export async function knownOf(app: App, repository: Planted): Promise<Known> {
  const flags = `--only target=${app} --repeat 3 --confirm no`;
  const { comparison: { cells: [{ figures }] } } = await ab(repository, flags, "HEAD..HEAD");
  const { base } = figures.cpuPerRequest;
  if (base === null) throw new TargetError("Cannot measure: the CPU time of the app is unknown");
  return { serviceUs: 1_000 * base, roundNs: await repository.roundNs(app) };
}

/** Plants a new commit and asks `ab` about it, beside a neighbour. */
export async function tryOne(
  { app, planted, flags, seed }: Asked,
  { serviceUs, roundNs }: Known,
  repository: Planted,
): Promise<Trial> {
  const rounds = Math.round(1_000 * serviceUs * planted / roundNs);
  await repository.commit(app, rounds, `${app}: ${100 * planted} % slower, ${seed}`);
  using _neighbour = startNeighbour(seed);
  const args = `${flags} --only target=${app} --seed ${seed}`;
  const { code, seconds, stdout, comparison } = await ab(repository, args, "main..HEAD");
  const [{ figures }] = comparison.cells;
  return {
    ...{ app, planted, flags, code, seconds: rounded(seconds) },
    ...{ service: rounded(serviceUs), loop: rounded(rounds * roundNs / 1_000) },
    rate: figures.rate.ratio,
    p99: figures.p99.ratio,
    cpu: figures.cpuPerRequest.ratio,
    alarms: [...stdout.matchAll(/^(?:Worse|Doubtful) .*$/gm)].map(([line]) => line),
  };
}

function rounded(value: number): number {
  return Math.round(1_000 * value) / 1_000;
}

const figure = z.object({ base: z.number().nullable(), ratio });
const comparisonShape = z.object({
  cells: z.array(z.object({
    figures: z.object({ rate: figure, p99: figure, cpuPerRequest: figure }),
  })).length(1),
});
interface Ended {
  readonly code: number;
  readonly seconds: number;
  readonly stdout: string;
  readonly comparison: z.output<typeof comparisonShape>;
}

/** Verdicts by exit code: worse, inconclusive, neither. Throws a TargetError on any other. */
const VERDICTS: readonly number[] = [0, 1, 5];

async function ab({ path, env }: Planted, flags: string, range: string): Promise<Ended> {
  using folder = temporaryFolder();
  const json = join(folder.path, "comparison.json");
  const out = join(folder.path, "out");
  const [program, args] = selfCommand([
    ...["ab", range, "experiment.yaml", ...flags.split(" ")],
    ...["--json", json, "--out", out, "--quiet"],
  ]);
  const since = performance.now();
  const ended = await new Deno.Command(program, { args, cwd: path, env, stdin: "null" }).output();
  const seconds = (performance.now() - since) / 1_000;
  const [stdout, stderr] = [ended.stdout, ended.stderr].map((bytes) =>
    new TextDecoder().decode(bytes)
  );
  if (!VERDICTS.includes(ended.code)) {
    const last = stderr.trim().split("\n").slice(-5);
    throw new TargetError(`Cannot measure: plateau ab exited with code ${ended.code}`, last);
  }
  const comparison = comparisonShape.parse(JSON.parse(Deno.readTextFileSync(json)));
  return { code: ended.code, seconds, stdout, comparison };
}
