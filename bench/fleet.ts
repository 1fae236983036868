/** Measures what each agent costs a coordinator per second, and which resource runs out first as agents are added. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectRedis } from "../targets/redis/client.ts";
import { nowMs } from "../runner/fleet/protocol/redis_link.ts";
import { medianOf } from "../runner/stats/quantile.ts";
import { formatNumber } from "../report/writing/units.ts";
import { atMost } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";
import { record } from "./fleet/recording.ts";
import { startSenders } from "./fleet/senders.ts";
import { type Look, watchCoordinator } from "./fleet/watch.ts";
import { interleaved } from "./rounds.ts";
import { childrenCpuUs } from "./stage/children_cpu.ts";
import { temporaryFolder } from "./stage/folder.ts";
import { startNginx } from "./stage/nginx.ts";
import { privateRedis } from "./stage/redis.ts";
import { parseMeasurement, plateauCommand } from "./stage/plateau.ts";
import { start } from "./stage/programs.ts";

/**
 * The fleets to measure. Agents at full speed send the largest reports, because their latencies have the widest range.
 */
const FLEETS = {
  "10 agents": { agents: 10, isFull: false },
  "100 agents": { agents: 100, isFull: false },
  "100 agents at full speed": { agents: 100, isFull: true },
  "1,000 agents": { agents: 1_000, isFull: false },
} as const;

type Name = keyof typeof FLEETS;
const NAMES = Object.keys(FLEETS).filter((name): name is Name => name in FLEETS);
/** The fleets that a short run measures. */
const SHORT_NAMES = NAMES.slice(0, 2);
/** The two fleets whose difference gives the cost of one more agent. */
const FEWER = "100 agents";
const MORE = "1,000 agents";

/** The number of workers that an agent has on a machine with four cores. */
const WORKERS_EACH = 2;
const CONNECTIONS_EACH = 100;
/**
 * The rate of an agent that is not at full speed. A thousand such agents reach the highest rate that Plateau allows.
 */
const RATE_PER_SEC = 1_000;
/** The length of the intervals of `plateau bench`. */
const INTERVAL_MS = 250;
/** The URL of the target. Nothing is sent to it, because simulated agents send no requests. */
const TARGET = "http://127.0.0.1:9/";

interface Used {
  /** The CPU time used per second of load, as a share of one core. */
  readonly cpu: number;
  readonly redisCpu: number;
  readonly mbPerSec: number;
  readonly commandsPerSec: number;
  readonly mostMb: number;
  readonly redisMostMb: number;
  /** The seconds from the end of the load to the result. */
  readonly afterSec: number;
  /** The number of requests that are missing from the result, or that it has in excess. */
  readonly wrong: number;
}

interface Played {
  readonly path: string;
  /** The number of requests that the recorded worker completed. */
  readonly completed: number;
}

export const fleet: Bench = {
  about: "what a coordinator costs for each agent and second, with simulated agents",
  rounds: 1,
  async run({ rounds, short }): Promise<Section[]> {
    const names = short ? SHORT_NAMES : NAMES;
    const durationMs = short ? 4_000 : 20_000;
    using folder = temporaryFolder();
    const steady = await recordTo(join(folder.path, "steady.json"), durationMs, RATE_PER_SEC);
    const full = short ? steady : await recordTo(join(folder.path, "full.json"), durationMs, null);
    const seen = await interleaved(names, rounds, (name) => {
      const { agents, isFull } = FLEETS[name];
      return measure(agents, { played: isFull ? full : steady, durationMs });
    });
    return sectionsOf(new Map(names.map((name) => [name, seen[name]])));
  },
};

async function recordTo(
  path: string,
  durationMs: number,
  ratePerSec: number | null,
): Promise<Played> {
  await using nginx = await startNginx();
  const connections = CONNECTIONS_EACH / WORKERS_EACH;
  const perWorker = ratePerSec === null ? null : ratePerSec / WORKERS_EACH;
  const load = { connections, durationMs, intervalMs: INTERVAL_MS, ratePerSec: perWorker };
  const recorded = await record(nginx.origin, load);
  writeFileSync(path, JSON.stringify(recorded));
  return { path, completed: recorded.report.totals.completed };
}

async function measure(
  agents: number,
  { played: { path, completed }, durationMs }: {
    readonly played: Played;
    readonly durationMs: number;
  },
): Promise<Used> {
  await using stack = new AsyncDisposableStack();
  const url = await privateRedis(stack);
  const client = stack.adopt(await connectRedis(url), (client) => client.destroy());
  stack.use(await startSenders({ url, client, path, agents, workersEach: WORKERS_EACH }));
  const flags = ["--agents", "all", "--redis", url, "-c", `${CONNECTIONS_EACH * agents}`];
  const beforeUs = childrenCpuUs();
  const { pid, output } = start(plateauCommand(TARGET, [...flags, "-d", `${durationMs}ms`]));
  let overMs: number | null = null;
  const over = output.finally(() => overMs = nowMs());
  const [{ looks, startMs }, json] = await Promise.all([
    watchCoordinator(pid, client, () => overMs !== null),
    over,
  ]);
  const cpuMs = (childrenCpuUs() - beforeUs) / 1_000;
  const { requests } = parseMeasurement(json);
  return {
    ...usedIn(looks.filter(({ atMs }) => atMs >= startMs), { cpuMs, durationMs }),
    afterSec: ((overMs ?? NaN) - startMs - durationMs) / 1_000,
    wrong: Math.abs(requests.completed - agents * WORKERS_EACH * completed),
  };
}

