/**
 * Memory: what a long run at full speed with 1,000 connections takes and whether it grows, and what a connection takes.
 * Resident memory is Plateau's own: the kernel's for its sockets is not in it.
 */
import { formatCount } from "../report/model/numbers/units.ts";
import { medianOf } from "../runner/stats/quantile.ts";
import { TargetError } from "../base/errors.ts";
import { atMost, atMostTimes } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { startNginx } from "./stage/nginx.ts";
import { watchPlateau } from "./stage/plateau.ts";

const MB = 1e6;
/** A collector takes memory in steps, so growth is looked for between parts of the run, not moments. */
const PARTS = 6;

/** Connections of the runs by which the share of one is found. */
const FEW = 1_000;
const MORE = 5_000;
const MANY = 10_000;
const COUNTS = [FEW, MORE, MANY].map(String);
const KB = 1e3;
/** A connection may take so much. */
const MOST_KB = 4.096;

export const memory: Bench = {
  about: "memory over a minute at full speed, 1,000 connections, and of a connection",
  rounds: 3,
  async run({ rounds, short }): Promise<Section[]> {
    await using nginx = await startNginx();
    const url = `${nginx.origin}/`;
    return [await atFullSpeed(url, short), await ofConnections(url, rounds, short)];
  },
};

/** Once: it takes a minute. */
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

/** Nearly idle ones, at the same rate however many they are, so that only their number makes the difference. */
async function ofConnections(url: string, rounds: number, short: boolean): Promise<Section> {
  const seen = await interleaved(COUNTS, rounds, async (connections) => {
    const flags = `-c ${connections} -d ${short ? 4 : 10}s --rate 2000/s -w 1 --driver epoll`;
    const { measurement, memoryBytes } = await watchPlateau(url, flags.split(" "));
    const opened = measurement.connect.count;
    if (opened >= Number(connections)) return medianOf(memoryBytes.slice(-PARTS));
    throw new TargetError(`Cannot measure: ${opened} of ${connections} connections opened`, []);
  });
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
