/** Runs `plateau ab` on planted commits, one after the other, and keeps each result as a line of a log. */
import * as z from "zod";
import { TargetError } from "../../base/errors.ts";
import { runAb } from "../stage/ab.ts";
import { startNeighbour } from "./neighbour.ts";
import { type App, APPS, type Planted, ROUNDS_OF_A_REQUEST } from "./repository.ts";

const ratio = z.number().nullable();

export const trial = z.strictObject({
  app: z.enum(APPS),
  planted: z.number().min(0).describe("Share of the service time of a request; 0 for none"),
  service: z.number().describe("CPU time of the app for a request as it is, µs"),
  loop: z.number().describe("The loop's length, µs: its rounds by what one takes"),
  drawn: z.number().min(0).max(1).default(1)
    .describe(
      "Share of the starts of both sides that are slower, which each draws; 1: all of HEAD alone",
    ),
  flags: z.string().describe("Of ab"),
  code: z.int().describe("Exit code of ab"),
  seconds: z.number().describe("From its start to its end, both builds included"),
  measuredS: z.number().nullable().default(null).describe("The same without the builds"),
  rate: ratio.describe("HEAD over BASE, before the confirmation"),
  p99: ratio,
  cpu: ratio,
  alarms: z.array(z.string()).describe("Figures that ab called worse or doubtful, as it says so"),
});

export type Trial = z.output<typeof trial>;

interface Asked {
  readonly app: App;
  readonly planted: number;
  readonly drawn: number;
  readonly flags: string;
  readonly seed: number;
}

/** What was measured on an unchanged app: the CPU time of a request, and what a round of the loop adds to it. */
export interface Known {
  readonly serviceUs: number;
  readonly roundNs: number;
}

const CALIBRATED = 8;

/**
 * The flags for an `ab` that calibrates an app, with runs of the same length as those of a case.
 * @param asked The flags of the case.
 */
export function calibrationFlags(asked: string): string {
  const [order = "", duration = ""] = [/--order \S+/, /--duration \S+/]
    .map((flag) => flag.exec(asked)?.[0]);
  return `${order} --repeat ${CALIBRATED} --confirm no ${duration}`.trim();
}

/**
 * Measures, without a neighbour, the app's CPU time per request and the time that one round of the loop adds to it. The
 * round is timed inside the app, because there it adds more time than it takes in the loop alone.
 *
 * @param asked The flags of the case. Runs are as long here as in the case, because a request takes longer while the
 * program is still being compiled.
 */
export async function knownOf(app: App, asked: string, repository: Planted): Promise<Known> {
  const rounds = ROUNDS_OF_A_REQUEST[app];
  await repository.commit(app, rounds, `${app}: about twice as slow`);
  const flags = calibrationFlags(asked);
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

/** Plants a new commit, and runs `ab` on it beside a neighbour. */
export async function tryOne(
  { app, planted, drawn, flags, seed }: Asked,
  { serviceUs, roundNs }: Known,
  repository: Planted,
): Promise<Trial> {
  const rounds = Math.round(1_000 * serviceUs * planted / roundNs);
  const isOfBoth = drawn < 1;
  const message = `${app}: ${100 * planted} % slower, ${seed}`;
  if (isOfBoth) await repository.commit(app, rounds, `${message}, as before`, drawn);
  await repository.commit(app, rounds, message, drawn);
  using _neighbour = startNeighbour(seed);
  const range = isOfBoth ? "HEAD~1..HEAD" : "main..HEAD";
  const ended = await runAb(repository, `${flags} --seed ${seed}`, range);
  const { code, seconds, measuredS, stdout, figures } = ended;
  return {
    ...{ app, planted, drawn, flags, code, seconds: rounded(seconds) },
    measuredS: rounded(measuredS),
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
