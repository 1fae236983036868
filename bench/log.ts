/** What the full request log costs at full speed, and whether a line is lost. */
import { join } from "node:path";
import { medianOf } from "../runner/stats/quantile.ts";
import { atLeastTimes, atMost, atMostTimes } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { temporaryFolder } from "./stage/folder.ts";
import { startNginx } from "./stage/nginx.ts";
import { watchPlateau } from "./stage/plateau.ts";

interface Run {
  readonly ratePerSec: number;
  readonly mostMb: number;
  /** Lines that are missing in the log or too many. */
  readonly wrongLines: number;
}

export const log: Bench = {
  about: "full speed with and without the request log",
  rounds: 3,
  async run({ rounds, short }) {
    await using nginx = await startNginx();
    const url = `${nginx.origin}/`;
    const flags = `-w 1 -d ${short ? 2 : 10}s`.split(" ");
    const seen = await interleaved(
      ["without", "with"],
      rounds,
      (how) => how === "with" ? runWithLog(url, flags) : runWithoutLog(url, flags),
    );
    const lines = {
      what: "missing or too many, all rounds",
      samples: [seen.with.reduce((sum, { wrongLines }) => sum + wrongLines, 0)],
      bar: atMost(0),
    };
    return [
      compared(seen, "Requests at full speed", { unit: "1/s", figure: "ratePerSec" }),
      compared(seen, "Resident memory, the most", { unit: "MB", figure: "mostMb" }),
      { caption: "Lines of the log", unit: "count", rows: [lines] },
    ];
  },
};

async function runWithoutLog(url: string, flags: readonly string[]): Promise<Run> {
  const { measurement, memoryBytes } = await watchPlateau(url, flags);
  return { ratePerSec: measurement.rate, mostMb: Math.max(...memoryBytes) / 1e6, wrongLines: 0 };
}
