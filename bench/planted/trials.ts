/** One `plateau ab` after the other on planted commits, and the lines in which they are kept. */
import * as z from "zod";
import { TargetError } from "../../base/errors.ts";
import { runAb } from "../stage/ab.ts";
import { startNeighbour } from "./neighbour.ts";
import { type App, APPS, type Planted, ROUNDS_OF_A_REQUEST } from "./repository.ts";

const ratio = z.number().nullable();

/** A line of the file. */
export const trial = z.strictObject({
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

const CALIBRATED = 8;

/**
 * Without a neighbour: the app's CPU time for a request, and what a round of its loop adds to it. That is more than the
 * loop alone takes at its best.
 * @param asked Flags of `ab`: a request takes longer while its program is compiled, so runs must be as long.
 */
export async function knownOf(app: App, asked: string, repository: Planted): Promise<Known> {
  const rounds = ROUNDS_OF_A_REQUEST[app];
  await repository.commit(app, rounds, `${app}: about twice as slow`);
  const duration = /--duration \S+/.exec(asked)?.[0] ?? "";
  const flags = `--order blocks --repeat ${CALIBRATED} --confirm no ${duration}`.trim();
  const { figures: { cpuPerRequest: { base, ratio } } } = await runAb(
    repository,
    flags,
    "main..HEAD",
  );
  if (base === null || ratio === null || ratio <= 1) {
    throw new TargetError("Cannot measure: the CPU time of the app or of its loop is unknown");
  }
  const serviceUs = 1_000 * base;
  return { serviceUs, roundNs: 1_000 * serviceUs * (ratio - 1) / rounds };
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
  const args = `${flags} --seed ${seed}`;
  const { code, seconds, stdout, figures } = await runAb(repository, args, "main..HEAD");
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
