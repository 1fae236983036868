/** Phases of a load on the command line: `30s@10/s,60s@50/s..200/s`, and `10s@0/s` for a pause. */
import { z } from "zod";
import { explain } from "../../base/explain.ts";
import { beyond, isWithin } from "../../base/limits.ts";
import { NO_ARRIVALS, phase, someArrive } from "../../scenarios/load/load.ts";
import type { Phase } from "../../scenarios/pace/profile.ts";
import { waysOf } from "../../scenarios/load/phase_ways.ts";
import { findingsOf } from "../../base/problems.ts";

export const phases = z.string().transform((text, context): Phase[] => {
  const parts = text.split(",");
  if (!isWithin("phases", parts.length)) {
    context.addIssue(`Cannot use these phases: ${beyond("phases", parts.length)}`);
    return [];
  }
  const read = parts.map((part) => readPhase(part.trim()));
  const wrong = read.flatMap((result) => result.wrong);
  for (const message of wrong) context.addIssue(message);
  return read.flatMap(({ phase }) => phase ?? []);
}).refine(someArrive, NO_ARRIVALS);

interface ReadPhase {
  readonly phase?: Phase;
  /** What is wrong with it, a message each. */
  readonly wrong: readonly string[];
}

function readPhase(part: string): ReadPhase {
  const [duration, rates = "", ...rest] = part.split("@");
  const [arrivals, rampTo, ...more] = rates.split("..");
  if (rates === "" || rest.length + more.length > 0) {
    return { wrong: [`Cannot read "${part}" as a phase: write 30s@10/s, or 30s@10/s..50/s`] };
  }
  const given = { duration, arrivals, rampTo };
  const { data, error } = phase.safeParse(given, { error: explain });
  const wrong = findingsOf(error?.issues ?? [], given).map(({ message }) => `${part}: ${message}`);
  return { phase: data && waysOf([data])[0].phases[0], wrong };
}
