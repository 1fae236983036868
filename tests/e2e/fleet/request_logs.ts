/** The request logs of agents, put together. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import * as z from "zod";
import { Histogram } from "../../../runner/stats/histogram/histogram.ts";

const lines = z.array(z.strictObject({
  code: z.coerce.number().int().min(0).max(599),
  start: z.coerce.number().int().min(0).describe("Nanoseconds since the start of the run"),
  end: z.coerce.number().int().min(0),
  connection: z.coerce.number().int().min(0),
}));

export type LogLine = z.output<typeof lines>[number];

/** All lines of all files in `folder`, which an agent was told to write its logs into. */
export function readLogs(folder: string): LogLine[] {
  return readdirSync(folder).flatMap((name) =>
    lines.parse(parse(readFileSync(join(folder, name), "utf8"), { columns: true, delimiter: ";" }))
  );
}

/**
 * Their latencies, in the engine's buckets, a nanosecond less and a nanosecond more than written: a
 * log rounds both moments to nanoseconds, the engine their difference to microseconds.
 */
export function latenciesOf(log: readonly LogLine[]): { least: Histogram; most: Histogram } {
  const [least, most] = [new Histogram(), new Histogram()];
  for (const { start, end } of log) {
    least.record((end - start - 1) / 1_000);
    most.record((end - start + 1) / 1_000);
  }
  return { least, most };
}
