/**
 * Measures what very many open connections cost: the memory of the generator and of the kernel, the dials and the first
 * round of requests, and the CPU time of a request. A process may open only a limited number of files, so each worker
 * opens as many connections as that allows, and a hundred thousand connections need several processes.
 */
import { join } from "node:path";
import { countOpenFiles, descendantsOf } from "../../base/system/processes.ts";
import { openFilesLimit } from "../../base/system/open_files.ts";
import { parsePorts, readSystemFile } from "../../base/system/linux.ts";
import { TargetError } from "../../base/errors.ts";
import { formatCount } from "../../report/writing/units.ts";
import type { Measurement } from "../../runner/result/result.ts";
import { medianOf } from "../../runner/stats/quantile.ts";
import type { Section } from "../bench.ts";
import { interleaved } from "../rounds.ts";
import { temporaryFolder } from "../stage/folder.ts";
import { runPlateau, watchPlateau } from "../stage/plateau.ts";
import { compile, placed } from "../stage/programs.ts";
import { type Server, startServer } from "../stage/server.ts";

const FEW = 1_000;
const SOME = 10_000;
const WANTED = 100_000;
/** How many of the files that a process may open are kept for uses other than connections. */
const OTHER_FILES = 256;
/** The memory reserved for each connection, in bytes: twice what its two ends use together. */
const MOST_BYTES = 20e3;
const KB = 1e3;
/** The dials per second. A dial takes some 45 µs of CPU time, so this rate leaves most of a core to other programs. */
const DIALED_A_SECOND = 1_500;
const NAME = "many.test";

/** How many connections are possible. Each address of the server has a server process of its own. */
interface Room {
  /** The most connections of one generator process, which has one worker. */
  readonly ofProcess: number;
  /**
   * The most connections to one address. The limits are the number of local ports, and the files that a server process
   * may open.
   */
  readonly ofAddress: number;
  /** The most connections in all. */
  readonly all: number;
}

function roomHere(): Room {
  const files = (openFilesLimit("hard") ?? Infinity) - OTHER_FILES;
  const [first, last] = parsePorts(readSystemFile("/proc/sys/net/ipv4/ip_local_port_range")) ??
    [32_768, 60_999];
  const memory = Deno.systemMemoryInfo().available / 2 / MOST_BYTES;
  const all = Math.floor(Math.min(WANTED, memory));
  return {
    ofProcess: Math.min(files, all),
    ofAddress: Math.min(files, last - first + 1),
    all,
  };
}

export async function sectionsOfMany(rounds: number, short: boolean): Promise<Section[]> {
  using folder = temporaryFolder();
  const program = join(folder.path, "keeping");
  await compile(new URL("keeping.c", import.meta.url), program);
  const room = roomHere();
  const addresses = processesFor(room.all, room) * addressesOf(room.ofProcess, room);
  await using server = await startServer(
    "keeping",
    (port) => placed("server", [program, `${port}`, `${addresses}`]),
  );
  const counts = [...new Set([FEW, SOME, room.ofProcess])].filter((n) => n <= room.ofProcess);
  const stage: Stage = { server, room, rounds, short };
  return [
    await firstRounds(counts, stage),
    await requests(counts, stage),
    await memoryOfOne(counts, stage),
    await memoryOfAll(stage),
  ];
}

interface Stage {
  readonly server: Server;
  readonly room: Room;
  readonly rounds: number;
  readonly short: boolean;
}

function processesFor(connections: number, { ofProcess }: Room): number {
  return Math.ceil(connections / ofProcess);
}

function addressesOf(connections: number, { ofAddress }: Room): number {
  return Math.ceil(connections / ofAddress);
}

/**
 * The URL and flags for one worker. Each worker has addresses of its own; when the local ports for one of them run out,
 * the worker uses the next.
 */
function loadOf(
  connections: number,
  process: number,
  { server, room }: Stage,
): { url: string; flags: readonly string[] } {
  const { port } = new URL(server.origin);
  const count = addressesOf(room.ofProcess, room);
  const addresses = Array.from({ length: count }, (_, i) => `127.0.0.${process * count + i + 1}`);
  return {
    url: `http://${NAME}:${port}/`,
    flags: [
      ...["--resolve", `${NAME}:${port}:${addresses.join(",")}`],
      ...`-c ${connections} -w 1 --driver epoll --timeout 120s`.split(" "),
    ],
  };
}