/**
 * The resources that the coordinator and Redis used per second of load. Work that is done only after the load counts,
 * too.
 * @param looks The samples since the start of the coordinator.
 */
function usedIn(
  looks: readonly Look[],
  { cpuMs, durationMs }: { readonly cpuMs: number; readonly durationMs: number },
): Omit<Used, "afterSec" | "wrong"> {
  const [first, last] = [looks[0], looks[looks.length - 1]];
  const most = (figure: (look: Look) => number): number => Math.max(...looks.map(figure));
  const each = (figure: (look: Look) => number): number =>
    (figure(last) - figure(first)) / durationMs;
  return {
    cpu: (cpuMs - first.cpuMs) / durationMs,
    redisCpu: each(({ redisCpuMs }) => redisCpuMs),
    mbPerSec: each(({ redisBytes }) => redisBytes) / 1_000,
    commandsPerSec: each(({ redisCommands }) => redisCommands) * 1_000,
    mostMb: most(({ memoryBytes }) => memoryBytes) / 1e6,
    redisMostMb: most(({ redisMemoryBytes }) => redisMemoryBytes) / 1e6,
  };
}

type Seen = ReadonlyMap<Name, readonly Used[]>;

const FIGURES = {
  cpu: { caption: "CPU of the coordinator for each second of the load", unit: "s", most: 1 },
  mostMb: { caption: "Resident memory of the coordinator, the most", unit: "MB", most: 1_000 },
  redisCpu: { caption: "CPU of Redis for each second of the load", unit: "s" },
  redisMostMb: { caption: "Memory of Redis, the most", unit: "MB" },
  mbPerSec: { caption: "Into and out of Redis", unit: "MB/s" },
  commandsPerSec: { caption: "Commands that Redis carries out", unit: "1/s" },
  afterSec: { caption: "From the end of the load to the result", unit: "s" },
  wrong: { caption: "Requests missing in the result, or too many", unit: "count", most: 0 },
} satisfies Record<keyof Used, { caption: string; unit: string; most?: number }>;

function sectionsOf(seen: Seen): Section[] {
  const keys = Object.keys(FIGURES) as (keyof Used)[];
  const sections = keys.map((key): Section => {
    const { caption, unit, most } = { most: undefined, ...FIGURES[key] };
    const rows = [...seen].map(([what, runs]) => ({
      what,
      samples: runs.map((run) => run[key]),
      bar: most === undefined ? undefined : atMost(most),
    }));
    return { caption, unit, rows };
  });
  const notes = limitsOf(seen);
  return notes.length === 0
    ? sections
    : [...sections, { caption: "Limits", unit: "", rows: [], notes }];
}

/** The resources that may limit the size of a fleet, each with its limit. */
const LIMITS = {
  cpu: { what: "a core of the coordinator", limit: 1 },
  redisCpu: { what: "a core of Redis", limit: 1 },
  mostMb: { what: "1 GB of the coordinator's memory in a run of this length", limit: 1_000 },
  mbPerSec: { what: "1 Gbit/s into and out of Redis", limit: 125 },
} satisfies Partial<Record<keyof Used, { what: string; limit: number }>>;

/**
 * The number of agents at which Redis reaches its default limit of 10,000 clients. An agent has three connections: for
 * plain keys, for BullMQ, and for BullMQ's worker.
 */
const MOST_LINKED = 10_000 / 3;

/** Says how many agents reach each limit, by linear extrapolation from the two fleets FEWER and MORE. */
function limitsOf(seen: Seen): string[] {
  const [some, many] = [seen.get(FEWER), seen.get(MORE)];
  if (some === undefined || many === undefined) return [];
  const keys = Object.keys(LIMITS) as (keyof typeof LIMITS)[];
  const reached = keys.map((key) => {
    const at = (runs: readonly Used[]): number => medianOf(runs.map((run) => run[key]));
    const each = (at(many) - at(some)) / (FLEETS[MORE].agents - FLEETS[FEWER].agents);
    const { what, limit } = LIMITS[key];
    return { what, agents: FLEETS[MORE].agents + (limit - at(many)) / each };
  });
  const connections = {
    what: "as many connections as Redis takes by default",
    agents: MOST_LINKED,
  };
  const inOrder = [...reached, connections].sort((a, b) => a.agents - b.agents);
  const told = inOrder.map(({ what, agents }) =>
    `${what} at some ${formatNumber(agents, 2)} agents`
  );
  return [`By what the last agents cost, a fleet comes to ${told.join(", to ")}.`];
}
