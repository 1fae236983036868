/** The flags of `run` that show its report while it grows. */
import { z } from "zod";
import type { Problem } from "../../base/errors.ts";
import type { Grouped } from "../../report/model/runs/cells.ts";
import { textLines } from "../../report/writing/terminal.ts";
import type { OnProgress } from "../../runner/result/progress.ts";
import type { Given, Parts, Values } from "../command_line/command.ts";
import type { LiveReport } from "../live/report.ts";
import { printError } from "../terminal/terminal.ts";
import { wholeNumber } from "./values.ts";

export const liveFlags = {
  live: {
    flags: "--live",
    about: "Shows the report in a browser while it grows, on this machine alone",
    schema: z.boolean().default(false),
  },
  livePort: {
    flags: "--live-port <N>",
    about: "Port for --live; a free one when it is not given",
    schema: wholeNumber(z.int().min(0).max(65_535)).optional(),
  },
} satisfies Parts;

export function liveConflicts({ live, livePort }: Given): Problem[] {
  if (live || livePort === undefined) return [];
  const message = "Cannot use a port for what is not shown";
  return [{ place: "--live-port", message, fix: "add --live, or leave it out" }];
}

/** Serves it and says where; null without --live. Throws a TargetError when it cannot listen. */
export async function startLive(
  { live, livePort: port = 0 }: Values<typeof liveFlags>,
  baseline: Grouped | null,
): Promise<LiveReport | null> {
  if (!live) return null;
  const { LiveReport } = await import("../live/report.ts");
  const onNote = (text: string): void => printError(textLines([text]));
  const report = new LiveReport({ port, baseline, onNote });
  printError(textLines([`Live report  ${report.url}`]));
  return report;
}

/** Progress for the terminal, and for who looks at the page. */
export function toldTo(live: LiveReport | null, onProgress: OnProgress): OnProgress {
  if (live === null) return onProgress;
  return (event) => {
    onProgress(event);
    live.onProgress(event);
  };
}
