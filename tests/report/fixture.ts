/**
 * Results as an experiment would leave them, made from a seed: latencies are drawn, recorded in real
 * histograms and interval histograms, and the whole passes the schema.
 */
import { type Measurement, type Results, results, type Run } from "../../runner/result/result.ts";
import { drawMeasurement } from "./drawing.ts";
import { ANSWER_BYTES, INTERVAL_S, type Random, randomFrom } from "./intervals.ts";

/** What a cell of the fixture is like. */
export interface CellSpec {
  readonly target: string;
  readonly scenario: string;
  readonly parameters?: Run["parameters"];
  /** Median latency, ms; requests/s follow from it and the connections. */
  readonly medianMs: number;
  readonly runs?: number;
  readonly connections?: number;
  /** Seconds. */
  readonly duration?: number;
  /** Latency of the first intervals is this many times that of the later ones. */
  readonly warmUp?: number;
  /** Share of the requests that take two to six times as long; default 1 %. */
  readonly slowRatio?: number;
  /** Share of the requests that time out. */
  readonly timeoutRatio?: number;
  /** Share of the answers with status 500, which the scenario refuses. */
  readonly wrongRatio?: number;
  readonly reasons?: readonly string[];
  /** False: a url target, which cannot be watched. */
  readonly watched?: boolean;
  /** The parts of the target, or Redis, and the cores that each uses. */
  readonly parts?: readonly { role: "gateway" | "redis"; name: string; cores: number }[];
}

export interface FixtureSpec {
  /** Of what is drawn; default 42. */
  readonly seed?: number;
  readonly startedAt?: string;
  readonly name?: string;
  readonly title?: string;
  readonly cells: readonly CellSpec[];
  readonly missing?: Results["missing"];
  readonly state?: Results["state"];
  readonly experiment?: Record<string, unknown>;
  readonly machine?: Partial<Results["machine"]>;
}

export function resultsFixture(spec: FixtureSpec): Results {
  const random = randomFrom(spec.seed ?? 42);
  const runs = spec.cells.flatMap((cell) =>
    Array.from({ length: cell.runs ?? 1 }, (_, i) => runFixture(cell, i + 1, random))
  ).map((run, i) => ({ ...run, order: i + 1 }));
  return results.parse({
    schema: "plateau.results/2",
    version: "0.1.0",
    experiment: { name: spec.name ?? "fixture", title: spec.title, ...experimentOf(spec) },
    source: `name: ${spec.name ?? "fixture"}\n# as written\n`,
    seed: 42,
    machine: { ...MACHINE, ...spec.machine },
    commit: { hash: "0123456789abcdef0123456789abcdef01234567", dirty: false },
    settings: "5e".repeat(32),
    redis: null,
    startedAt: spec.startedAt ?? "2031-05-04T10:18:00.000Z",
    finishedAt: spec.state === "running" ? null : "2031-05-04T10:18:54.000Z",
    state: spec.state ?? "done",
    planned: runs.length + (spec.missing?.length ?? 0),
    runs,
    missing: spec.missing ?? [],
  });
}

export const MACHINE: Results["machine"] = {
  os: "linux",
  kernel: "6.1.0",
  arch: "x86_64",
  hostname: "bench-1",
  cpu: "Some CPU @ 2.40GHz",
  cores: 4,
  allowedCores: 4,
  governor: "performance",
  turbo: false,
  memory: 16_777_216_000,
  limits: { cores: null, memory: null },
  container: null,
  virtual: null,
  openFiles: 65_536,
  ports: [32_768, 60_999],
  deno: "2.9.6",
  v8: "15.0",
};

function experimentOf({ cells, experiment }: FixtureSpec): Record<string, unknown> {
  return {
    targets: Object.fromEntries(cells.map(({ target }) => [target, { app: "api" }])),
    scenarios: Object.fromEntries(cells.map(({ scenario }) => [scenario, { get: `/${scenario}` }])),
    ...experiment,
  };
}

