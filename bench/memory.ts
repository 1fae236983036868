/**
 * Measures how much memory a long run at full speed with 1,000 connections uses, whether that grows, and how much one
 * connection uses. This is the resident memory of Plateau's process, without the kernel's memory for its sockets.
 */
import { formatCount } from "../report/writing/units.ts";
import { medianOf } from "../runner/stats/quantile.ts";
import { TargetError } from "../base/errors.ts";
import { atMost, atMostTimes } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { startNginx, startSecureNginx } from "./stage/nginx.ts";
import { watch, watchPlateau } from "./stage/plateau.ts";
import { isInstalled } from "./stage/programs.ts";

const MB = 1e6;
/**
 * The number of parts into which a run is divided to see growth. Single samples do not show it, because a garbage
 * collector takes and returns memory in steps.
 */
const PARTS = 6;

/** The numbers of connections in the runs from which the memory of one connection is computed. */
const FEW = 1_000;
const MORE = 5_000;
const MANY = 10_000;
const COUNTS = [FEW, MORE, MANY].map(String);
const KB = 1e3;
/** The bar for the memory of a connection, in kB. */
const MOST_KB = 4.096;

export const memory: Bench = {
  about: "memory over a minute at full speed, 1,000 connections, and of a connection",
  rounds: 3,
  async run({ rounds, short }): Promise<Section[]> {
    await using nginx = await startNginx();
    const url = `${nginx.origin}/`;
    await using secure = await startSecureNginx();
    return [
      await atFullSpeed(url, short),
      await ofConnections(url, rounds, short),
      await ofTls({ plain: url, secure: secure.url }, rounds, short),
    ];
  },
};

/** Measures memory at full speed. It does so only once, because this takes a minute. */
async function atFullSpeed(url: string, short: boolean): Promise<Section> {
  const { plateau: runs } = await interleaved(["plateau"], 1, async () => {
    const flags = `-c 1000 -d ${short ? 6 : 60}s`;
    const { memoryBytes } = await watchPlateau(url, flags.split(" "));
    return growthOf(memoryBytes);
  });
  const earlyMb = runs.map(({ earlyBytes }) => earlyBytes / MB);
  const lateMb = runs.map(({ lateBytes }) => lateBytes / MB);
  const mostMb = runs.map(({ mostBytes }) => mostBytes / MB);
  return {
    caption: "Resident memory at full speed, 1,000 connections",
    unit: "MB",
    baseline: "second sixth",
    rows: [
      { what: "the most", samples: mostMb, bar: atMost(150) },
      { what: "in the second sixth of the time", samples: earlyMb },
      {
        what: "in the last sixth",
        samples: lateMb,
        baseline: medianOf(earlyMb),
        bar: atMostTimes(1.05),
      },
    ],
    notes: ["The first sixth is start-up and compilation."],
  };
}

/**
 * Measures the memory of nearly idle connections. The total rate is the same for every number of connections, so that
 * only the number makes a difference.
 */
async function ofConnections(url: string, rounds: number, short: boolean): Promise<Section> {
  const seen = await interleaved(
    COUNTS,
    rounds,
    (connections) => nearlyIdle(url, Number(connections), short),
  );
  const { [FEW]: few, [MANY]: many } = seen;
  return {
    caption: "Resident memory by the number of connections, 2,000 requests/s",
    unit: "kB",
    rows: [
      ...COUNTS.map((connections) => ({
        what: `${formatCount(Number(connections))} connections`,
        samples: seen[connections].map((bytes) => bytes / KB),
      })),
      {
        what: `a connection, between ${formatCount(FEW)} and ${formatCount(MANY)}`,
        samples: few.map((bytes, i) => (many[i] - bytes) / (MANY - FEW) / KB),
        bar: atMost(MOST_KB),
      },
    ],
    notes: ["Memory of the process, without that of the kernel for its sockets."],
  };
}

/** Returns the resident memory near the end of a load, in bytes. */
async function nearlyIdle(url: string, connections: number, short: boolean): Promise<number> {
  const flags = `-c ${connections} -d ${short ? 4 : 10}s --rate 2000/s -w 1 --driver epoll`;
  const { measurement, memoryBytes } = await watchPlateau(url, [...flags.split(" "), "--insecure"]);
  const opened = measurement.connect.count;
  if (opened >= connections) return medianOf(memoryBytes.slice(-PARTS));
  throw new TargetError(`Cannot measure: ${opened} of ${connections} connections opened`, []);
}

const SCHEMES = ["plain", "secure"] as const;
type Urls = Readonly<Record<typeof SCHEMES[number], string>>;

/** Measures how much memory TLS adds to a connection, in Plateau and in wrk. wrk can only run at full speed. */
async function ofTls(urls: Urls, rounds: number, short: boolean): Promise<Section> {
  const wrkAt = async (url: string, connections: number): Promise<number> => {
    const { memoryBytes } = await watch(
      `wrk -t1 -c${connections} -d${short ? 8 : 12}s ${url}`.split(" "),
    );
    return medianOf(memoryBytes.slice(-PARTS));
  };
  const generators = {
    Plateau: (url: string, connections: number) => nearlyIdle(url, connections, short),
    ...isInstalled("wrk") ? { wrk: wrkAt } : {},
  };
  const cells = Object.entries(generators).flatMap(([name, measure]) =>
    SCHEMES.flatMap((scheme) => [FEW, MORE].map((count) => ({ name, measure, scheme, count })))
  );
  const keyOf = (name: string, scheme: string, count: number): string =>
    `${name}, ${scheme === "plain" ? "http" : "https"}, ${formatCount(count)} connections`;
  const byKey = new Map(cells.map((cell) => [keyOf(cell.name, cell.scheme, cell.count), cell]));
  const seen = await interleaved([...byKey.keys()], rounds, (key) => {
    const cell = byKey.get(key);
    if (cell === undefined) throw new Error(`no such cell: ${key}`);
    return cell.measure(urls[cell.scheme], cell.count);
  });
  const shareOf = (name: string, scheme: string, round: number): number =>
    (seen[keyOf(name, scheme, MORE)][round] - seen[keyOf(name, scheme, FEW)][round]) /
    (MORE - FEW) / KB;
  return {
    caption: "Resident memory over https",
    unit: "kB",
    rows: [
      ...Object.keys(seen).map((what) => ({ what, samples: seen[what].map((it) => it / KB) })),
      ...Object.keys(generators).map((name) => ({
        what: `${name}: what TLS adds to a connection`,
        samples: Array.from(
          { length: rounds },
          (_, round) => shareOf(name, "secure", round) - shareOf(name, "plain", round),
        ),
      })),
    ],
    notes: [
      `By the difference of ${formatCount(FEW)} and ${formatCount(MORE)} connections. ` +
      "Plateau sends 2,000 requests/s, wrk as many as it can.",
    ],
  };
}

interface Growth {
  readonly earlyBytes: number;
  readonly lateBytes: number;
  readonly mostBytes: number;
}

function growthOf(memoryBytes: readonly number[]): Growth {
  const part = Math.floor(memoryBytes.length / PARTS);
  return {
    earlyBytes: medianOf(memoryBytes.slice(part, 2 * part)),
    lateBytes: medianOf(memoryBytes.slice(-part)),
    mostBytes: Math.max(...memoryBytes),
  };
}
