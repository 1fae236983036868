/**
 * Runs `plateau capacity` on real servers whose capacity is known, to see how often the result is within 2 % of it, and
 * how long the search takes. Arrivals are evenly spaced, so a server below its capacity has no queue, and the capacity
 * is the rate at which the server works when it is always busy.
 */
import { join } from "node:path";
import * as z from "zod";
import { printError } from "../../cli/terminal/terminal.ts";
import { textLines } from "../../report/writing/terminal.ts";
import { type CapacityResult, capacityResult } from "../../runner/result/capacity.ts";
import { medianOf } from "../../runner/stats/quantile.ts";
import { selfCommand } from "../../targets/launch/child.ts";
import { atLeast, atMost } from "../bar.ts";
import type { Bench, Row, Section } from "../bench.ts";
import { temporaryFolder } from "../stage/folder.ts";
import { startLimitedNginx } from "../stage/nginx.ts";
import { compile, placed } from "../stage/programs.ts";
import { type Server, startApp, startServer } from "../stage/server.ts";
import { keepTrial, readTrials } from "../trials.ts";

/** Largest relative error of a result that counts as correct. */
const OFF = 0.02;
const MOST_S = 180;
const BUDGET_S = 170;
const SHORT_BUDGET_S = 45;
const LIMITED_PER_SEC = 5_000;
const REFUSED = 0.001;

interface KnownServer {
  readonly name: string;
  readonly rule: string;
  readonly start: (stack: AsyncDisposableStack) => Promise<Server>;
  /** Finds the true capacity in requests per second, by a formula or by measuring the running server. */
  readonly known: (server: Server) => Promise<number>;
}

const KNOWN: readonly KnownServer[] = [
  {
    name: "holds each request 1 ms",
    rule: "p99 < 100ms",
    start: async (stack) => {
      const program = join(stack.use(temporaryFolder()).path, "holding");
      await compile(new URL("holding.c", import.meta.url), program);
      return await startServer("holding", (port) => placed("server", [program, `${port}`, "1000"]));
    },
    known: paceByItself,
  },
  {
    name: "nginx limited to 5,000/s",
    rule: `success >= ${100 * (1 - REFUSED)}%`,
    start: () => startLimitedNginx(LIMITED_PER_SEC, 100),
    known: () => Promise.resolve(LIMITED_PER_SEC / (1 - REFUSED)),
  },
  {
    name: "work, cpuTime=2ms",
    rule: "p99 < 100ms",
    start: () => startApp("work", { set: { cpuTime: "2ms" } }),
    known: paceByResponses,
  },
];

export const known: Bench = {
  about: "the search for a capacity on real servers whose capacity is known",
  rounds: 10,
  async run({ rounds, short, only = "", log }): Promise<Section[]> {
    using folder = temporaryFolder();
    const file = log ?? join(folder.path, "searches.jsonl");
    const budgetS = short ? SHORT_BUDGET_S : BUDGET_S;
    // Each round includes all servers, so that disturbances of the machine affect all of them.
    for (let round = 1; round <= rounds; round++) {
      for (const server of KNOWN.filter(({ name }) => name.includes(only))) {
        const one = await search(server, budgetS);
        keepTrial(file, one);
        printError(textLines([`  round ${round} of ${rounds}: ${sentenceOf(one)}`]));
      }
    }
    return sectionsOf(
      readTrials(file, searched).filter(({ result }) => result.budgetS === budgetS),
    );
  },
};

/** One line of the log file. */
const searched = z.strictObject({
  name: z.string(),
  truth: z.number().describe("Requests per second"),
  result: capacityResult,
});

type Found = z.output<typeof searched>;

/** Makes the sections from all searches in the log file, those of earlier runs included. */
function sectionsOf(found: readonly Found[]): Section[] {
  const of = (name: string): Found[] => found.filter((one) => one.name === name);
  const row = (name: string, value: (one: Found) => number, bar: Row["bar"]): Row => ({
    ...{ what: name, samples: of(name).map(value) },
    ...(bar === undefined ? {} : { bar }),
  });
  const names = KNOWN.map(({ name }) => name).filter((name) => of(name).length > 0);
  return [
    {
      caption: "Searches whose value is within 2 % of the known capacity",
      unit: "%",
      rows: names.map((what) => {
        const near = of(what).filter(({ result, truth }) => isNear(result, truth));
        return { what, samples: [100 * near.length / of(what).length], bar: atLeast(100) };
      }),
    },
    {
      caption: "Value over the known capacity",
      unit: "%",
      rows: names.map((name) =>
        row(name, ({ result, truth }) => 100 * (result.capacity?.value ?? 0) / truth, undefined)
      ),
    },
    {
      caption: "Time of a search",
      unit: "s",
      rows: names.map((name) => row(name, ({ result }) => result.elapsedS, atMost(MOST_S))),
      notes: found.map(sentenceOf),
    },
  ];
}