function runFixture(cell: CellSpec, repetition: number, random: Random): Run {
  const { target, scenario, parameters = {}, watched = true, duration = 3 } = cell;
  const cores = 0.6 + random() * 0.4;
  return {
    ...measurementFixture(cell, random),
    target,
    scenario,
    parameters,
    repetition,
    order: 1,
    startUp: watched ? 80 + random() * 40 : null,
    runtime: watched ? "node v20.20.2" : null,
    startedAt: "2031-05-04T10:18:01.000Z",
    resources: !watched ? [] : resourcesFixture(duration, () => ({
      cpu: cores * (0.95 + random() * 0.1),
      memory: Math.round(60e6 + 1e6 * random()),
    })),
    ...cell.parts && {
      parts: cell.parts.map(({ role, name, cores }) => ({
        role,
        name,
        points: resourcesFixture(duration, () => ({ cpu: cores, memory: 8e6 })),
      })),
    },
  };
}

function resourcesFixture(
  duration: number,
  used: () => { cpu: number; memory: number },
): Run["resources"] {
  return Array.from({ length: duration / INTERVAL_S }, (_, i) => {
    const { cpu, memory } = used();
    const times = { endS: (i + 1) * INTERVAL_S, cpu, user: cpu * 0.75, system: cpu * 0.25 };
    const switches = { voluntary: 2_000, involuntary: 50 };
    return { ...times, memory, threads: 11, files: 30 + i, switches };
  });
}

export function measurementFixture(cell: CellSpec, random: Random = randomFrom(7)): Measurement {
  const { connections = 50, duration = 3, timeoutRatio = 0, warmUp = 1, medianMs, slowRatio } =
    cell;
  const drawnSpec = { connections, duration, timeoutRatio, warmUp, medianMs, slowRatio };
  const drawing = drawMeasurement(drawnSpec, random);
  const { completed, failed, latency, fastest, points, perSecond, histogram } = drawing;
  return {
    schema: "plateau.bench/2",
    version: "0.1.0",
    url: `http://127.0.0.1:8080/${encodeURIComponent(cell.scenario)}`,
    driver: "tcp",
    load: { kind: "closed", connections, durationS: duration, ...LOAD },
    elapsedS: duration,
    ...outcomesOf({ cell, completed, failed, unfinished: connections }),
    reconnects: 0,
    rate: completed / duration,
    bytes: {
      in: completed * ANSWER_BYTES,
      out: completed * 60,
      inPerSecond: completed * ANSWER_BYTES / duration,
    },
    latency: { ...latency, clock: "sent", censored: failed + connections, fastest },
    service: latency,
    firstByte: latency,
    connect: latency,
    perSecond,
    timeline: { intervalS: INTERVAL_S, points },
    warmup: { label: "too-short", steadyFromS: null },
    sessions: null,
    generator: {
      ...GENERATOR,
      cpu: Math.min(0.8, 0.1 + completed / duration / 150_000),
    },
    histogram,
  };
}

/** One worker that had time. */
const GENERATOR: Measurement["generator"] = {
  workers: 1,
  cpu: 0.1,
  waiting: 0.01,
  lag: { p50: 0, p99: 0, max: 0 },
  delay: { p50: 0, p99: 0.2, max: 1.5 },
  each: [{ cpu: 0.1, waiting: 0.01, spinning: 0, lag: 0, delay: 0.2 }],
  timer: 0.0002,
  hostActivity: { cores: 4, busy: 0.4, steal: 0, throttled: null },
  peakThroughput: null,
  baselineLatency: null,
  trust: "valid",
  findings: [],
};

const LOAD = { pipeline: 1, keepAlive: true, timeout: 5_000, requests: null };

interface Outcomes {
  readonly cell: CellSpec;
  readonly completed: number;
  readonly failed: number;
  readonly unfinished: number;
}

type OutcomeFields = "requests" | "status" | "errors" | "reasons" | "checks";

function outcomesOf(outcomes: Outcomes): Pick<Measurement, OutcomeFields> {
  const { cell, completed, failed, unfinished } = outcomes;
  const wrong = Math.round(completed * (cell.wrongRatio ?? 0));
  const [first, ...others] = cell.reasons ?? ["no whole answer after 5,000 ms"];
  return {
    requests: { due: completed + failed + unfinished, completed, failed, unfinished, dropped: 0 },
    status: { "200": completed - wrong, ...(wrong > 0 && { "500": wrong }) },
    errors: failed > 0 ? { timeout: failed } : {},
    reasons: failed === 0 ? {} : {
      [first]: failed - others.length,
      ...Object.fromEntries(others.map((reason) => [reason, 1])),
    },
    checks: { passed: completed - wrong, failed: wrong },
  };
}
