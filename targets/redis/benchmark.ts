/**
 * Measures, from this machine, the peak throughput of a Redis with the benchmark program that comes with Redis: GET of
 * one key over 50 connections, without pipelining.
 */
import { parse } from "csv-parse/sync";
import * as z from "zod";
import { messageOf } from "../../base/errors.ts";
import { cleanEnv, findProgram } from "../launch/environment.ts";
import { outputOfProgram } from "../launch/step.ts";
import { connectRedis } from "./client.ts";

const PROGRAMS = ["redis-benchmark", "valkey-benchmark"];
/**
 * The number of requests in a round, which is one run of the benchmark program. If Redis is fast, a round takes less
 * than a second.
 */
const REQUESTS = 100_000;
const CONNECTIONS = 50;
/** The time limit for all rounds together, because redis-benchmark never gives up if nothing responds. */
const LIMIT_MS = 60_000;

/** Enough rounds for a confidence interval. */
const ROUNDS = 3;

interface RedisBenchmark {
  /** The mean of the rounds. */
  readonly perSec: number;
  readonly rounds: number[];
  /** The program with its version, and the load that it generates. */
  readonly by: string;
}

interface BenchmarkOptions {
  readonly signal: AbortSignal;
  readonly env?: Record<string, string>;
  /** The number of requests in each round. */
  readonly requests?: number;
}

/** Measures the peak throughput. Throws an Error that says why it can't be measured. */
export async function benchmarkRedis(
  url: string,
  { signal, env = cleanEnv(), requests = REQUESTS }: BenchmarkOptions,
): Promise<RedisBenchmark> {
  const place = { path: env.PATH ?? "", cwd: Deno.cwd() };
  const program = PROGRAMS.map((name) => findProgram(name, place)).find((path) => path !== null);
  if (program === undefined) {
    throw new Error(`neither ${PROGRAMS.join(" nor ")} is on PATH (apt-get install redis-tools)`);
  }
  const where = whereIs(url);
  (await connectRedis(url)).destroy();
  const limited = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  const version = (await outputOf(program, ["--version"], { env, signal: limited })).trim();
  const load = ["-t", "get", "-n", `${requests}`, "-c", `${CONNECTIONS}`, "--csv"];
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push(perSecIn(await outputOf(program, [...where, ...load], { env, signal: limited })));
  }
  const perSec = rounds.reduce((sum, round) => sum + round, 0) / ROUNDS;
  const by = `${version}: GET, ${CONNECTIONS} connections, no pipelining, ${requests} requests`;
  return { perSec, rounds, by };
}

/**
 * The options that tell redis-benchmark the server's address. Throws an Error if the server needs a password, because
 * anybody on the machine can read a program's arguments, or if it needs TLS.
 */
function whereIs(url: string): string[] {
  const { protocol, hostname, port, password } = new URL(url);
  if (password !== "") {
    throw new Error(
      "redis-benchmark accepts a password only as an argument, which everybody on the machine can read",
    );
  }
  if (protocol !== "redis:") throw new Error("it needs TLS");
  return ["-h", hostname.replace(/^\[|\]$/g, ""), "-p", port || "6379"];
}

async function outputOf(
  program: string,
  args: readonly string[],
  { env, signal }: { env: Record<string, string>; signal: AbortSignal },
): Promise<string> {
  const { success, stdout, stderr } = await outputOfProgram([program, ...args], { env, signal })
    .catch((error: unknown) => {
      throw signal.aborted
        ? new Error(`redis-benchmark did not end: ${messageOf(signal.reason)}`)
        : error;
    });
  const decoder = new TextDecoder();
  if (success) return decoder.decode(stdout);
  throw new Error(
    decoder.decode(stderr).trim().split("\n")[0] || "redis-benchmark failed without a message",
  );
}

/** One line for each test, with its name, requests/s and latencies. Versions from 6.2 print a header line first. */
const rows = z.array(z.array(z.string()))
  .transform((all) => all.filter(([test]) => test !== "test"))
  .pipe(z.tuple([
    z.tuple([z.literal("GET"), z.coerce.number<string>().positive()]).rest(z.string()),
  ]));

/** The requests/s in the output of `redis-benchmark -t get --csv`. Throws an Error if there are none. */
export function perSecIn(csv: string): number {
  const read = rows.safeParse(parse(csv, { relax_column_count: true, skip_empty_lines: true }));
  if (!read.success) {
    throw new Error(`redis-benchmark printed no figure for GET: ${JSON.stringify(csv)}`);
  }
  return read.data[0][1];
}
