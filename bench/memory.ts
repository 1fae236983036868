/** Memory at full speed: what a long run with 1,000 connections takes, and whether it grows. */
import { medianOf } from "../runner/stats/quantile.ts";
import { atMost, atMostTimes } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { startNginx } from "./stage/nginx.ts";
import { watchPlateau } from "./stage/plateau.ts";

const MB = 1e6;
/** A collector takes memory in steps, so growth is looked for between parts of the run, not moments. */
const PARTS = 6;

export const memory: Bench = {
  about: "memory over a minute at full speed, 1,000 connections",
  rounds: 1,
  async run({ rounds, short }): Promise<Section[]> {
    await using nginx = await startNginx();
    const { plateau: runs } = await interleaved(["plateau"], rounds, async () => {
      const flags = `-c 1000 -d ${short ? 6 : 60}s`;
      const { memoryBytes } = await watchPlateau(`${nginx.origin}/`, flags.split(" "));
      return growthOf(memoryBytes);
    });
    const earlyMb = runs.map(({ earlyBytes }) => earlyBytes / MB);
    const lateMb = runs.map(({ lateBytes }) => lateBytes / MB);
    const mostMb = runs.map(({ mostBytes }) => mostBytes / MB);
    return [{
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
    }];
  },
};

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
