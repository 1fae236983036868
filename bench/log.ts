/** Measures what the full request log costs at full speed, and whether any line is lost. */
import { join } from "node:path";
import { medianOf } from "../runner/stats/quantile.ts";
import { atLeastTimes, atMost, atMostTimes, type Bar } from "./bar.ts";
import type { Bench, Section } from "./bench.ts";
import { interleaved } from "./rounds.ts";
import { temporaryFolder } from "./stage/folder.ts";
import { startNginx } from "./stage/nginx.ts";
import { watchPlateau } from "./stage/plateau.ts";

const LINE_BREAK = 10;

interface Run {
  readonly ratePerSec: number;
  readonly mostMb: number;
  /** The number of lines that are missing from the log, or that it has in excess. */
  readonly wrongLines: number;
}

export const log: Bench = {
  about: "full speed with and without the request log",
  rounds: 3,
  async run({ rounds, short }): Promise<Section[]> {
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
      compared(seen, "Requests at full speed", {
        unit: "1/s",
        figure: "ratePerSec",
        bar: atLeastTimes(0.85),
      }),
      compared(seen, "Resident memory, the most", {
        unit: "MB",
        figure: "mostMb",
        bar: atMostTimes(1.1),
      }),
      { caption: "Lines of the log", unit: "count", rows: [lines] },
    ];
  },
};

async function runWithoutLog(url: string, flags: readonly string[]): Promise<Run> {
  const { measurement, memoryBytes } = await watchPlateau(url, flags);
  return { ratePerSec: measurement.rate, mostMb: Math.max(...memoryBytes) / 1e6, wrongLines: 0 };
}

async function runWithLog(url: string, flags: readonly string[]): Promise<Run> {
  using folder = temporaryFolder();
  const path = join(folder.path, "log.csv");
  const { measurement, memoryBytes } = await watchPlateau(url, [...flags, "--log", path]);
  const { rate: ratePerSec, requests } = measurement;
  const begun = requests.due - requests.dropped;
  const wrongLines = Math.abs(await countLines(path) - 1 - begun); // minus the header line
  return { ratePerSec, mostMb: Math.max(...memoryBytes) / 1e6, wrongLines };
}

async function countLines(path: string): Promise<number> {
  using file = await Deno.open(path);
  const buffer = new Uint8Array(1 << 20);
  let lines = 0;
  for (let length = await file.read(buffer); length !== null; length = await file.read(buffer)) {
    for (let i = 0; i < length; i++) if (buffer[i] === LINE_BREAK) lines++;
  }
  return lines;
}

type Seen = Record<"without" | "with", readonly Run[]>;

function compared(
  seen: Seen,
  caption: string,
  { unit, figure, bar }: { unit: string; figure: "ratePerSec" | "mostMb"; bar: Bar },
): Section {
  const without = seen.without.map((run) => run[figure]);
  const withLog = seen.with.map((run) => run[figure]);
  return {
    caption,
    unit,
    baseline: "without",
    rows: [
      { what: "without the log", samples: without },
      { what: "with the log", samples: withLog, baseline: medianOf(without), bar },
    ],
  };
}
