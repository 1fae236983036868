/**
 * Capacities of two builds compared, as `compare` and the verdict of an experiment do: the same build twice, and one whose
 * times are all 1/0.9 as long, so that its capacity is exactly 10 % lower. Every search is simulated; processes and
 * sessions differ in pace besides.
 */
import { meanOfSessions } from "../../runner/stats/comparison/sessions.ts";
import { type Estimate, estimateOfMean } from "../../runner/stats/confidence/bootstrap.ts";
import { atLeast } from "../bar.ts";
import type { Bench, Row, Section } from "../bench.ts";
import { Random } from "../statistics/random.ts";
import { verdictOnRates } from "../statistics/verdicts.ts";
import { type ServerModel, SERVERS } from "./servers.ts";
import { simulateSearch } from "./simulation.ts";

const COMPARISONS = { all: 500, short: 50 };
/** Searches of each server, drawn from for all comparisons. */
const SEARCHES = { all: 100, short: 10 };
/** Standard deviations of pace, from process to process and from session to session. */
const PROCESS = 0.01;
const SESSION = 0.01;
const SLOWER = 0.9;

interface Way {
  readonly name: string;
  readonly runs: number;
  /** Of each side; 1: both sides are in one. */
  readonly sessions: number;
}

const WAYS: readonly Way[] = [
  { name: "one experiment, 5 runs each", runs: 5, sessions: 1 },
  { name: "compare, 4 sessions a side of 2 runs", runs: 2, sessions: 4 },
];

export const builds: Bench = {
  about: "capacities of two builds compared: the same one twice, and one that is 10 % slower",
  rounds: 1, // the seeds are fixed
  run({ short }): Promise<Section[]> {
    const effort = short ? "short" : "all";
    const pools = SERVERS.map((server) => poolOf(server, SEARCHES[effort]));
    const section = (
      caption: string,
      slower: number,
      of: (verdict: string) => boolean,
    ): Section => ({
      caption,
      unit: "% of comparisons",
      rows: WAYS.flatMap((way) =>
        pools.map((pool) => verdictsRow(pool, way, { slower, of, count: COMPARISONS[effort] }))
      ),
    });
    return Promise.resolve([
      section("10 % slower is called worse", SLOWER, (verdict) => verdict === "worse"),
      section(
        "The same build is called neither better nor worse",
        1,
        (verdict) => verdict === "equivalent" || verdict === "inconclusive",
      ),
    ]);
  },
};

interface Pool {
  readonly server: ServerModel;
  /** What searches found, requests per second. */
  readonly found: readonly number[];
}

function poolOf(server: ServerModel, searches: number): Pool {
  const found = Array.from({ length: searches }, (_, seed) => simulateSearch(server, seed))
    .flatMap(({ estimate }) => estimate?.value ?? []);
  return { server, found };
}

interface Wanted {
  readonly slower: number;
  readonly of: (verdict: string) => boolean;
  readonly count: number;
}

function verdictsRow({ server, found }: Pool, way: Way, { slower, of, count }: Wanted): Row {
  const random = new Random(1);
  let right = 0;
  for (let i = 0; i < count; i++) {
    const [base, next] = [1, slower].map((pace) => sideOf(random, found, { ...way, pace }));
    if (of(verdictOnRates(base, next, way.sessions === 1 ? "one" : "several").verdict)) right++;
  }
  const bar = atLeast(slower === 1 ? 95 : 90);
  return { what: `${server.name}: ${way.name}`, samples: [100 * right / count], bar };
}

/** The requests/s of a build, by run or by session. */
function sideOf(
  random: Random,
  found: readonly number[],
  { runs, sessions, pace }: Way & { readonly pace: number },
): Estimate {
  const bySession = Array.from({ length: sessions }, () => {
    // Both sides of one session have its pace.
    const session = sessions === 1 ? 1 : Math.exp(SESSION * random.normal());
    const values = Array.from(
      { length: runs },
      () =>
        pace * session * Math.exp(PROCESS * random.normal()) *
        found[random.whole(0, found.length - 1)],
    );
    return estimateOfRuns(values, sessions);
  });
  return sessions === 1 ? bySession[0] : meanOfSessions(bySession);
}

function estimateOfRuns(values: readonly number[], sessions: number): Estimate {
  const repetitions = values.map((_, i) => i + 1);
  const estimate = estimateOfMean(values, { session: sessions === 1 ? "one" : null, repetitions });
  if (estimate === null) throw new Error("Too few runs for an estimate");
  return estimate;
}