const SETTLE_MS = 60_000;
const LOOK_MS = 50;

/** Waits until the server has closed all connections of the previous run, so that the next run can open as many. */
async function settled({ server }: Stage): Promise<void> {
  const giveUp = performance.now() + SETTLE_MS;
  const open = (): number =>
    Math.max(...[server.pid, ...descendantsOf(server.pid)].map((pid) => countOpenFiles(pid) ?? 0));
  while (open() > OTHER_FILES) {
    if (performance.now() > giveUp) {
      throw new TargetError(`Cannot measure: the server still has ${formatCount(open())} files`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/**
 * Throws a TargetError unless every connection was opened and no request failed, because the cost of fewer connections
 * would mean nothing.
 */
function allOpened(measured: Measurement, connections: number): Measurement {
  const { connect: { count }, requests: { failed }, reasons } = measured;
  if (count >= connections && failed === 0) return measured;
  const opened = `${formatCount(count)} of ${formatCount(connections)} connections opened`;
  throw new TargetError(`Cannot measure: ${opened}, ${formatCount(failed)} requests failed`, [
    JSON.stringify(reasons),
  ]);
}

async function measure(
  connections: number,
  length: string,
  stage: Stage,
): Promise<Measurement> {
  await settled(stage);
  const { url, flags } = loadOf(connections, 0, stage);
  return allOpened(await runPlateau(url, [...flags, ...length.split(" ")]), connections);
}

function cpuUs({ generator: { cpu }, elapsedS }: Measurement): number {
  return 1e6 * cpu * elapsedS;
}

const label = (connections: number): string => `${formatCount(connections)} connections`;

/** Measures runs with as many requests as connections, so each connection is dialled and sends one request. */
async function firstRounds(counts: readonly number[], stage: Stage): Promise<Section> {
  const seen = await interleaved(
    counts.map(label),
    stage.rounds,
    (name) => {
      const connections = counts.find((count) => label(count) === name) ?? FEW;
      return measure(connections, `-n ${connections}`, stage);
    },
  );
  return {
    caption: "Dials and the first request on each connection, one worker",
    unit: "ms or µs",
    rows: counts.flatMap((connections) => {
      const runs = seen[label(connections)];
      return [
        {
          what: `${label(connections)}: until all had a response, ms`,
          samples: runs.map(({ elapsedS }) => 1e3 * elapsedS),
        },
        {
          what: `${label(connections)}: CPU of the worker for each, µs`,
          samples: runs.map((run) => cpuUs(run) / connections),
        },
      ];
    }),
  };
}

/**
 * Measures the CPU time of a request at full speed, as the difference between a long run and a short one, which cancels
 * the cost of dials.
 */
async function requests(counts: readonly number[], stage: Stage): Promise<Section> {
  const seen = await interleaved(counts.map(label), stage.rounds, async (name) => {
    const connections = counts.find((count) => label(count) === name) ?? FEW;
    const brief = 2 + Math.ceil(connections / DIALED_A_SECOND);
    const first = await measure(connections, `-d ${brief}s`, stage);
    const second = await measure(connections, `-d ${brief + (stage.short ? 3 : 8)}s`, stage);
    return (cpuUs(second) - cpuUs(first)) /
      (second.requests.completed - first.requests.completed);
  });
  return {
    caption: "CPU of the worker for a request at full speed",
    unit: "µs",
    baseline: label(FEW),
    rows: counts.map((connections) => ({
      what: label(connections),
      samples: seen[label(connections)],
      baseline: medianOf(seen[label(FEW)]),
    })),
  };
}

interface Memory {
  /** The resident memory of all generator processes together. */
  readonly residentBytes: number;
  /** How much the kernel's slab caches grew during the load; this includes both ends of each connection. */
  readonly kernelBytes: number;
  /** How much each slab cache grew during the load, in bytes. */
  readonly caches: ReadonlyMap<string, number>;
}

/** The number of samples that are used, 250 ms apart: the last of the load, when all connections are open. */
const LAST = 6;
const KERNEL_STEP_MS = 500;

/**
 * Measures the memory of nearly idle connections, which are spread over several processes and carry 2,000 requests a
 * second in all.
 */
async function hold(connections: number, processes: number, stage: Stage): Promise<Memory> {
  await settled(stage);
  const before = slabCaches();
  let most = before;
  const timer = setInterval(() => {
    const now = slabCaches();
    if (sumOf(now) > sumOf(most)) most = now;
  }, KERNEL_STEP_MS);
  const each = Math.floor(connections / processes);
  const seconds = (stage.short ? 4 : 8) + Math.ceil(connections / DIALED_A_SECOND);
  const rate = Math.round(2_000 / processes);
  try {
    const runs = await Promise.all(Array.from({ length: processes }, async (_, process) => {
      const { url, flags } = loadOf(each, process, stage);
      const watched = await watchPlateau(url, [...flags, "-d", `${seconds}s`, "-r", `${rate}/s`]);
      allOpened(watched.measurement, each);
      return medianOf(watched.memoryBytes.slice(-LAST));
    }));
    return {
      residentBytes: runs.reduce((sum, bytes) => sum + bytes, 0),
      kernelBytes: sumOf(most) - sumOf(before),
      caches: new Map([...most].map(([name, bytes]) => [name, bytes - (before.get(name) ?? 0)])),
    };
  } finally {
    clearInterval(timer);
  }
}

function sumOf(caches: ReadonlyMap<string, number>): number {
  return [...caches.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** The bytes of objects in use, by slab cache; empty unless run by root, who alone may read them. */
function slabCaches(): ReadonlyMap<string, number> {
  const lines = (readSystemFile("/proc/slabinfo") ?? "").split("\n").slice(2);
  return new Map(lines.flatMap((line) => {
    const [name, active, , size] = line.split(/\s+/);
    return size === undefined ? [] : [[name, Number(active) * Number(size)]];
  }));
}

async function memoryOfOne(counts: readonly number[], stage: Stage): Promise<Section> {
  const seen = await interleaved(counts.map(label), stage.rounds, (name) => {
    const connections = counts.find((count) => label(count) === name) ?? FEW;
    return hold(connections, 1, stage);
  });
  const most = counts[counts.length - 1];
  return {
    caption: "Memory of one worker's open connections, 2,000 requests/s",
    unit: "kB",
    rows: [
      ...counts.map((connections) => ({
        what: `${label(connections)}: resident`,
        samples: seen[label(connections)].map(({ residentBytes }) => residentBytes / KB),
      })),
      ...most === FEW ? [] : [{
        what: `a connection, between ${formatCount(FEW)} and ${formatCount(most)}`,
        samples: seen[label(most)].map((memory, round) =>
          (memory.residentBytes - seen[label(FEW)][round].residentBytes) / (most - FEW) / KB
        ),
      }],
    ],
  };
}

/** Slab caches that take at least this many bytes per connection are named in the results. */
const NAMED_BYTES = 100;

async function memoryOfAll(stage: Stage): Promise<Section> {
  const { room } = stage;
  const processes = processesFor(room.all, room);
  const connections = Math.floor(room.all / processes) * processes;
  const { all } = await interleaved(
    ["all"],
    stage.rounds,
    () => hold(connections, processes, stage),
  );
  const shares = (bytes: (memory: Memory) => number): number[] =>
    all.map((memory) => bytes(memory) / connections / KB);
  const names = [...all[0].caches.keys()]
    .filter((name) => medianOf(shares(({ caches }) => caches.get(name) ?? 0)) * KB > NAMED_BYTES);
  const canRead = sumOf(all[0].caches) > 0;
  return {
    caption: `${label(connections)} in ${processes} ${
      processes === 1 ? "process" : "processes"
    }, for each connection`,
    unit: "kB",
    rows: [
      { what: "resident in the generators", samples: shares((memory) => memory.residentBytes) },
      ...canRead
        ? [
          { what: "in the kernel, both ends", samples: shares((memory) => memory.kernelBytes) },
          ...names.map((name) => ({
            what: `of it ${name}`,
            samples: shares(({ caches }) => caches.get(name) ?? 0),
          })),
        ]
        : [],
    ],
    notes: [
      `A process may open ${formatCount(room.ofProcess + OTHER_FILES)} files here, so one worker ` +
      `has at most ${formatCount(room.ofProcess)} connections. ` +
      (canRead
        ? "The kernel's share is that of /proc/slabinfo."
        : "Only root reads /proc/slabinfo."),
    ],
  };
}