async function search({ name, rule, start, known }: KnownServer, budgetS: number): Promise<Found> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await start(stack));
  const before = await paces(server, known);
  const file = join(stack.use(temporaryFolder()).path, "capacity.json");
  const [program, args] = selfCommand([
    ...["capacity", `${server.origin}/`, "--within", rule, "--arrivals", "uniform", "-c", "64"],
    ...["--width", "2%", "--trial", "4s,12s", "--budget", `${budgetS}s`, "--json", file],
  ]);
  const [head, ...rest] = placed("rest", [program, ...args]);
  // The exit code is ignored, because an inconclusive search also has a result. The search has
  // failed only if its file is missing.
  await new Deno.Command(head, { args: rest, stdin: "null", stdout: "null", stderr: "inherit" })
    .output();
  const result = capacityResult.parse(JSON.parse(await Deno.readTextFile(file)));
  // The truth is measured both before and after the search, because the machine's speed changes
  // within minutes, and a pause of the machine lowers what is measured meanwhile.
  return { name, result, truth: medianOf([...before, ...await paces(server, known)]) };
}

/** Number of measurements of the true capacity before a search, and again after it. */
const PACES = 3;

async function paces(server: Server, known: KnownServer["known"]): Promise<number[]> {
  const found: number[] = [];
  for (let i = 0; i < PACES; i++) found.push(await known(server));
  return found;
}

function isNear({ capacity }: CapacityResult, truth: number): boolean {
  return capacity !== null && Math.abs(Math.log(capacity.value / truth)) <= Math.log1p(OFF);
}

function sentenceOf({ name, truth, result }: Found): string {
  const { capacity, end, trials, elapsedS } = result;
  const [value, low, high] = [capacity?.value, capacity?.low, capacity?.high]
    .map((rate) => rate?.toFixed(0) ?? "?");
  const times = `${trials.length} trials, ${elapsedS.toFixed(0)} s`;
  return `${name}: ${value} [${low}, ${high}], known ${truth.toFixed(0)}, ` +
    `${isNear(result, truth) ? "within" : "not within"} 2 %; ${times}, ${end}${doubtsText(result)}`;
}

/** Says why trials were not counted: `; not counted: 3 × worker-late, 1 × steal`. "" if all were counted. */
function doubtsText({ trials }: CapacityResult): string {
  const codes = trials.filter(({ counts }) => !counts)
    .flatMap(({ findings }) => findings.map(({ code }) => code));
  const texts = [...Map.groupBy(codes, (code) => code)]
    .map(([code, those]) => `${those.length} × ${code}`);
  return texts.length === 0 ? "" : `; not counted: ${texts.join(", ")}`;
}

const IN_FLIGHT = 16;
const BUSY_MS = 3_000;

/** Keeps a server busy for some seconds. @returns The body and arrival time of each response, in order of arrival. */
async function keepBusy({ origin }: Server): Promise<{ body: string; atMs: number }[]> {
  const responses: { body: string; atMs: number }[] = [];
  const endMs = performance.now() + BUSY_MS;
  const client = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const body = await (await fetch(origin)).text();
      responses.push({ body, atMs: performance.now() });
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, client));
  return responses;
}

/**
 * The first and the last response of the time in which all connections were in use, and how many responses later the
 * last one came.
 */
function steadyPart<T>(responses: readonly T[]): { first: T; last: T; between: number } {
  const [from, to] = [Math.floor(responses.length / 10), responses.length - 2 * IN_FLIGHT];
  return { first: responses[from], last: responses[to], between: to - from };
}

/** The rate of a busy server according to its own counter and clock. */
async function paceByItself(server: Server): Promise<number> {
  const taken = (await keepBusy(server)).map(({ body }) => body.split(" ").map(Number))
    .sort(([a], [b]) => a - b);
  const { first, last } = steadyPart(taken);
  return (last[0] - first[0]) / (last[1] - first[1]) * 1e9;
}

async function paceByResponses(server: Server): Promise<number> {
  const { first, last, between } = steadyPart(await keepBusy(server));
  return between / (last.atMs - first.atMs) * 1_000;
}
