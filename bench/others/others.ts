/**
 * Tests how wrk and Plateau count responses that come after the time-out, or never, against the server's own counts. A
 * latency distribution that omits its slowest part, or an error count that omits requests that hang, makes a server
 * look better than it is.
 */
import type { Measurement } from "../../runner/result/result.ts";
import { atLeast, equal } from "../bar.ts";
import type { Bench, Row, Section } from "../bench.ts";
import { runPlateau } from "../stage/plateau.ts";
import { start } from "../stage/programs.ts";
import { LATE_MS, type Stalling, startStalling } from "./stalling.ts";

const TIMEOUT_S = 1;
const CONNECTIONS = 50;

export const others: Bench = {
  about: "how wrk and Plateau count responses that are late or never come",
  rounds: 3,
  async run({ rounds }): Promise<Section[]> {
    const late: Late[] = [];
    const never: Never[] = [];
    for (let round = 0; round < rounds; round++) {
      late.push(await measureLate());
      never.push(await measureNever());
    }
    return [lateSection(late), neverSection(never)];
  },
};

interface Late {
  readonly wrkMs: number;
  readonly plateauMs: number;
}

async function measureLate(): Promise<Late> {
  await using server = startStalling();
  const url = `${server.origin}/late`;
  const wrkMs = p99Ms(await runWrk(url));
  const { latency } = await load(url);
  return { wrkMs, plateauMs: latency.percentiles["99"] };
}

/** For each generator, the number of requests that got no response: as reported by the generator, and in reality. */
interface Never {
  readonly wrk: Counted;
  readonly plateau: Counted;
}

interface Counted {
  readonly reported: number;
  readonly real: number;
}

async function measureNever(): Promise<Never> {
  const wrk = await counted((url) => runWrk(url).then(timeoutsOf));
  const plateau = await counted((url) =>
    load(url).then(({ requests: { failed, unfinished } }) => failed + unfinished)
  );
  return { wrk, plateau };
}

async function counted(reports: (url: string) => Promise<number>): Promise<Counted> {
  await using server: Stalling = startStalling();
  const reported = await reports(`${server.origin}/never`);
  return { reported, real: server.unanswered() };
}

function lateSection(late: readonly Late[]): Section {
  const row = (what: string, samples: number[]): Row => ({ what, samples, baseline: LATE_MS });
  return {
    caption: `p99 where one response of 50 takes ${LATE_MS} ms, with a time-out of ${TIMEOUT_S} s`,
    unit: "ms",
    baseline: "truth",
    rows: [
      row("wrk", late.map(({ wrkMs }) => wrkMs)),
      {
        ...row("Plateau, a lower bound", late.map(({ plateauMs }) => plateauMs)),
        bar: atLeast(TIMEOUT_S * 999),
      },
    ],
  };
}

function neverSection(never: readonly Never[]): Section {
  const row = (what: string, counts: readonly Counted[]): Row => ({
    what,
    samples: counts.map(({ reported }) => reported),
    baseline: counts[0].real,
  });
  return {
    caption: "Requests that never get a response, as reported",
    unit: "requests",
    baseline: "counted by the server in the first round",
    rows: [
      row("wrk", never.map(({ wrk }) => wrk)),
      { ...row("Plateau", never.slice(0, 1).map(({ plateau }) => plateau)), bar: equal },
    ],
  };
}

function runWrk(url: string): Promise<string> {
  const flags = `-t1 -c${CONNECTIONS} -d4s --timeout ${TIMEOUT_S}s --latency`.split(" ");
  return start(["wrk", ...flags, url]).output;
}

function load(url: string): Promise<Measurement> {
  const flags = `-c ${CONNECTIONS} -d 4s -t ${TIMEOUT_S}s`.split(" ");
  return runPlateau(url, flags, "anywhere");
}

const MS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000 };

function p99Ms(output: string): number {
  const [, value, unit] = / 99%\s+([\d.]+)(us|ms|s)/.exec(output) ?? [];
  return Number(value) * MS[unit];
}

/** The number of time-outs in wrk's output, which has a line for errors only if there were any. */
function timeoutsOf(output: string): number {
  return Number(/timeout (\d+)/.exec(output)?.[1] ?? 0);
}
